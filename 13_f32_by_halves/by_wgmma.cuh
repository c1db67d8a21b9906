// 13: f32 products by wgmma, from compute capability 9.0 on. Against 12's persistent: a stage has the tiles
// of all parts of A and B, which are loaded once for all products, and sums are short. Run:
// build/13_f32_by_halves/13_f32_by_halves --type f32 --size 4096
#pragma once

#include "12_cuda_hopper/walk.cuh"
#include "parts.cuh"

namespace f32_by_halves {

using namespace cuda_hopper;

/// Tiles of all parts of A and B for a step.
template <class S, int BN>
struct PartsStage {
  SharedTile<typename S::Half, BM, BK> a[S::parts];
  SharedTile<typename S::Half, BK, 64> b[BN / 64][S::parts];
};
template <class S, int BN, int depth, int buffers>
struct alignas(1024) PartsShared {
  PartsStage<S, BN> stage[depth];
  Boxes<buffers> boxes;
  Barrier full[depth], empty[depth];
};

// [consume_parts]
/// A warpgroup's sums of all products. A tensor core cuts off what it adds, and the longer the sum, the more:
/// each step's is taken over into one that f32 units add.
template <class S, int BN, class Shared, int depth>
__device__ void consume_parts(FragmentC (&sum)[BN / 8], Shared& shared, RingSlot<depth>& slot, int g,
                              int steps) {
  FragmentC recent[BN / 8] = {};
#pragma unroll
  for (FragmentC& each : sum) each = {};
  for (int step = 0; step < steps; ++step, ++slot) {
    wait(shared.full[slot.stage], slot.parity);
    auto& stage = shared.stage[slot.stage];
    wgmma_fence();
#pragma unroll
    for (int product = 0; product < S::products; ++product)
#pragma unroll
      for (int q = 0; q < BK; q += 16)
        ptx::wgmma<typename S::Half, BN>(
            recent, describe(&stage.a[S::a_part(product)][64 * g][q]),
            describe(&stage.b[0][S::b_part(product)][q][0], int(sizeof stage.b[0])), product > 0 || q > 0);
    wgmma_commit();
    wgmma_wait<0>();
    fence_registers(recent);
    if (threadIdx.x % 32 == 0) arrive(shared.empty[slot.stage]);
#pragma unroll
    for (int s = 0; s < BN / 8; ++s)
#pragma unroll
      for (int e = 0; e < 4; ++e) sum[s].of[e] += recent[s].of[e];
  }
}
// [/consume_parts]

/// Scales a warp's sums, from (i, j) of C on, back.
template <int BN>
__device__ void scale_back(FragmentC (&sum)[BN / 8], Index i, Index j, const int* a_scales,
                           const int* b_scales, Index m, Index n) {
  const int lane = int(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  const int upper = i + g < m ? a_scales[i + g] : 0, lower = i + g + 8 < m ? a_scales[i + g + 8] : 0;
#pragma unroll
  for (int s = 0; s < BN / 8; ++s)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const Index col = j + 8 * s + 2 * t + e % 2;
      const int scale = (e < 2 ? upper : lower) + (col < n ? b_scales[col] : 0);
      const float third = power_of_two(-scale / 3);  // ldexpf takes registers that are not there
      sum[s].of[e] = sum[s].of[e] * third * third * power_of_two(-scale - 2 * (-scale / 3));
    }
}

// [by_wgmma]
/// C += A·B of the parts that the pass before has split. Does nothing if that pass found one of `refused`;
/// says in `report` what it found. `by_tma`: C can be added to by TMA.
template <class S, int BN, int depth, int buffers>
__global__ __launch_bounds__(with_producer, 1) void by_wgmma(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
    const __grid_constant__ CUtensorMap c_map, View<float> c, bool by_tma, GroupedOrder order, int k,
    const int* a_scales, const int* b_scales, const unsigned* found, unsigned refused, unsigned* report) {
  auto& shared = shared_memory<PartsShared<S, BN, depth, buffers>>();
  const int warpgroup = int(threadIdx.x) / 128, warp = int(threadIdx.x) / 32, steps = (k + BK - 1) / BK;
  prepare(shared.full, shared.empty);
  const unsigned here = *found;
  if (blockIdx.x == 0 && threadIdx.x == 0) *report = here | reported;
  if ((here & refused) != 0) return;
  RingSlot<depth> slot;
  if (warpgroup == 2) {
    registers_down<40>();
    for (int tile = int(blockIdx.x); threadIdx.x == 256 && tile < order.tiles(); tile += int(gridDim.x)) {
      const auto [row, col] = order.at(tile);
      for (int step = 0; step < steps; ++step, ++slot) {
        auto& stage = shared.stage[slot.stage];
        auto& full = shared.full[slot.stage];
        wait(shared.empty[slot.stage], slot.parity ^ 1);
        arrive_expect(full, int(sizeof stage));
        bulk_load(stage.a, a, step * BK, row * BM, 0, full);
#pragma unroll
        for (int s = 0; s < BN / 64; ++s) bulk_load(stage.b[s], b, col * BN + 64 * s, step * BK, 0, full);
      }
    }
  } else {
    registers_up<232>();
    for (int tile = int(blockIdx.x); tile < order.tiles(); tile += int(gridDim.x)) {
      const auto [row, col] = order.at(tile);
      const Index i = row * BM + warp * 16, j = col * BN;
      FragmentC sum[BN / 8];
      consume_parts<S, BN>(sum, shared, slot, warpgroup, steps);
      if (S::scaled) scale_back<BN>(sum, i, j, a_scales, b_scales, c.rows(), c.cols());
      if (by_tma)
        add_by_tma<BN>(c_map, int(i), int(j), sum, shared.boxes);
      else
        add_warpgroup<BN>(c, i, j, sum);
    }
    if (threadIdx.x % 32 == 0) bulk_wait_read<0>();
  }
}
// [/by_wgmma]

}  // namespace f32_by_halves
