// wgmma: as tma, but four warps together multiply the tiles where they lie.
//   build/12_cuda_hopper/12_cuda_hopper --size 4096 --variant tma,wgmma
#pragma once

#include "../pipeline.cuh"

namespace cuda_hopper {

/// As tma, but a warpgroup, four warps together, multiplies 64 rows of A's tile by B's, from shared memory; a
/// block has two.
template <int BN, int depth>
__global__ __launch_bounds__(256, 1) void wgmma(const __grid_constant__ CUtensorMap a,
                                                const __grid_constant__ CUtensorMap b, View<float> c, int k) {
  auto& ring = shared_memory<Ring<BN, depth>>();
  const int warpgroup = int(threadIdx.x) / 128, warp = int(threadIdx.x) / 32;
  const int i0 = int(blockIdx.y) * BM, j0 = int(blockIdx.x) * BN, steps = (k + BK - 1) / BK;
  prepare(ring.full, ring.empty);
  const auto start = [&](int step) {
    if (threadIdx.x == 0 && step < steps)
      begin_copies(ring.stage[step % depth], a, b, i0, j0, step * BK, ring.full[step % depth]);
  };
  for (int step = 0; step < depth - 1; ++step) start(step);
  // [wgmma_steps]
  FragmentC sum[BN / 8];
  clear(sum);
  for (int step = 0; step < steps; ++step) {
    wait(ring.full[step % depth], step / depth % 2);
    begin_products(sum, ring.stage[step % depth], warpgroup);
    wgmma_wait<1>();  // of this thread the products of the step before are done …
    __syncthreads();  // … and of all
    start(step + depth - 1);
  }
  wgmma_wait<0>();
  fence_registers(sum);
  add_warpgroup<BN>(c, i0 + 16 * warp, j0, sum);
  // [/wgmma_steps]
}

}  // namespace cuda_hopper
