// mma: as shared, but the kernel puts fragments together itself, for mma.sync.
//   build/11_cuda_tensor/11_cuda_tensor --type bf16 --size 2048 --variant shared,mma
#pragma once

#include "elements.cuh"

namespace cuda_tensor {

// [fragments]
/// Two elements in one register, the first in its lower half.
__device__ inline std::uint32_t pack(bf16 first, bf16 second) {
  return first.bits | std::uint32_t(second.bits) << 16;
}

// [fragment_a]
/// A's fragment from row i and column q on: lane 4g + t holds columns 2t, 2t + 1, then these + 8, of rows g
/// and g + 8.
template <class Tile>
__device__ FragmentA fragment_a(Tile& tile, int i, int q) {
  const int lane = int(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  FragmentA a;
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const auto at = &tile[i + g + r % 2 * 8][q + 2 * t + r / 2 * 8];
    a.of[r] = pack(at[0], at[1]);
  }
  return a;
}
// [/fragment_a]
/// B's from row q and column j on: lane 4g + t holds rows 2t, 2t + 1, then these + 8, of column g.
template <class Tile>
__device__ FragmentB fragment_b(Tile& tile, int q, int j) {
  const int lane = int(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  FragmentB b;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int row = q + 2 * t + r * 8;
    b.of[r] = pack(tile[row][j + g], tile[row + 1][j + g]);
  }
  return b;
}
// [/fragments]

/// As shared, but by mma.sync, whose fragments the kernel itself puts together.
template <bool aligned>
__global__ __launch_bounds__(threads) void mma(View<const bf16> a, View<const bf16> b, View<float> c) {
  alignas(32) __shared__ SharedTile<bf16, BM, BK> a_tile;
  alignas(32) __shared__ SharedTile<bf16, BK, BN> b_tile;
  const int warp = int(threadIdx.x) / 32, row = warp / 4 * WM, col = warp % 4 * WN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  Sums sum = {};
  // [mma]
  for (Index p = 0; p < a.cols(); p += BK) {
    copy_tile<aligned, Plain>(a_tile, a, i0, p), copy_tile<aligned, Plain>(b_tile, b, p, j0);
    __syncthreads();
    // [multiply]
#pragma unroll
    for (int q = 0; q < BK; q += 16) {
      FragmentA a_q[WM / 16];
      FragmentB b_q[WN / 8];
#pragma unroll
      for (int r = 0; r < WM / 16; ++r) a_q[r] = fragment_a(a_tile, row + 16 * r, q);
#pragma unroll
      for (int s = 0; s < WN / 8; ++s) b_q[s] = fragment_b(b_tile, q, col + 8 * s);
#pragma unroll
      for (int r = 0; r < WM / 16; ++r)
#pragma unroll
        for (int s = 0; s < WN / 8; ++s) mma_sync<bf16>(sum[r][s], a_q[r], b_q[s]);
    }
    // [/multiply]
    __syncthreads();
  }
  add_fragments(c, i0 + row, j0 + col, sum);
  // [/mma]
}

}  // namespace cuda_tensor
