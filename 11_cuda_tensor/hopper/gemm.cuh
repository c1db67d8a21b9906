// 11: the rungs for compute capability 9.0: C += A·B, A (m × k) and B (k × n) in BF16, C (m × n) in f32.
// Against stages: TMA copies the tiles (tma), a warpgroup multiplies them in shared memory (wgmma), warps are
// producer or consumers (warp_specialised), and blocks stay for all tiles (persistent). Run:
// build/11_cuda_tensor/11_cuda_tensor --type bf16 --size 4096
#pragma once

#include "../gemm.cuh"
#include "ptx.cuh"
#include "turns.hpp"

namespace cuda_tensor::hopper {

constexpr int BK = 64;                                 // columns of A a step: 128 bytes, a swizzled row
constexpr int with_producer = 128 * 3, consumers = 8;  // threads of a block; warps that read a stage

// [stage]
// [ring]
/// Tiles of A and B for a step. B's lies in boxes of 64 columns: TMA swizzles rows of 128 bytes.
template <int BN>
struct Stage {
  SharedTile<bf16, BM, BK> a;
  SharedTile<bf16, BK, 64> b[BN / 64];
};
/// The ring of stages: `full` when a stage's tiles are there, `empty` when nobody reads them any more.
template <int BN, int depth>
struct alignas(1024) Ring {
  Stage<BN> stage[depth];
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
// [/stage]

/// Dynamic shared memory: more than 48 KiB. The one memory of all kernels.
template <class T>
__device__ T& shared_memory() {
  extern __shared__ __align__(1024) unsigned char course_shared[];
  return reinterpret_cast<T&>(course_shared);
}

/// Thread 0, at the start: barriers that can be used once all have met.
template <int depth>
__device__ void init_ring(Barrier (&full)[depth], Barrier (&empty)[depth], int readers) {
  for (int s = 0; s < depth; ++s) init(full[s], 1), init(empty[s], readers);
}
/// All threads, at the start: from here on barriers can be used, and what earlier kernels wrote can be read.
template <int depth>
__device__ void prepare(Barrier (&full)[depth], Barrier (&empty)[depth]) {
  if (threadIdx.x == 0) init_ring(full, empty, consumers), fence_init();
  __syncthreads();
  wait_for_kernels_before();
}

/// The layout of TMA's boxes: rows of 128 bytes, swizzled.
struct ByTma {
  static constexpr int place(int row, int chunk, int /*chunks*/) { return chunk ^ row % 8; }
};

// [tma]
/// As stages, but one thread begins a whole step's copies, of three boxes; they arrive swizzled.
template <int depth>
__global__ __launch_bounds__(threads) void tma(const __grid_constant__ CUtensorMap a,
                                               const __grid_constant__ CUtensorMap b, View<float> c, int k) {
  auto& ring = shared_memory<Ring<BN, depth>>();
  const int warp = int(threadIdx.x) / 32, row = warp / 4 * WM, col = warp % 4 * WN;
  const int i0 = int(blockIdx.y) * BM, j0 = int(blockIdx.x) * BN, steps = (k + BK - 1) / BK;
  prepare(ring.full, ring.empty);
  // [tma_steps]
  const auto start = [&](int step) {
    if (threadIdx.x == 0 && step < steps)
      begin(ring.stage[step % depth], a, b, i0, j0, step * BK, ring.full[step % depth]);
  };
  for (int step = 0; step < depth - 1; ++step) start(step);
  Sums sum = {};
  for (int step = 0; step < steps; ++step) {
    wait(ring.full[step % depth], step / depth % 2);
    __syncthreads();  // nobody reads the tiles of the step before any more
    start(step + depth - 1);
    auto& stage = ring.stage[step % depth];
#pragma unroll
    for (int q = 0; q < BK; q += 16) {
      FragmentB b_q[WN / 8];
      take_b<ByTma>(b_q, stage.b[col / 64], q, col % 64);
#pragma unroll
      for (int r = 0; r < WM / 16; ++r) {
        const FragmentA a_q = take_a<ByTma>(stage.a, row + 16 * r, q);
#pragma unroll
        for (int s = 0; s < WN / 8; ++s) mma_sync<bf16>(sum[r][s], a_q, b_q[s]);
      }
    }
  }
  // [/tma_steps]
  add_fragments(c, i0 + row, j0 + col, sum);
}
// [/tma]

// [multiply]
/// Begins the products of a stage by the four warps that make rows 64 g to 64 g + 63 of the tile.
template <int BN>
__device__ void multiply(FragmentC (&sum)[BN / 8], const Stage<BN>& stage, int g) {
  wgmma_fence();
#pragma unroll
  for (int q = 0; q < BK; q += 16)
    wgmma<bf16, BN>(sum, describe(&stage.a[64 * g][q]), describe(&stage.b[0][q][0], int(sizeof stage.b[0])),
                    true);
  wgmma_commit();
}
/// C += a warpgroup's sums, element by element.
template <int BN>
__device__ void add_warpgroup(View<float> c, Index i0, Index j0, const FragmentC (&sum)[BN / 8]) {
#pragma unroll
  for (int s = 0; s < BN / 8; ++s) add_fragment(c, i0, j0 + 8 * s, sum[s]);
}
// [/multiply]

// [wgmma]
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
      begin(ring.stage[step % depth], a, b, i0, j0, step * BK, ring.full[step % depth]);
  };
  for (int step = 0; step < depth - 1; ++step) start(step);
  // [wgmma_steps]
  FragmentC sum[BN / 8] = {};
  for (int step = 0; step < steps; ++step) {
    wait(ring.full[step % depth], step / depth % 2);
    multiply(sum, ring.stage[step % depth], warpgroup);
    wgmma_wait<1>();  // of this thread the products of the step before are done …
    __syncthreads();  // … and of all
    start(step + depth - 1);
  }
  wgmma_wait<0>();
  fence_registers(sum);
  add_warpgroup<BN>(c, i0 + 16 * warp, j0, sum);
  // [/wgmma_steps]
}
// [/wgmma]

