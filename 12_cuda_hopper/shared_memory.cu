// What shared memory delivers to wgmma, alone and beside other traffic, on one multiprocessor and on all, as
// lines of CSV; operand_bytes as if each operand were read once.
//   build/12_cuda_hopper/12_cuda_hopper_shared_memory
#include <algorithm>
#include <cstdio>

#include "gpu/cuda.hpp"
#include "pipeline.cuh"

namespace cuda_hopper {
namespace {

enum Beside { nothing, copies, loads };
constexpr const char* names[] = {"nothing", "copies", "loads"};
constexpr int rounds = 4096, pieces = 6, piece = 16384;

template <int BN>
struct alignas(1024) Memory {
  Stage<BN> stage;
  float4 piece_of[pieces][piece / 16];
  Barrier arrived[pieces];
  int done;
};

/// Two warpgroups multiply one stage again and again. Meanwhile the third has TMA copy from L2, or loads from
/// shared memory.
template <int BN, Beside beside>
__global__ __launch_bounds__(with_producer, 1) void multiply(const float4* from, long long* cycles,
                                                             long long* bytes) {
  auto& memory = shared_memory<Memory<BN>>();
  volatile int& done = memory.done;
  if (threadIdx.x == 0) {
    for (Barrier& barrier : memory.arrived) init(barrier, 1);
    fence_init(), done = 0;
  }
  __syncthreads();
  if (threadIdx.x < 256) {
    FragmentC sum[BN / 8];
    clear(sum);
    const long long start = clock64();
    for (int round = 0; round < rounds; ++round)
      begin_products(sum, memory.stage, int(threadIdx.x) / 128), wgmma_wait<1>();
    wgmma_wait<0>();
    fence_registers(sum);
    if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start, done = 1;
    float total = 0;  // what nobody uses is not computed
    for (const FragmentC& each : sum) total += each.of[0] + each.of[1] + each.of[2] + each.of[3];
    if (total == 1) cycles[blockIdx.x] = 0;
  } else if (beside == copies && threadIdx.x == 256) {
    int count = 0;
    for (; done == 0; ++count) {
      const int at = count % pieces;
      if (count >= pieces) wait(memory.arrived[at], unsigned(count / pieces - 1) % 2);
      arrive_expect(memory.arrived[at], piece);
      bulk_load(memory.piece_of[at], from + count % 16 * (piece / 16), piece, memory.arrived[at]);
    }
    bytes[blockIdx.x] = std::int64_t(count) * piece;
    for (int last = max(0, count - pieces); last < count; ++last)
      wait(memory.arrived[last % pieces], unsigned(last / pieces) % 2);
  } else if (beside == loads) {
    int count = 0;
    for (; done == 0; ++count)
#pragma unroll
      for (int load = 0; load < 8; ++load) {
        float4 x;
        asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
                     : "r"(shared_address(&memory.piece_of[load / 4][load % 4 * 128 + threadIdx.x - 256])));
      }
    if (threadIdx.x == 256) bytes[blockIdx.x] = std::int64_t(count) * 8 * 128 * 16;
  }
}

template <int BN, Beside beside>
void measure(int blocks) {
  using course::Cuda, course::grow;
  static Cuda::Matrix<float4> from;
  static Cuda::Matrix<long long> counts;
  long long found[2] = {};
  const float4* const source = grow(from, 16 * piece / 16);
  long long* const count = grow(counts, 2 * blocks);
  for (int time = 0; time < 3; ++time) {  // the last counts
    course::check(cudaMemset(count, 0, 16 * std::size_t(blocks)));
    course::launch(multiply<BN, beside>, {blocks}, {with_producer, 1, sizeof(Memory<BN>)}, source, count,
                   count + blocks);
    Cuda::synchronize();
  }
  for (int what = 0; what < 2; ++what)
    course::check(cudaMemcpy(&found[what], count + what * blocks, sizeof found[what], cudaMemcpyDefault));
  const double cycles = double(found[0]), products = 2.0 * rounds * BK / 16;
  std::printf("%d,%s,%d,%.1f,%.1f,%.1f\n", BN, names[beside], blocks, cycles / products,
              products * (64 + BN) * 32 / cycles, double(found[1]) / cycles);
}

template <int BN>
void measure_all() {
  for (const int blocks : {1, course::Cuda::multiprocessors()})
    measure<BN, nothing>(blocks), measure<BN, copies>(blocks), measure<BN, loads>(blocks);
}

}  // namespace
}  // namespace cuda_hopper

int main() {
  if (const std::string missing = course::Cuda::missing(90, true); !missing.empty())
    return std::fprintf(stderr, "12_cuda_hopper_shared_memory: %s\n", missing.c_str()), 77;
  std::printf("n,beside,blocks,cycles_a_product,operand_bytes_a_cycle,other_bytes_a_cycle\n");
  cuda_hopper::measure_all<64>(), cuda_hopper::measure_all<128>();
  cuda_hopper::measure_all<192>(), cuda_hopper::measure_all<256>();
}
