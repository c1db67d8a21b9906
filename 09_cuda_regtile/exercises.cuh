// Kernels of the exercises in README.md and WAIT_LESS.md; tests/exercises_test.cpp runs them.
#pragma once

#include "rungs/elements.cuh"

namespace cuda_regtile::exercises {

// [row]
/// C += A·B, a tile of 32 × 32 a block of 32/TN × 32 threads, each of which makes TN elements of a row,
/// 32/TN columns apart.
template <class T, int TN>
__global__ void row(View<const T> a, View<const T> b, View<T> c) {
  constexpr int tile = 32, apart = tile / TN;
  __shared__ SharedTile<T, tile, tile> a_tile;
  __shared__ SharedTile<T, tile, tile> b_tile;
  const int x = int(threadIdx.x), y = int(threadIdx.y);
  const Index i = Index{blockIdx.y} * tile + y, j = Index{blockIdx.x} * tile + x;
  T sum[TN] = {};
  for (Index p = 0; p < a.cols(); p += tile) {
    for (int s = 0; s < TN; ++s) {
      a_tile[y][x + s * apart] = element(a, i, p + x + s * apart);
      b_tile[y][x + s * apart] = element(b, p + y, j + s * apart);
    }
    __syncthreads();
    for (int q = 0; q < tile; ++q) {
      const T a_q = a_tile[y][q];  // one load for TN multiply-adds
      for (int s = 0; s < TN; ++s) sum[s] += a_q * b_tile[q][x + s * apart];
    }
    __syncthreads();
  }
  for (int s = 0; s < TN; ++s)
    if (i < c.rows() && j + s * apart < c.cols()) c(i, j + s * apart) += sum[s];
}
// [/row]

/// C += A·B by two pairs of tiles of 8 × 8 in turns; `late`: the barrier stands where it should.
template <class T, bool late>
__global__ void two_pairs(View<const T> a, View<const T> b, View<T> c) {
  constexpr int tile = 8;
  __shared__ SharedTile<T, tile, tile> a_tile[2];
  __shared__ SharedTile<T, tile, tile> b_tile[2];
  const int x = int(threadIdx.x), y = int(threadIdx.y);
  const Index i = Index{blockIdx.y} * tile + y, j = Index{blockIdx.x} * tile + x;
  T sum = 0, next_a = element(a, i, x), next_b = element(b, y, j);
  a_tile[0][y][x] = next_a, b_tile[0][y][x] = next_b;
  __syncthreads();
  // [early_barrier]
  int stage = 0;
  for (Index p = 0; p < a.cols(); p += tile, stage ^= 1) {
    next_a = element(a, i, p + tile + x), next_b = element(b, p + tile + y, j);
    for (int q = 0; q < tile; ++q) sum += a_tile[stage][y][q] * b_tile[stage][q][x];
    if (!late) __syncthreads();
    a_tile[stage ^ 1][y][x] = next_a, b_tile[stage ^ 1][y][x] = next_b;
    if (late) __syncthreads();
  }
  // [/early_barrier]
  if (i < c.rows() && j < c.cols()) c(i, j) += sum;
}

}  // namespace cuda_regtile::exercises
