// 13: the pass before the product: it splits the floats of A and B into halves. No block waits for another:
// one that splits B finds the largest elements of its slice's columns itself. Run:
// build/13_f32_by_halves/13_f32_by_halves --emulate forward --type f32 --size 64
#pragma once

#include <atomic>
#include <cmath>

#include "11_cuda_tensor/tiles.cuh"
#include "parts.cuh"

namespace f32_by_halves {

using cuda_tensor::Chunk;

/// Sets bits of a number that all blocks share.
__device__ inline void raise(unsigned* bits, unsigned more) {
#ifdef __CUDACC__
  atomicOr(bits, more);
#else
  std::atomic_ref<unsigned>(*bits).fetch_or(more);
#endif
}
/// Of a number that the threads of a block share: makes it `size` if it was less.
__device__ inline void raise_to(int* largest, int size) {
#ifdef __CUDACC__
  atomicMax(largest, size);
#else
  *largest = std::max(*largest, size);
#endif
}
/// Adds to it; returns the sum.
__device__ inline int add_to(int* count, int more) {
#ifdef __CUDACC__
  return atomicAdd(count, more) + more;
#else
  return *count += more;
#endif
}
/// Lets the next kernel's blocks come, and waits for the kernels before; GPUs before Hopper overlap none.
__device__ inline void overlap_kernels() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory");
#endif
}

constexpr int threads = 256;
constexpr int held = 4;                       // chunks of eight floats that a thread holds in registers,
constexpr int in_block = threads * 8 * held;  // and the floats that a block does

/// The eight from (i, j) on, by two loads if `fours`; zeros beyond the matrix. It always reads, there from
/// elsewhere: a branch would make the next load wait for this one.
template <bool fours>
__device__ Chunk<float> chunk_from(View<const float> from, Index i, Index j) {
  constexpr int step = fours ? 4 : 1;
  struct alignas(4 * step) Some {
    float element[step];
  };
  const int count = i < from.rows() ? int(std::min<Index>(from.cols() - j, 8)) : 0;
  const float* const first = count > 0 ? &from(i, j) : from.data();
  Chunk<float> chunk;
#pragma unroll
  for (int e = 0; e < 8; e += step) {
    const Some some = reinterpret_cast<const Some&>(first[e < count ? e : 0]);
#pragma unroll
    for (int q = 0; q < step; ++q) chunk.element[e + q] = e < count ? some.element[q] : 0;
  }
  return chunk;
}

/// x rounded to a half, by one instruction: bf16's own rounding takes seven.
template <class Half>
__device__ Half rounded(float x) {
#ifdef __CUDACC__
  if constexpr (std::is_same_v<Half, bf16>) return std::bit_cast<bf16>(__float2bfloat16_rn(x));
#endif
  return Half(x);
}
/// Stores eight halves at once; by an assignment nvcc takes two to eight instructions.
template <class Half>
__device__ void store(Half* to, const Chunk<Half>& chunk) {
#ifdef __CUDACC__
  __stwb(reinterpret_cast<uint4*>(to), std::bit_cast<uint4>(chunk));
#else
  *reinterpret_cast<Chunk<Half>*>(to) = chunk;
#endif
}
// [split_chunk]
/// Splits eight floats, element e scaled by `scaled`(x, e) if S scales, and stores the parts `apart` elements
/// from each other. Returns a bit for each element that these do not hold: scaled, it loses three bits or
/// more.
template <class S, class Scaled>
__device__ unsigned split_chunk(const Chunk<float>& from, Scaled scaled, typename S::Half* to, Index apart) {
  Chunk<typename S::Half> of[S::parts];
  unsigned lost = 0;
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    const float x = from.element[e], size = fabsf(x);
    float rest = S::scaled ? scaled(x, e) : x;
    const bool held = S::scaled ? fabsf(rest) >= 0x1p-4f  // x may be scaled down to 0
                                : size >= 0x1p-110f && size < 0x1.ffp127f;
    lost |= held || x == 0 ? 0u : 1u << e;  // NaN is lost, too
#pragma unroll
    for (int part = 0; part < S::parts; ++part) {
      of[part].element[e] = rounded<typename S::Half>(rest);
      rest -= float(of[part].element[e]);
    }
  }
