// shared: as wmma, but fragments come from tiles in shared memory.
//   build/11_cuda_tensor/11_cuda_tensor --type bf16 --size 2048 --variant wmma,shared
#pragma once

#include "wmma.cuh"

namespace cuda_tensor {

/// As wmma, but a block brings tiles of A and B to shared memory, for BK of k a step, and a warp makes 4 × 2
/// fragments of C from them.
template <bool aligned>
__global__ __launch_bounds__(threads) void shared(View<const bf16> a, View<const bf16> b, View<float> c) {
  alignas(32) __shared__ SharedTile<bf16, BM, BK> a_tile;
  alignas(32) __shared__ SharedTile<bf16, BK, BN> b_tile;
  alignas(32) __shared__ SharedTile<float, 8, 256> scratch;
  const int warp = int(threadIdx.x) / 32, row = warp / 4 * WM, col = warp % 4 * WN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  WmmaC sum[WM / 16][WN / 16];
  for (auto& in_row : sum)
    for (WmmaC& fragment : in_row) wmma_fill(fragment, 0);
  for (Index p = 0; p < a.cols(); p += BK) {
    copy_tile<aligned, Plain>(a_tile, a, i0, p), copy_tile<aligned, Plain>(b_tile, b, p, j0);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < BK; q += 16) {
      WmmaA a_q[WM / 16];
      WmmaB b_q[WN / 16];
      for (int r = 0; r < WM / 16; ++r) wmma_load_a(a_q[r], a_tile[row + 16 * r] + q, BK);
      for (int s = 0; s < WN / 16; ++s) wmma_load_b(b_q[s], b_tile[q] + (col + 16 * s), BN);
      for (int r = 0; r < WM / 16; ++r)
        for (int s = 0; s < WN / 16; ++s) wmma_mma(sum[r][s], a_q[r], b_q[s]);
    }
    __syncthreads();
  }
  for (int r = 0; r < WM / 16; ++r)
    for (int s = 0; s < WN / 16; ++s)
      add_fragment(c, i0 + row + 16 * r, j0 + col + 16 * s, sum[r][s], &scratch[warp][0]);
}

}  // namespace cuda_tensor