// [warp_specialised]
// [consume]
/// A warpgroup of consumers: multiplies stages as they become full.
template <int BN, int depth>
__device__ void consume(FragmentC (&sum)[BN / 8], Ring<BN, depth>& ring, RingSlot<depth>& slot, int g,
                        int steps) {
  const bool first_lane = threadIdx.x % 32 == 0;
  int before = 0;
  for (int step = 0; step < steps; ++step, ++slot) {
    wait(ring.full[slot.stage], slot.parity);
    multiply(sum, ring.stage[slot.stage], g);
    wgmma_wait<1>();
    if (step > 0 && first_lane) arrive(ring.empty[before]);  // the products of the step before are done
    before = slot.stage;
  }
  wgmma_wait<0>();
  fence_registers(sum);
  if (first_lane) arrive(ring.empty[before]);
}

// [/consume]
/// As wgmma, but nobody waits for everybody: a producer fills stages, two warpgroups of consumers empty them.
template <int BN, int depth>
__global__ __launch_bounds__(with_producer, 1) void warp_specialised(const __grid_constant__ CUtensorMap a,
                                                                     const __grid_constant__ CUtensorMap b,
                                                                     View<float> c, int k) {
  auto& ring = shared_memory<Ring<BN, depth>>();
  const int warpgroup = int(threadIdx.x) / 128, steps = (k + BK - 1) / BK;
  const int i0 = int(blockIdx.y) * BM, j0 = int(blockIdx.x) * BN;
  prepare(ring.full, ring.empty);
  RingSlot<depth> slot;
  // [who]
  if (warpgroup == 2) {
    registers_down<40>();
    if (threadIdx.x == 256)
      produce(ring, slot, steps, [&](Stage<BN>& stage, int step, Barrier& full) {
        begin(stage, a, b, i0, j0, step * BK, full);
      });
  } else {
    registers_up<232>();
    FragmentC sum[BN / 8] = {};
    consume(sum, ring, slot, warpgroup, steps);
    add_warpgroup<BN>(c, i0 + int(threadIdx.x) / 32 * 16, j0, sum);
  }
  // [/who]
}
// [/warp_specialised]

