// warp_specialised: as wgmma, but some warps copy, the others multiply.
//   build/12_cuda_hopper/12_cuda_hopper --size 4096 --variant wgmma,warp_specialised
#pragma once

#include "../pipeline.cuh"

namespace cuda_hopper {

/// As wgmma, but nobody waits for everybody: a producer fills stages, two warpgroups of consumers empty them.
template <int BN, int depth>
__global__ __launch_bounds__(with_producer, 1) void warp_specialised(const __grid_constant__ CUtensorMap a,
                                                                     const __grid_constant__ CUtensorMap b,
                                                                     View<float> c, int k) {
  auto& ring = shared_memory<Ring<BN, depth>>();
  const int warpgroup = int(threadIdx.x) / 128, steps = (k + BK - 1) / BK;
  const int i0 = int(blockIdx.y) * BM, j0 = int(blockIdx.x) * BN;
  prepare(ring.full, ring.empty);
  PipelineState<depth> state;
  // [who]
  if (warpgroup == 2) {
    registers_down<40>();
    if (threadIdx.x == 256)
      produce(ring, state, steps, [&](Stage<BN>& stage, int step, Barrier& full) {
        begin_copies(stage, a, b, i0, j0, step * BK, full);
      });
  } else {
    registers_up<232>();
    FragmentC sum[BN / 8];
    clear(sum);
    consume(sum, ring, state, warpgroup, steps);
    add_warpgroup<BN>(c, i0 + int(threadIdx.x) / 32 * 16, j0, sum);
  }
  // [/who]
}

}  // namespace cuda_hopper