#pragma unroll
  for (int part = 0; part < S::parts; ++part) store(to + part * apart, of[part]);
  return lost;
}
// [/split_chunk]

/// How many threads split a row of A: a power of two.
constexpr int threads_a_row(Index k) {
  int count = 2;  // whole steps (nvcc 13.0 compiles std::bit_ceil to 1 on the GPU)
  while (count < threads && 8 * held * count < k) count *= 2;
  return count;
}
// [rows]
/// Splits some rows of A, which are read once if they fit into registers. Returns what was found.
template <class S, bool fours>
__device__ unsigned split_rows(const Parts<S>& all, Index block) {
  __shared__ SharedTile<int, 2, threads> of_rows;  // the largest; how many lose bits
  const Index m = all.a.rows(), k = all.a.cols(), filled = all.of_a.cols() / S::parts;
  const int t = int(threadIdx.x), in_row = threads_a_row(k), row = t / in_row, x = t % in_row;
  const Index i = block * (threads / in_row) + row, pass = Index{held} * 8 * in_row;
  of_rows[0][t] = of_rows[1][t] = 0;
  __syncthreads();
  Chunk<float> chunk[held];
  const auto take = [&](Index j0) {
#pragma unroll
    for (int q = 0; q < held; ++q) chunk[q] = chunk_from<fours>(all.a, i, j0 + 8 * (q * in_row + x));
  };
  const Index last = k <= pass ? 0 : (k - 1) / pass * pass;  // no division before the first loads
  int largest = 0, lost = 0;
  for (Index j0 = S::scaled ? 0 : last; j0 <= last; j0 += pass) {
    take(j0);
#pragma unroll
    for (const Chunk<float>& each : chunk)
      for (const float element : each.element) largest = std::max(largest, size_bits(element));
  }
  if constexpr (S::scaled) {
    for (int lanes = std::min(in_row, 32) / 2; lanes > 0; lanes /= 2)
      largest = std::max(largest, __shfl_xor_sync(0xffffffff, largest, lanes));
    if (x % 32 == 0) raise_to(of_rows[0] + row, largest);
    __syncthreads();
    largest = of_rows[0][row];
  }
  const int scale = scale_for(largest);
  const Power power = power_for(scale);
  const auto scaled = [=](float element, int) { return element * power.first * power.second; };
  unsigned found = 0;
  for (Index j0 = last; j0 >= 0; j0 -= pass) {  // the last ones are still in registers
#pragma unroll
    for (int q = 0; q < held; ++q)
      if (const Index j = j0 + 8 * (q * in_row + x); i < m && j < filled)
        for (unsigned each = split_chunk<S>(chunk[q], scaled, &all.of_a(i, place_in_parts<S>(j)), S::step);
             each != 0; each &= each - 1)
          ++lost;
    if (j0 > 0) take(j0 - pass);
  }
  if constexpr (S::scaled) {
    if (lost != 0 && add_to(of_rows[1] + row, lost) * Index{64} > k) found |= graded;
    if (largest >= bits_of_infinity) found |= beyond;
    if (x == 0 && i < m) all.a_scales[i] = scale;
  } else if (lost != 0) {
    found = beyond;
  }
  return found;
}
// [/rows]

