// cluster: as ping_pong, but two blocks, whose tiles lie below each other, form a cluster: each copies half
// of B's tile, for both.
//   build/12_cuda_hopper/12_cuda_hopper --size 3000 --variant ping_pong,cluster
#pragma once

#include "ping_pong.cuh"

namespace cuda_hopper {

// [pair]
struct Pair : Alone {
  static constexpr int blocks = 2;
  __device__ static int rank() { return cluster_rank(); }
  __device__ static void meet() { sync_cluster(); }
  __device__ static void part() { sync_cluster(); }  // no block leaves while the other signals it
  /// A stage of both blocks is written by both, so that both must know when it is empty.
  __device__ static void release(Barrier& barrier) {
    if (threadIdx.x % 32 < 2) arrive_at(barrier, int(threadIdx.x) % 32);
  }
  /// b: boxes of half the rows. All bytes of the stage are expected, whoever sends them.
  template <int BN>
  __device__ static void start(Stage<BN>& stage, const CUtensorMap& a, const CUtensorMap& b, int i0, int j0,
                               int p, Barrier& full) {
    const int half = BK / 2 * rank();
    arrive_expect(full, int(sizeof(Stage<BN>)));
    bulk_load(stage.a, a, p, i0, 0, full);
#pragma unroll
    for (int s = 0; s < BN / 64; ++s)
      bulk_load_for_both(&stage.b[s][half][0], b, j0 + 64 * s, p + half, 0, full);
  }
};
// [/pair]

}  // namespace cuda_hopper
