// tf32: as persistent, in f32 whose factors are rounded to TF32. wgmma takes such a B by columns only, and
// TMA does not transpose: a pass before does.
//   build/12_cuda_hopper/12_cuda_hopper --type tf32 --size 4096
#pragma once

#include "../walk.cuh"

namespace cuda_hopper {

using course::tf32;

// [transposed]
constexpr int side = 64, transposing = 256;  // of the part that a block transposes; its threads

/// to = B, rounded, transposed.
__global__ __launch_bounds__(transposing) void transposed(View<const tf32> b, View<float> to) {
  __shared__ SharedTile<float, side, side + 1> tile;  // one longer: a column lies in all banks
  const int x = int(threadIdx.x) % side, y = int(threadIdx.x) / side;
  const Index p0 = Index{blockIdx.x} * side, j0 = Index{blockIdx.y} * side;
#pragma unroll
  for (int q = y; q < side; q += transposing / side)
    if (p0 + q < b.rows() && j0 + x < b.cols()) tile[q][x] = float(b(p0 + q, j0 + x));
  __syncthreads();
#pragma unroll
  for (int j = y; j < side; j += transposing / side)
    if (j0 + j < b.cols() && p0 + x < b.rows()) to(j0 + j, p0 + x) = tile[x][j];
}
// [/transposed]

// [tf32_ring]
constexpr int tf32_BK = 32;  // 128 bytes
/// B's tile has its columns as rows.
template <int BN, int depth, int buffers>
struct alignas(1024) Tf32Shared {
  struct {
    SharedTile<float, BM, tf32_BK> a;
    SharedTile<float, BN, tf32_BK> b;
  } stage[depth];
  Boxes<buffers> boxes;
  Barrier full[depth], empty[depth];
};
// [/tf32_ring]

// [tf32]
template <int BN, int depth, int buffers>
__global__ __launch_bounds__(with_producer, 1) void tf32_persistent(const __grid_constant__ CUtensorMap a,
                                                                    const __grid_constant__ CUtensorMap b,
                                                                    const __grid_constant__ CUtensorMap c,
                                                                    GroupedOrder order, int k) {
  auto& shared = shared_memory<Tf32Shared<BN, depth, buffers>>();
  const int warpgroup = int(threadIdx.x) / 128, warp = int(threadIdx.x) / 32;
  const int steps = (k + tf32_BK - 1) / tf32_BK;
  prepare(shared.full, shared.empty);
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
        bulk_load(stage.a, a, step * tf32_BK, row * BM, 0, full);
        bulk_load(stage.b, b, step * tf32_BK, col * BN, 0, full);
      }
    }
  } else {
    registers_up<232>();
    for (int tile = int(blockIdx.x); tile < order.tiles(); tile += int(gridDim.x)) {
      const auto [row, col] = order.at(tile);
      FragmentC sum[BN / 8];
      const bool first_lane = threadIdx.x % 32 == 0;
      int before = 0;
      for (int step = 0; step < steps; ++step, ++slot) {
        auto& stage = shared.stage[slot.stage];
        wait(shared.full[slot.stage], slot.parity);
        wgmma_fence();
#pragma unroll
        for (int q = 0; q < tf32_BK; q += 8)
          ptx::wgmma<float, BN>(sum, describe(&stage.a[64 * warpgroup][q]), describe(&stage.b[0][q]),
                                step > 0 || q > 0);
        wgmma_commit();
        wgmma_wait<1>();
        if (step > 0 && first_lane) arrive(shared.empty[before]);
        before = slot.stage;
      }
      wgmma_wait<0>();
      if (first_lane) arrive(shared.empty[before]);
      fence_registers(sum);
      add_by_tma<BN>(c, row * BM + warp * 16, col * BN, sum, shared.boxes);
    }
    if (threadIdx.x % 32 == 0) bulk_wait_read<0>();
  }
}
// [/tf32]

}  // namespace cuda_hopper
