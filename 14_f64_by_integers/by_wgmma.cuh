// 14: products of planes by wgmma, from compute capability 9.0 on: 12's ping_pong, of integers of 8 bits.
// Blocks stay for all tiles of all products of a launch, product by product for some tiles beside each other,
// so that L2 holds what these share.
#pragma once

#include "12_cuda_hopper/pipeline.cuh"
#include "planes.cuh"
#include "rungs/marching.cuh"

namespace f64_by_integers {
namespace {

namespace hopper = cuda_hopper;
using hopper::OrderedBarrier, hopper::PipelineState;

/// A block's two groups of consumers have a tile of 128 × 192 each, 128 of k a step.
constexpr int wide = 192, depth = 5;
struct alignas(1024) Ring {
  struct {
    SharedTile<std::int8_t, hopper::BM, together> a;
    SharedTile<std::int8_t, wide, together> b;
  } stage[depth];
  Barrier full[depth], empty[depth];
  Barrier turn[2];  // of each group: the other one has begun all its products
};

/// The tiles of all products, in parts of 16 × 12 tiles.
struct Schedule {
  int down, across, products;
  struct At {
    int product, row, col;
  };
  __device__ int items() const { return down * across * products; }
  __device__ At at(int item) const {
    const int rows_before = item / (16 * across * products) * 16, high = min(16, down - rows_before);
    item -= rows_before * across * products;
    const int cols_before = item / (high * 12 * products) * 12, side = min(12, across - cols_before);
    item -= cols_before * high * products;
    const int in_product = item % (high * side);
    return {item / (high * side), rows_before + in_product % high, cols_before + in_product / high};
  }
};

/// Begins to copy the rows of a step of a plane, `high` of them.
__device__ inline void copy_rows(void* to, const CUtensorMap& map, const Planes& from, int plane, int i,
                                 int step, Barrier& full) {
  const bool panels = from.row == together;  // a map of rows of 128 bytes
  step %= from.steps;
  bulk_load(to, map, panels ? 0 : step * together,
            panels ? (plane * from.steps + step) * int(from.rows) + i : plane * int(from.rows) + i, 0, full);
}

template <class Out>
__global__ __launch_bounds__(hopper::with_producer, 1) void by_wgmma(const __grid_constant__ CUtensorMap a,
                                                                     const __grid_constant__ CUtensorMap b,
                                                                     const __grid_constant__ Products all,
                                                                     const __grid_constant__ Out out,
                                                                     Schedule schedule) {
  auto& ring = course::shared_memory<Ring>();
  const int group = __shfl_sync(~0u, int(threadIdx.x) / 128, 0), steps = all.steps(all.first);
  if (threadIdx.x == 0) init(ring.turn[0], 4), init(ring.turn[1], 4);
  hopper::prepare(ring.full, ring.empty, 4);
  wait_for_kernels_before<true>();
  if (!begin_products(all)) return;
  PipelineState<depth> state;
  const int first = int(blockIdx.x), apart = int(gridDim.x);
  if (group == 2) {
    registers_down<40>();
    unsigned marches = 0;
    for (int item = first; threadIdx.x == 256 && item < schedule.items(); item += apart) {
      const bool together_now =
          all.marches && item - first + apart <= schedule.items();  // each block has an item
      const auto [product, row, col] = schedule.at(item);
      const int t = all.first + product, i = row * hopper::BM, j = col * wide;
      hopper::produce(ring, state, steps, [&](auto& stage, int step, Barrier& full) {
        // [producer]
        if (together_now && step % steps_a_march == 0) march(all.marches, marches, gridDim.x);
        arrive_expect(full, int(sizeof stage));
        copy_rows(stage.a, a, all.a, all.plane_of_a(t, step), i, step, full);
        copy_rows(stage.b, b, all.b, all.plane_of_b(t, step), j, step, full);
        // [/producer]
      });
    }
  } else {
    registers_up<232>();
    OrderedBarrier<Barrier> order{ring.turn, group};
    state.skip(group * steps);
    for (int item = first + group * apart; item < schedule.items(); item += 2 * apart) {
      WideC<int> sum[2][wide / 8];
      hopper::consume_in_order<hopper::ClusterShape<1>>(
          ring, state, order, steps,
          [&](const auto& stage, int step) {
            wgmma_fence();
#pragma unroll
            for (int q = 0; q < together; q += 32)
#pragma unroll
              for (int half = 0; half < 2; ++half)
                wgmma<wide>(sum[half], describe(&stage.a[64 * half][q]), describe(&stage.b[0][q]),
                            step > 0 || q > 0);
            wgmma_commit(), wgmma_wait<1>();
          },
          [&] { wgmma_wait<0>(), fence_registers(sum[0]), fence_registers(sum[1]); });
      const auto [product, row, col] = schedule.at(item);
      store<64>(out, all.first + product, row * hopper::BM + int(threadIdx.x) / 32 % 4 * 16,
                Index{col} * wide, sum);
    }
  }
}

}  // namespace
}  // namespace f64_by_integers
