// What the GPU's roofs are measured with: kernels that do nothing but reach them.
#pragma once

#include "common/view.hpp"

namespace machine {

using course::Index;

/// A thread's number among all of the grid, and how many these are.
__device__ inline int me() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}
__device__ inline int all() {
  return static_cast<int>(gridDim.x * blockDim.x);
}

constexpr int chains = 8;  // a thread's; a multiply-add waits about 4 cycles, and other warps hide that, too

// [gpu_peak]
/// `rounds` times sum = sum * factor + term on each of a thread's sums, which start from memory and return
/// there: otherwise the compiler could merge equal chains, or drop them.
template <class T, int chains, int registers = 3>
__device__ void multiply_add(T* state, int rounds) {
  const T factor = registers == 3 ? state[0] : T(0.5), term = state[1];
  T* const mine = state + 2 + me();
  T sum[chains];
  for (int c = 0; c < chains; ++c) sum[c] = mine[c * all()];
#pragma unroll(512 / sizeof(T) / \
               chains)  // counting takes no time then, and the loop stays in the instruction cache
  for (int r = 0; r < rounds; ++r)
    for (int c = 0; c < chains; ++c) sum[c] = sum[c] * factor + term;
  for (int c = 0; c < chains; ++c) mine[c * all()] = sum[c];
}
// [/gpu_peak]

template <class T, int chains, int registers = 3>
__global__ void peak(T* state, int rounds) {
  multiply_add<T, chains, registers>(state, rounds);
}

constexpr int side = 8;

/// `rounds` times sum += column · row, 64 sums, as a register tile does it: three operands from three
/// registers, one of them an operand of the multiply-add before. In assembly, which keeps this order.
__global__ void outer_product(double* state, int rounds) {
  double* const mine = state + me();
  double column[side], row[side], sum[side * side] = {}, all_sums = 0;
#pragma unroll
  for (int e = 0; e < side; ++e) column[e] = mine[e * all()], row[e] = mine[(side + e) * all()];
#pragma unroll 4
  for (int r = 0; r < rounds; ++r)
#pragma unroll
    for (int e = 0; e < side * side; ++e) {
      const int j = e / side, i = j % 2 == 0 ? e % side : side - 1 - e % side;  // serpentine
      asm volatile("fma.rn.f64 %0, %1, %2, %0;" : "+d"(sum[e]) : "d"(column[i]), "d"(row[j]));
    }
#pragma unroll
  for (int e = 0; e < side * side; ++e) all_sums += sum[e];
  mine[0] = all_sums;
}

/// The GPU's nanoseconds, which do not depend on its clock. Memory may have changed: no work moves across.
__device__ inline long long nanoseconds() {
  long long time = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
  return time;
}

/// The clock while all units are busy: how many cycles and nanoseconds the same work takes.
__global__ void busy_clock(float* state, int rounds, long long* ticks) {
  const long long time = nanoseconds(), cycle = clock64();
  multiply_add<float, chains>(state, rounds);
  const long long cycles = clock64() - cycle, ns = nanoseconds() - time;
  if (me() == 0) ticks[0] = cycles, ticks[1] = ns;
}

__device__ inline void add(float4& sum, float4 value) {
  sum.x += value.x, sum.y += value.y, sum.z += value.z, sum.w += value.w;
}

constexpr int tile_rows = 4, tile_cols = 512;  // 32 KiB; as many threads in a block as columns

/// Neighbouring threads read neighbouring 16 bytes: no two want the same bank at once. Each round begins
/// elsewhere: what was just read could stay in registers.
__global__ void read_shared(float4* state, int rounds) {
  __shared__ float4 tile[tile_rows][tile_cols];
  for (auto& row : tile) row[threadIdx.x] = state[me()];
  __syncthreads();
  float4 sum{};
#pragma unroll 4
  for (int r = 0; r < rounds; ++r) {
    const unsigned col = (threadIdx.x + 32u * static_cast<unsigned>(r)) % tile_cols;
    for (const auto& row : tile) add(sum, row[col]);
  }
  state[me()] = sum;
}

constexpr int under_way = 4;  // loads of a thread that wait for memory together

/// Reads everything `passes` times, past the first level (ldcg): the second alone shall answer. `count` is a
/// multiple of what all threads have under way.
__global__ void read_l2(const float4* from, int count, int passes, float4* state) {
  float4 sum{}, value[under_way];
  for (int pass = 0; pass < passes; ++pass)
    for (int i = me(); i < count; i += under_way * all()) {
#pragma unroll
      for (int w = 0; w < under_way; ++w) value[w] = __ldcg(from + i + w * all());
#pragma unroll
      for (int w = 0; w < under_way; ++w) add(sum, value[w]);
    }
  state[me()] = sum;
}

/// A line that says where the next one lies.
struct alignas(128) Line {
  unsigned long long next;
};
/// Lines in a ring: each one's successor in `order`.
__global__ void link(Line* lines, const unsigned* order, int count) {
  for (int i = me(); i < count; i += all())
    lines[order[i]].next = reinterpret_cast<unsigned long long>(lines + order[(i + 1) % count]);
}

struct Chase {
  unsigned long long at;
  long long cycles;
};
/// One thread goes from line to line, and on from there at the next launch. No load can begin before the one
/// before it has brought its address. ldca may find it in L1, ldcg goes to L2.
template <bool from_l1>
__global__ void chase(Chase* state, int rounds) {
  unsigned long long at = state->at;
  const long long start = clock64();
#pragma unroll 8
  for (int r = 0; r < rounds; ++r) {
    const auto* const line = reinterpret_cast<const unsigned long long*>(at);
    at = from_l1 ? __ldca(line) : __ldcg(line);
  }
  state->at = at;  // after the last load
  state->cycles = clock64() - start;
}

/// Neighbouring threads copy neighbouring 16 bytes, each thread once.
__global__ void copy_all(const float4* from, float4* to, Index count) {
  const Index i = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i];
}

}  // namespace machine