// [columns]
/// Splits some columns of a slice of k of B, by eight a thread. Returns what was found.
template <class S, bool fours>
__device__ unsigned split_columns(const Parts<S>& all, unsigned block) {
  __shared__ SharedTile<int, 2, in_block / 64> of_columns;  // the largest; how many lose bits
  const Index n = all.b.cols(), k = all.b.rows(), filled = all.of_b.rows() / S::parts;
  const int t = int(threadIdx.x), cols = in_block / all.slice, across = cols / 8, x = t % across;
  const unsigned blocks = unsigned(n + cols - 1) / unsigned(cols);
  const Index p0 = Index{block / blocks} * all.slice, j = Index{block % blocks} * cols + 8 * x;
  Chunk<float> chunk[held];
  const auto row = [&](int q) { return p0 + t / across + q * (threads / across); };
#pragma unroll
  for (int q = 0; q < held; ++q) chunk[q] = chunk_from<fours>(all.b, row(q), j);
  float power[8] = {};
  unsigned found = 0;
  if constexpr (S::scaled) {
    if (t < cols) of_columns[0][t] = of_columns[1][t] = 0;
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      int largest = 0;
#pragma unroll
      for (const Chunk<float>& each : chunk) largest = std::max(largest, size_bits(each.element[e]));
      for (int lanes = across; lanes < 32; lanes *= 2)
        largest = std::max(largest, __shfl_xor_sync(0xffffffff, largest, lanes));
      if (t % 32 < across) raise_to(of_columns[0] + (8 * x + e), largest);
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      const int largest = of_columns[0][8 * x + e];
      const bool served =
          largest == 0 || (largest >= size_bits(least_in_slice) && largest < size_bits(most_in_slice));
      const int scale = served ? scale_for(largest) : 0;
      found |= (served ? 0u : graded) | (largest < bits_of_infinity ? 0u : beyond);
      power[e] = power_of_two(scale);
      if (t < across && j + e < n) all.b_factors(p0 / all.slice, j + e) = factor_for(scale);
    }
  }
  const auto scaled = [&](float element, int e) { return element * power[e]; };
#pragma unroll
  for (int q = 0; q < held; ++q) {
    if (row(q) >= filled || j >= n) continue;
    const unsigned lost =
        split_chunk<S>(chunk[q], scaled, &all.of_b(place_in_parts<S>(row(q)), j), S::step * all.of_b.ld());
    if (!S::scaled && lost != 0) found = beyond;
#pragma unroll 1
    for (int e = 0; S::scaled && lost >> e != 0; ++e)  // whoever makes it too many says so
      if ((lost >> e & 1) != 0 &&
          add_to(of_columns[1] + (8 * x + e), 1) * Index{64} > std::min<Index>(k, all.slice))
        found |= graded;
  }
  return found;
}
// [/columns]

// [split]
inline bool by_fours(View<const float> x) {
  return reinterpret_cast<std::uintptr_t>(x.data()) % 16 == 0 && x.ld() % 4 == 0 && x.cols() % 4 == 0;
}
template <class S>
Index blocks_of_b(const Parts<S>& all) {
  return course::ceil_div(all.b.rows(), all.slice) * course::ceil_div(all.b.cols(), in_block / all.slice);
}
template <class S>
Index blocks_of_a(const Parts<S>& all) {
  return course::ceil_div(all.a.rows(), threads / threads_a_row(all.a.cols()));
}
namespace {  // Hopper's translation unit has it, too

/// Splits B, by the first `of_b` blocks, and A, which if `fours` consist of whole, aligned 16 bytes. Adds to
/// `found`, which is 0 before, and makes it 0 for the next product.
template <class S, bool fours>
__global__ __launch_bounds__(threads, fours ? 3 : 2) void split(Parts<S> all, unsigned of_b) {
  overlap_kernels();
  if (blockIdx.x == 0 && threadIdx.x == 0) *all.next_found = 0;
  const unsigned here = blockIdx.x < of_b ? split_columns<S, fours>(all, blockIdx.x)
                                          : split_rows<S, fours>(all, Index{blockIdx.x - of_b});
  if (here != 0) raise(all.found, here);
}

}  // namespace
// [/split]

}  // namespace f32_by_halves
