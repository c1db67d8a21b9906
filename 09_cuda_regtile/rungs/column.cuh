// column_TM: a thread computes TM elements of a column of C instead of one.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --size 2048 --variant column_1,column_8
#pragma once

#include "elements.cuh"

namespace cuda_regtile {

// [column]
/// C += A·B, a tile of 32 × 32 a block of 32 × 32/TM threads, each of which makes TM elements of a column.
template <class T, int TM>
__global__ void column(View<const T> a, View<const T> b, View<T> c) {
  constexpr int tile = 32;
  __shared__ SharedTile<T, tile, tile> a_tile;
  __shared__ SharedTile<T, tile, tile> b_tile;
  const int x = int(threadIdx.x), y = int(threadIdx.y) * TM;
  const Index i = Index{blockIdx.y} * tile + y, j = Index{blockIdx.x} * tile + x;
  T sum[TM] = {};
  for (Index p = 0; p < a.cols(); p += tile) {
#pragma unroll 8
    for (int r = 0; r < TM; ++r) {
      a_tile[y + r][x] = element(a, i + r, p + x);
      b_tile[y + r][x] = element(b, p + y + r, j);
    }
    __syncthreads();
    // [multiply]
#pragma unroll 16 / sizeof(T)
    for (int q = 0; q < tile; ++q) {
      const T b_q = b_tile[q][x];  // one load for TM multiply-adds
#pragma unroll
      for (int r = 0; r < TM; ++r) sum[r] += a_tile[y + r][q] * b_q;
    }
    // [/multiply]
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < TM; ++r)
    if (i + r < c.rows() && j < c.cols()) c(i + r, j) += sum[r];
}
// [/column]

}  // namespace cuda_regtile
