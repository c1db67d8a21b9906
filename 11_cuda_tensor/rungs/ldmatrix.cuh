// ldmatrix: as mma, but one instruction loads a fragment; swizzled: the same from swizzled tiles.
//   build/11_cuda_tensor/11_cuda_tensor --type bf16 --size 2048 --variant mma,ldmatrix,swizzled
#pragma once

#include "elements.cuh"

namespace cuda_tensor {

/// A warp's sums += its rows of A's tile times its columns of B's.
template <class Layout, int cols_a, int step, int cols_b>
__device__ void multiply_tiles(Sums& sum, SharedTile<bf16, BM, cols_a>& a_tile,
                               SharedTile<bf16, step, cols_b>& b_tile, int row, int col) {
  // [multiply]
#pragma unroll
  for (int q = 0; q < step; q += 16) {
    FragmentB b_q[WN / 8];
    take_b<Layout>(b_q, b_tile, q, col);
#pragma unroll
    for (int r = 0; r < WM / 16; ++r) {
      const FragmentA a_q = take_a<Layout>(a_tile, row + 16 * r, q);
#pragma unroll
      for (int s = 0; s < WN / 8; ++s) mma_sync<bf16>(sum[r][s], a_q, b_q[s]);
    }
  }
  // [/multiply]
}

/// As mma, but ldmatrix loads the fragments, from tiles of this layout (Read: another on purpose is wrong).
template <bool aligned, class Layout, class Read = Layout>
__global__ __launch_bounds__(threads) void ldmatrix(View<const bf16> a, View<const bf16> b, View<float> c) {
  alignas(32) __shared__ SharedTile<bf16, BM, BK> a_tile;
  alignas(32) __shared__ SharedTile<bf16, BK, BN> b_tile;
  const int warp = int(threadIdx.x) / 32, row = warp / 4 * WM, col = warp % 4 * WN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  Sums sum = {};
  for (Index p = 0; p < a.cols(); p += BK) {
    copy_tile<aligned, Layout>(a_tile, a, i0, p), copy_tile<aligned, Layout>(b_tile, b, p, j0);
    __syncthreads();
    multiply_tiles<Read>(sum, a_tile, b_tile, row, col);
    __syncthreads();
  }
  add_fragments(c, i0 + row, j0 + col, sum);
}

}  // namespace cuda_tensor
