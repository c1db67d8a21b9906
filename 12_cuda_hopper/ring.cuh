// What the rungs share, also with 13: the ring of stages, its barriers, who fills it and who empties it.
#pragma once

#include "gpu/ptx_hopper.cuh"
#include "gpu/tiles.cuh"
#include "turns.hpp"

namespace cuda_hopper {

namespace ptx = course::ptx;
using namespace ptx;
using course::bf16, course::Index, course::shared_memory, course::SharedTile, course::View;
using cuda_tensor::add_row;

constexpr int BM = 128, BK = 64;  // rows of a tile of C; columns of A a step: 128 bytes, a swizzled row
constexpr int with_producer = 128 * 3, consumers = 8;  // threads of a block; warps that read a stage

// [ring]
/// Tiles of A and B for a step. B's lies in boxes of 64 columns: TMA swizzles rows of 128 bytes.
template <int BN, class T = bf16>
struct Stage {
  SharedTile<T, BM, BK> a;
  SharedTile<T, BK, 64> b[BN / 64];
};
/// The ring of stages: `full` when a stage's tiles are there, `empty` when nobody reads them any more.
template <int BN, int depth, class T = bf16>
struct alignas(1024) Ring {
  Stage<BN, T> stage[depth];
  Barrier full[depth], empty[depth];
};
// [/ring]

// [boxes]
/// Begins to copy the tiles of the step from column (of A) and row (of B) p on. One thread.
template <int BN>
__device__ void begin(Stage<BN>& stage, const CUtensorMap& a, const CUtensorMap& b, int i0, int j0, int p,
                      Barrier& full) {
  arrive_expect(full, int(sizeof(Stage<BN>)));
  bulk_load(stage.a, a, p, i0, 0, full);
#pragma unroll
  for (int s = 0; s < BN / 64; ++s) bulk_load(stage.b[s], b, j0 + 64 * s, p, 0, full);
}
// [/boxes]

/// How blocks work together: each alone. (cluster has pairs.)
struct Alone {
  static constexpr int blocks = 1;
  /// Row and column, in tiles, of this block's tile.
  template <class Order>
  __device__ static auto at(const Order& order, int tile) {
    return order.at(tile);
  }
  __device__ static void meet() { __syncthreads(); }
  __device__ static void part() {}
  /// A warp arrives: at a barrier of its own block; at `empty`, of all that fill the stage.
  __device__ static void pass(Barrier& barrier) {
    if (threadIdx.x % 32 == 0) arrive(barrier);
  }
  __device__ static void release(Barrier& empty) { pass(empty); }
  template <class Stage>
  __device__ static void start(Stage& stage, const CUtensorMap& a, const CUtensorMap& b, int i0, int j0,
                               int p, Barrier& full) {
    begin(stage, a, b, i0, j0, p, full);
  }
};

/// All threads, at the start: from here on barriers can be used, and what earlier kernels wrote can be read.
/// `readers`: warps that read a stage.
template <class Team = Alone, int depth>
__device__ void prepare(Barrier (&full)[depth], Barrier (&empty)[depth], int readers = consumers) {
  if (threadIdx.x == 0) {
    for (int s = 0; s < depth; ++s) init(full[s], 1), init(empty[s], readers * Team::blocks);
    fence_init();
  }
  Team::meet();
  wait_for_kernels_before();
}

// [multiply]
/// Begins the products of a stage by the four warps that make rows 64 g to 64 g + 63 of the tile.
template <int BN>
__device__ void multiply(FragmentC (&sum)[BN / 8], const Stage<BN>& stage, int g) {
  wgmma_fence();
#pragma unroll
  for (int q = 0; q < BK; q += 16)
    ptx::wgmma<bf16, BN>(sum, describe(&stage.a[64 * g][q]),
                         describe(&stage.b[0][q][0], int(sizeof stage.b[0])), true);
  wgmma_commit();
}
// [/multiply]
/// C += a warpgroup's sums, element by element.
template <int BN>
__device__ void add_warpgroup(View<float> c, Index i0, Index j0, const FragmentC (&sum)[BN / 8]) {
#pragma unroll
  for (int s = 0; s < BN / 8; s += 8)
    add_row(c, i0, j0 + 8 * s, reinterpret_cast<const FragmentC(&)[8]>(sum[s]));
}

// [consume]
/// A warpgroup of consumers: multiplies stages as they become full.
template <int BN, int depth>
__device__ void consume(FragmentC (&sum)[BN / 8], Ring<BN, depth>& ring, RingSlot<depth>& slot, int g,
                        int steps) {
  int before = 0;
  for (int step = 0; step < steps; ++step, ++slot) {
    wait(ring.full[slot.stage], slot.parity);
    multiply(sum, ring.stage[slot.stage], g);
    wgmma_wait<1>();
    if (step > 0) Alone::release(ring.empty[before]);  // the products of the step before are done
    before = slot.stage;
  }
  wgmma_wait<0>();
  fence_registers(sum);
  Alone::release(ring.empty[before]);
}
// [/consume]

}  // namespace cuda_hopper
