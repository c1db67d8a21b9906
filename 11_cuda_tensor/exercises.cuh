// Kernels of the exercises in FEEDING.md; tests/exercises_test.cpp runs them.
#pragma once

#include "gemm.cuh"

namespace cuda_tensor::exercises {

/// A bug to find: stages, for aligned rows.
__global__ void groups(View<const bf16> a, View<const bf16> b, View<float> c) {
  constexpr int depth = 3;
  alignas(32) __shared__ SharedTile<bf16, BM, BK> a_tile[depth];
  alignas(32) __shared__ SharedTile<bf16, BK, BN> b_tile[depth];
  const int warp = int(threadIdx.x) / 32, row = warp / 4 * WM, col = warp % 4 * WN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  const int steps = int(course::ceil_div(a.cols(), BK));
  // [groups]
  const auto begin = [&](int step) {
    if (step >= steps) return;  // nothing to copy
    begin_tile<true, Swizzled>(a_tile[step % depth], a, i0, Index{step} * BK);
    begin_tile<true, Swizzled>(b_tile[step % depth], b, Index{step} * BK, j0);
    cp_async_commit();
  };
  // [/groups]
  for (int step = 0; step < depth - 1; ++step) begin(step);
  Sums sum = {};
  for (int step = 0; step < steps; ++step) {
    cp_async_wait<depth - 2>();
    __syncthreads();
    begin(step + depth - 1);
    multiply_tiles<Swizzled>(sum, a_tile[step % depth], b_tile[step % depth], row, col);
  }
  add_fragments(c, i0 + row, j0 + col, sum);
}

// [copy_padded]
/// Copies a tile of `cols` columns to one whose rows are longer.
template <int cols, class Tile>
__device__ void copy_padded(Tile& tile, int rows, View<const bf16> from, Index i0, Index j0) {
  for (int e = int(threadIdx.x); e < rows * cols / 8; e += threads) {
    const int row = e / (cols / 8), col = e % (cols / 8) * 8;
    reinterpret_cast<Chunk<bf16>&>(tile[row][col]) = course::load_chunk<false>(from, i0 + row, j0 + col);
  }
}
// [/copy_padded]

/// ldmatrix, from tiles in plain order whose rows are 16 bytes longer.
__global__ void padded(View<const bf16> a, View<const bf16> b, View<float> c) {
  alignas(32) __shared__ SharedTile<bf16, BM, BK + 8> a_tile;
  alignas(32) __shared__ SharedTile<bf16, BK, BN + 8> b_tile;
  const int warp = int(threadIdx.x) / 32, row = warp / 4 * WM, col = warp % 4 * WN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  Sums sum = {};
  for (Index p = 0; p < a.cols(); p += BK) {
    copy_padded<BK>(a_tile, BM, a, i0, p), copy_padded<BN>(b_tile, BK, b, p, j0);
    __syncthreads();
    multiply_tiles<Plain>(sum, a_tile, b_tile, row, col);
    __syncthreads();
  }
  add_fragments(c, i0 + row, j0 + col, sum);
}

}  // namespace cuda_tensor::exercises
