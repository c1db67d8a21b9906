// How blocks walk C, also those of 13: the order of its tiles, and adding sums to them by TMA.
#pragma once

#include "ring.cuh"

namespace cuda_hopper {

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
}
// [/add_by_tma]

}  // namespace cuda_hopper
