// What the rungs share, also with 13: the ring of stages, who fills it and who empties it; the order of C's
// tiles, and adding sums to them by TMA. Names are CUTLASS's, where it has the thing.
#pragma once

#include "gpu/ptx_hopper.cuh"
#include "gpu/tiles.cuh"
#include "pipeline.hpp"

namespace cuda_hopper {

namespace ptx = course::ptx;
using namespace ptx;
using course::add_row, course::bf16, course::Index, course::shared_memory, course::SharedTile, course::View;

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
__device__ void begin_copies(Stage<BN>& stage, const CUtensorMap& a, const CUtensorMap& b, int i0, int j0,
                             int p, Barrier& full) {
  arrive_expect(full, int(sizeof(Stage<BN>)));
  bulk_load(stage.a, a, p, i0, 0, full);
#pragma unroll
  for (int s = 0; s < BN / 64; ++s) bulk_load(stage.b[s], b, j0 + 64 * s, p, 0, full);
}
// [/boxes]

/// The cooperation of blocks: `blocks` of them, whose tiles lie below each other, form a cluster.
template <int blocks>
struct ClusterShape;
/// Blocks that work alone.
template <>
struct ClusterShape<1> {
  static constexpr int blocks = 1;
  /// Row and column, in tiles, of this block's tile.
  template <class Scheduler>
  __device__ static auto at(const Scheduler& scheduler, int tile) {
    return scheduler.at(tile);
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
    begin_copies(stage, a, b, i0, j0, p, full);
  }
};
/// Two blocks fill the stages of both, so that both must know when one is empty.
template <>
struct ClusterShape<2> : ClusterShape<1> {
  static constexpr int blocks = 2;
  /// Rows of tiles are in twos, one for each block.
  template <class Scheduler>
  __device__ static auto at(const Scheduler& scheduler, int tile) {
    const auto [row, col] = scheduler.at(tile);
    return typename Scheduler::At{2 * row + cluster_rank(), col};
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

/// All threads, at the start: from here on barriers can be used, and what earlier kernels wrote can be read.
/// `readers`: warps that read a stage; `writers`: threads that fill it.
template <class Cluster = ClusterShape<1>, int depth>
__device__ void prepare(Barrier (&full)[depth], Barrier (&empty)[depth], int readers = consumers,
                        int writers = 1) {
  if (threadIdx.x == 0) {
    for (int s = 0; s < depth; ++s) init(full[s], writers), init(empty[s], readers * Cluster::blocks);
    fence_init();
  }
  Cluster::meet();
  wait_for_kernels_before();
}

// [begin_products]
/// Begins the products of a stage by the four warps that make rows 64 g to 64 g + 63 of the tile.
template <int BN>
__device__ void begin_products(FragmentC (&sum)[BN / 8], const Stage<BN>& stage, int g) {
  wgmma_fence();
#pragma unroll
  for (int q = 0; q < BK; q += 16)
    ptx::wgmma<bf16, BN>(sum, describe(&stage.a[64 * g][q]),
                         describe(&stage.b[0][q][0], int(sizeof stage.b[0])), true);
  wgmma_commit();
}
// [/begin_products]
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
__device__ void consume(FragmentC (&sum)[BN / 8], Ring<BN, depth>& ring, PipelineState<depth>& state, int g,
                        int steps) {
  int before = 0;
  for (int step = 0; step < steps; ++step, ++state) {
    wait(ring.full[state.stage], state.parity);
    begin_products(sum, ring.stage[state.stage], g);
    wgmma_wait<1>();
    if (step > 0) ClusterShape<1>::release(ring.empty[before]);  // the products of the step before are done
    before = state.stage;
  }
  wgmma_wait<0>();
  fence_registers(sum);
  ClusterShape<1>::release(ring.empty[before]);
}
// [/consume]

/// Tiles of C in grouped order, in which those that are made at the same time share rows and columns: groups
/// of `group_rows` rows of tiles, each group column by column.
struct TileScheduler {
  int down, across, group_rows;
  __device__ int tiles() const { return down * across; }
  struct At {
    int row, col;
  };
  __device__ At at(int tile) const {
    const int group = tile / (group_rows * across), in_group = tile % (group_rows * across);
    const int rows = min(group_rows, down - group * group_rows);
    return {group * group_rows + in_group % rows, in_group / rows};
  }
};
/// The tiles of each of several parts of k, one part after the other. The sums of a part go to a matrix of
/// its own, all below each other; those of a single part are added to C.
struct SplitScheduler : TileScheduler {
  View<float> to;
  int parts, steps;  // of a part; what lies beyond k is zero
  __device__ int tiles() const { return down * across * parts; }
  __device__ At at(int tile) const { return TileScheduler::at(tile % (down * across)); }
  __device__ int first_step(int tile) const { return tile / (down * across) * steps; }
  __device__ View<float> c_of(int tile) const {
    const Index rows = to.rows() / parts;
    return {&to(tile / (down * across) * rows, 0), rows, to.cols(), to.ld()};
  }
};

/// Where each warp of consumers puts boxes of 16 × 32 sums, swizzled as TMA reads them.
template <int buffers>
struct alignas(1024) Boxes {
  SharedTile<float, 16, 32> of_warp[consumers][buffers];
};
/// A warp's sums from column 32 s of its 16 rows on go into a box, swizzled as TMA reads it.
template <int fragments>
__device__ void write_box(SharedTile<float, 16, 32>& box, const FragmentC (&sum)[fragments], int s) {
  const int lane = int(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const FragmentC& part = sum[4 * s + e];
    const int at = ((2 * e + t / 2) ^ g) * 4 + t % 2 * 2;
    reinterpret_cast<float2&>(box[g][at]) = {part.of[0], part.of[1]};
    reinterpret_cast<float2&>(box[g + 8][at]) = {part.of[2], part.of[3]};
  }
}
/// C += a warp's 16 rows of sums from (i, j) on, 32 columns at a time: TMA has them added in L2. Boxes
/// that are `reused` may have to be waited for.
template <int BN, bool reused = true, int buffers>
__device__ void add_by_tma(const CUtensorMap& c, int i, int j, const FragmentC (&sum)[BN / 8],
                           Boxes<buffers>& boxes) {
  const int lane = int(threadIdx.x) % 32;
#pragma unroll
  // [add_by_tma]
  for (int s = 0; s < BN / 32; ++s) {
    auto& box = boxes.of_warp[threadIdx.x / 32][s % buffers];
    if (reused) {
      if (lane == 0) bulk_wait_read<buffers - 1>();
      __syncwarp();  // what was in the box has gone
    }
    write_box(box, sum, s);
    fence_async();
    __syncwarp();  // all lanes have written
    if (lane == 0) bulk_add(c, j + 32 * s, i, 0, box), bulk_commit();
  }
  // [/add_by_tma]
}
// [add_by_rows]
/// The same where TMA cannot write: each element by one addition in L2, too, or, unless `add`, by a store; 32
/// columns of a row at a time, by way of this warp's box.
template <int BN>
__device__ void add_by_rows(View<float> c, int i, int j, const FragmentC (&sum)[BN / 8],
                            SharedTile<float, 16, 32>& box, bool add) {
  const int lane = int(threadIdx.x) % 32;
#pragma unroll
  for (int s = 0; s < BN / 32; ++s) {
    __syncwarp();  // all lanes have read the box
    write_box(box, sum, s);
    __syncwarp();
    const int col = j + 32 * s + lane;
    float* to = &c(i, col);
#pragma unroll
    for (int r = 0; r < 16; ++r, to += c.ld()) {
      const float x = box[r][lane ^ r % 8 * 4];
      if (i + r < c.rows() && col < c.cols()) add ? (void)atomicAdd(to, x) : (void)(*to = x);
    }
  }
}
// [/add_by_rows]

}  // namespace cuda_hopper
