// tma: against 11's stages, one thread begins a step's copies, and TMA makes them.
//   build/12_cuda_hopper/12_cuda_hopper --size 4096 --variant tma
#pragma once

#include "../pipeline.cuh"

namespace cuda_hopper {

using course::add_fragments, course::Swizzled, course::take_a, course::take_b;

/// As in stages: a block makes BM × BN elements of C by 8 warps of 64 × 32.
constexpr int BN = 128, WM = 64, WN = 32, threads = 256;

/// As stages, but one thread begins a whole step's copies, of three boxes; they arrive swizzled.
template <int depth>
__global__ __launch_bounds__(threads) void tma(const __grid_constant__ CUtensorMap a,
                                               const __grid_constant__ CUtensorMap b, View<float> c, int k) {
  auto& ring = shared_memory<Ring<BN, depth>>();
  const int warp = int(threadIdx.x) / 32, row = warp / 4 * WM, col = warp % 4 * WN;
  const int i0 = int(blockIdx.y) * BM, j0 = int(blockIdx.x) * BN, steps = (k + BK - 1) / BK;
  prepare(ring.full, ring.empty);
  // [tma_steps]
  const auto start = [&](int step) {
    if (threadIdx.x == 0 && step < steps)
      begin_copies(ring.stage[step % depth], a, b, i0, j0, step * BK, ring.full[step % depth]);
  };
  for (int step = 0; step < depth - 1; ++step) start(step);
  FragmentC sum[WM / 16][WN / 8] = {};
  for (int step = 0; step < steps; ++step) {
    wait(ring.full[step % depth], step / depth % 2);
    __syncthreads();  // all have read the tiles of the step before: TMA may overwrite them
    start(step + depth - 1);
    // [/tma_steps]
    auto& stage = ring.stage[step % depth];
#pragma unroll
    for (int q = 0; q < BK; q += 16) {
      FragmentB b_q[WN / 8];
      take_b<Swizzled>(b_q, stage.b[col / 64], q, col % 64);
#pragma unroll
      for (int r = 0; r < WM / 16; ++r) {
        const FragmentA a_q = take_a<Swizzled>(stage.a, row + 16 * r, q);
#pragma unroll
        for (int s = 0; s < WN / 8; ++s) mma_sync<bf16>(sum[r][s], a_q, b_q[s]);
      }
    }
  }
  add_fragments(c, i0 + row, j0 + col, sum);
}

}  // namespace cuda_hopper
