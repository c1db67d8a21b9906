// tma_add: as warp_specialised, but TMA adds the sums to C. persistent: … and as many blocks as there are
// multiprocessors stay for all tiles, row by row. ordered: … in grouped order. One kernel, three launches.
//   build/12_cuda_hopper/12_cuda_hopper --size 4096 --variant warp_specialised,tma_add,persistent,ordered
#pragma once

#include "../pipeline.cuh"

namespace cuda_hopper {

template <int BN, int depth, int buffers>
struct Shared {
  Ring<BN, depth> ring;
  Boxes<buffers> boxes;
};

/// As warp_specialised, but blocks walk C: the producer runs on into the next tile, and TMA adds the sums to
/// C.
template <int BN, int depth, int buffers>
__global__ __launch_bounds__(with_producer, 1) void persistent(const __grid_constant__ CUtensorMap a,
                                                               const __grid_constant__ CUtensorMap b,
                                                               const __grid_constant__ CUtensorMap c,
                                                               TileScheduler scheduler, int k) {
  auto& [ring, boxes] = shared_memory<Shared<BN, depth, buffers>>();
  const int warpgroup = int(threadIdx.x) / 128, warp = int(threadIdx.x) / 32, steps = (k + BK - 1) / BK;
  prepare(ring.full, ring.empty);
  PipelineState<depth> state;
  // [who]
  if (warpgroup == 2) {
    registers_down<40>();
    for (int tile = int(blockIdx.x); threadIdx.x == 256 && tile < scheduler.tiles(); tile += int(gridDim.x)) {
      const auto [row, col] = scheduler.at(tile);
      produce(ring, state, steps,
              [&, i0 = row * BM, j0 = col * BN](Stage<BN>& stage, int step, Barrier& full) {
                begin_copies(stage, a, b, i0, j0, step * BK, full);
              });
    }
  } else {
    registers_up<232>();
    for (int tile = int(blockIdx.x); tile < scheduler.tiles(); tile += int(gridDim.x)) {
      const auto [row, col] = scheduler.at(tile);
      const int i = row * BM + warp * 16, j = col * BN;
      FragmentC sum[BN / 8];
      clear(sum);
      consume(sum, ring, state, warpgroup, steps);
      add_by_tma<BN>(c, i, j, sum, boxes);
    }
    if (threadIdx.x % 32 == 0) bulk_wait_read<0>();
  }
  // [/who]
}

}  // namespace cuda_hopper
