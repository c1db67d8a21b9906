// cluster: as ping_pong, but two blocks, whose tiles lie below each other, form a cluster: each copies half
// of B's tile, for both.
//   build/12_cuda_hopper/12_cuda_hopper --size 3000 --variant ping_pong,cluster
#pragma once

#include "ping_pong.cuh"

namespace cuda_hopper {

/// Two blocks that fill the stages of both, so that both must know when one is empty.
struct Pair : Alone {
  static constexpr int blocks = 2;
  /// Rows of tiles are in twos, one for each block.
  template <class Order>
  __device__ static auto at(const Order& order, int tile) {
    const auto [row, col] = order.at(tile);
    return typename Order::At{2 * row + cluster_rank(), col};
  }
  __device__ static void meet() { sync_cluster(); }
  __device__ static void part() { sync_cluster(); }  // no block leaves while the other signals it
  // [pair]
  __device__ static void release(Barrier& empty) {
    if (threadIdx.x % 32 < 2) arrive_at(empty, int(threadIdx.x) % 32);
  }
  /// Boxes of B have half the rows. All bytes of the stage are expected, whoever sends them.
  template <int BN>
  __device__ static void start(Stage<BN>& stage, const CUtensorMap& a, const CUtensorMap& b, int i0, int j0,
                               int p, Barrier& full) {
    const int half = BK / 2 * cluster_rank();
    arrive_expect(full, int(sizeof(Stage<BN>)));
    bulk_load(stage.a, a, p, i0, 0, full);
#pragma unroll
    for (int s = 0; s < BN / 64; ++s)
      bulk_load_for_both(&stage.b[s][half][0], b, j0 + 64 * s, p + half, 0, full);
  }
  // [/pair]
};

}  // namespace cuda_hopper
