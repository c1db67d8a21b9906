// ping_pong: as ordered, but the two warpgroups of consumers have a tile of C each, all 128 rows of it, and
// multiply in turns: one adds its sums to C while the other multiplies. cluster: … and two blocks, whose
// tiles lie below each other, form a cluster: each copies half of B's tile, for both. One kernel, two
// launches. By SplitScheduler it serves every_shape.
//   build/12_cuda_hopper/12_cuda_hopper --size 3000,4096 --variant ordered,ping_pong,cluster
#pragma once

#include "../pipeline.cuh"

namespace cuda_hopper {

template <int BN, int depth, class T>
struct OrderedRing : Ring<BN, depth, T> {
  Barrier turn[2];  // of each group: the other one has begun all its products
};
template <int BN, int depth, class T = bf16>
struct PingPongShared {
  OrderedRing<BN, depth, T> ring;
  Boxes<1> boxes;
};

/// Begins the products of a stage by the four warps that make all 128 rows of a tile.
template <int BN>
__device__ void begin_products(FragmentC (&sum)[2][BN / 8], const Stage<BN>& stage) {
  wgmma_fence();
#pragma unroll
  for (int q = 0; q < BK; q += 16)
#pragma unroll
    for (int g = 0; g < 2; ++g)
      ptx::wgmma<bf16, BN>(sum[g], describe(&stage.a[64 * g][q]),
                           describe(&stage.b[0][q][0], int(sizeof stage.b[0])), true);
  wgmma_commit();
}

template <class Cluster, int BN, int depth, class T = bf16, class Scheduler = TileScheduler>
__global__ __launch_bounds__(with_producer, 1) void ping_pong(const __grid_constant__ CUtensorMap a,
                                                              const __grid_constant__ CUtensorMap b,
                                                              const __grid_constant__ CUtensorMap c,
                                                              Scheduler scheduler, int k) {
  auto& [ring, boxes] = shared_memory<PingPongShared<BN, depth, T>>();
  constexpr int BK = 128 / int(sizeof(T));
  constexpr bool splits = std::is_same_v<Scheduler, SplitScheduler>;
  const int group = __shfl_sync(~0u, int(threadIdx.x) / 128, 0);
  int steps = (k + BK - 1) / BK;
  if constexpr (splits) steps = scheduler.steps;
  const int first = int(blockIdx.x) / Cluster::blocks, apart = int(gridDim.x) / Cluster::blocks;
  if (threadIdx.x == 0) init(ring.turn[0], 4), init(ring.turn[1], 4);
  prepare<Cluster>(ring.full, ring.empty, 4);
  PipelineState<depth> state;
  if (group == 2) {
    registers_down<40>();
    for (int tile = first; threadIdx.x == 256 && tile < scheduler.tiles(); tile += apart) {
      const auto [row, col] = Cluster::at(scheduler, tile);
      int p0 = 0;
      if constexpr (splits) p0 = scheduler.first_step(tile) * BK;
      produce(ring, state, steps,
              [&, i0 = row * BM, j0 = col * BN](Stage<BN, T>& stage, int step, Barrier& full) {
                Cluster::start(stage, a, b, i0, j0, p0 + step * BK, full);
              });
    }
  } else {
    registers_up<232>();
    const int warp = int(threadIdx.x) / 32 % 4;
    // [group]
    OrderedBarrier<Barrier> order{ring.turn, group};
    state.skip(group * steps);
    for (int tile = first + group * apart; tile < scheduler.tiles(); tile += 2 * apart) {
      FragmentC sum[2][BN / 8];
      clear(sum[0]), clear(sum[1]);
      consume_in_order<Cluster>(
          ring, state, order, steps,
          [&](const Stage<BN, T>& stage, int) { begin_products(sum, stage), wgmma_wait<1>(); },
          [&] { wgmma_wait<0>(), fence_registers(sum[0]), fence_registers(sum[1]); });
      const auto [row, col] = Cluster::at(scheduler, tile);
      const int i = row * BM + 16 * warp, j = col * BN;
      // [/group]
      if constexpr (splits) {
#pragma unroll
        for (int g = 0; g < 2; ++g)
          add_by_rows<BN>(scheduler.c_of(tile), i + 64 * g, j, sum[g], boxes.of_warp[threadIdx.x / 32][0],
                          scheduler.parts == 1);
      } else if (tile + apart >= scheduler.tiles() && steps >= depth) {
        // The block's last tile: its steps were the last in every stage, so the ring is free for boxes.
        sync_named<128>(1 + group);  // the warpgroup
        auto* const many = reinterpret_cast<Boxes<BN / 32>*>(&ring);
        static_assert(2 * sizeof *many <= sizeof ring);
#pragma unroll
        for (int g = 0; g < 2; ++g) add_by_tma<BN, false>(c, i + 64 * g, j, sum[g], many[g]);
      } else {
#pragma unroll
        for (int g = 0; g < 2; ++g) add_by_tma<BN>(c, i + 64 * g, j, sum[g], boxes);
      }
    }
    if (threadIdx.x % 32 == 0) bulk_wait_read<0>();
  }
  Cluster::part();
}

}  // namespace cuda_hopper
