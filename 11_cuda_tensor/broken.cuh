// Wrong on purpose: the verifier must refuse every one of them.
#pragma once

#include "gemm.cuh"

namespace cuda_tensor::wrong {

/// wmma, whose lanes do not wait for each other at an edge: some read what others have not written yet.
__global__ void no_syncwarp(View<const bf16> a, View<const bf16> b, View<float> c) {
  alignas(32) __shared__ SharedTile<bf16, 2, 256> edge;
  alignas(32) __shared__ SharedTile<float, 1, 256> scratch;
  const int lane = int(threadIdx.x);
  const Index i0 = Index{blockIdx.y} * 16, j0 = Index{blockIdx.x} * 16;
  WmmaC sum;
  wmma_fill(sum, 0);
  for (Index p = 0; p < a.cols(); p += 16) {
    WmmaA a_p;
    WmmaB b_p;
    for (int e = lane; e < 256; e += 32) {
      const Index i = i0 + e / 16, j = j0 + e % 16, q = p + e % 16, r = p + e / 16;
      edge[0][e] = i < a.rows() && q < a.cols() ? a(i, q) : bf16(0.f);
      edge[1][e] = r < b.rows() && j < b.cols() ? b(r, j) : bf16(0.f);
    }
    wmma_load_a(a_p, &edge[0][0], 16), wmma_load_b(b_p, &edge[1][0], 16);
    wmma_mma(sum, a_p, b_p);
  }
  add_fragment(c, i0, j0, sum, &scratch[0][0]);
}

/// mma, whose lanes take the rows of B for its columns.
__global__ void wrong_lane(View<const bf16> a, View<const bf16> b, View<float> c) {
  alignas(32) __shared__ SharedTile<bf16, BM, BK> a_tile;
  alignas(32) __shared__ SharedTile<bf16, BK, BN> b_tile;
  const int warp = int(threadIdx.x) / 32, row = warp / 4 * WM, col = warp % 4 * WN;
  const int lane = int(threadIdx.x) % 32;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  Sums sum = {};
  for (Index p = 0; p < a.cols(); p += BK) {
    copy_tile<false, Plain>(a_tile, a, i0, p), copy_tile<false, Plain>(b_tile, b, p, j0);
    __syncthreads();
    for (int q = 0; q < BK; q += 16)
      for (int s = 0; s < WN / 8; ++s) {
        FragmentB b_q;
        for (int r = 0; r < 2; ++r) {
          const auto at = &b_tile[q + lane / 4 + 8 * r][col + 8 * s + lane % 4 * 2];
          b_q.of[r] = pack(at[0], at[1]);
        }
        for (int r = 0; r < WM / 16; ++r) mma_sync<bf16>(sum[r][s], fragment_a(a_tile, row + 16 * r, q), b_q);
      }
    __syncthreads();
  }
  add_fragments(c, i0 + row, j0 + col, sum);
}

}  // namespace cuda_tensor::wrong