// [order]
/// Tiles of C in grouped order, in which those that are made at the same time share rows and columns: groups
/// of `group_rows` rows of tiles, each group column by column.
struct GroupedOrder {
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
// [/order]

// [add_by_tma]
/// Where each warp of consumers puts boxes of 16 × 32 sums, swizzled as TMA reads them.
template <int buffers>
struct alignas(1024) Boxes {
  SharedTile<float, 16, 32> of_warp[consumers][buffers];
};
/// C += a warp's 16 rows of sums from (i, j) on, 32 columns at a time: TMA has them added in L2. With a box
/// for each 32 nobody waits.
template <int BN, int buffers>
__device__ void add_by_tma(const CUtensorMap& c, int i, int j, const FragmentC (&sum)[BN / 8],
                           Boxes<buffers>& boxes) {
  const int lane = int(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int s = 0; s < BN / 32; ++s) {
    auto& box = boxes.of_warp[threadIdx.x / 32][s % buffers];
    if (buffers < BN / 32) {
      if (lane == 0) bulk_wait_read<buffers - 1>();
      __syncwarp();  // what was in the box has gone
    }
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const FragmentC& part = sum[4 * s + e];
      const int at = ((2 * e + t / 2) ^ g) * 4 + t % 2 * 2;
      reinterpret_cast<float2&>(box[g][at]) = {part.of[0], part.of[1]};
      reinterpret_cast<float2&>(box[g + 8][at]) = {part.of[2], part.of[3]};
    }
    fence_async();
    __syncwarp();  // all lanes have written
    if (lane == 0) bulk_add(c, j + 32 * s, i, 0, box), bulk_commit();
  }
}
// [/add_by_tma]

// [persistent]
template <int BN, int depth, int buffers>
struct Shared {
  Ring<BN, depth> ring;
  Boxes<buffers> boxes;
};

/// As warp_specialised, but as many blocks as there are multiprocessors walk C: the producer runs on into the
/// next tile, and TMA adds the sums to C.
template <int BN, int depth, int buffers>
__global__ __launch_bounds__(with_producer, 1) void persistent(const __grid_constant__ CUtensorMap a,
                                                               const __grid_constant__ CUtensorMap b,
                                                               const __grid_constant__ CUtensorMap c,
                                                               GroupedOrder order, int k) {
  auto& [ring, boxes] = shared_memory<Shared<BN, depth, buffers>>();
  const int warpgroup = int(threadIdx.x) / 128, warp = int(threadIdx.x) / 32, steps = (k + BK - 1) / BK;
  prepare(ring.full, ring.empty);
  RingSlot<depth> slot;
  // [walk]
  if (warpgroup == 2) {
    registers_down<40>();
    for (int tile = int(blockIdx.x); threadIdx.x == 256 && tile < order.tiles(); tile += int(gridDim.x)) {
      const auto [row, col] = order.at(tile);
      produce(ring, slot, steps,
              [&, i0 = row * BM, j0 = col * BN](Stage<BN>& stage, int step, Barrier& full) {
                begin(stage, a, b, i0, j0, step * BK, full);
              });
    }
  } else {
    registers_up<232>();
    for (int tile = int(blockIdx.x); tile < order.tiles(); tile += int(gridDim.x)) {
      const auto [row, col] = order.at(tile);
      const int i = row * BM + warp * 16, j = col * BN;
      FragmentC sum[BN / 8] = {};
      consume(sum, ring, slot, warpgroup, steps);
      add_by_tma<BN>(c, i, j, sum, boxes);
    }
    if (threadIdx.x % 32 == 0) bulk_wait_read<0>();
  }
  // [/walk]
}
// [/persistent]

}  // namespace cuda_tensor::hopper
