// Kernels of the exercises in README.md; tests/exercises_test.cpp runs them.
#pragma once

#include "gemm.cuh"

namespace cuda_shared::exercises {

/// shared, with the tile of B turned round: b_tile[x][q] is B(p + q, j); `pad` unused elements end each row.
template <class T, int tile, int pad>
__global__ void turned(View<const T> a, View<const T> b, View<T> c) {
  __shared__ SharedTile<T, tile, tile> a_tile;
  // [padded]
  __shared__ SharedTile<T, tile, tile + pad> b_tile;
  // [/padded]
  const int x = int(threadIdx.x), y = int(threadIdx.y);
  const Index i = Index{blockIdx.y} * tile + y, j = Index{blockIdx.x} * tile + x;
  const bool inside = i < c.rows() && j < c.cols();
  T sum = inside ? c(i, j) : T(0);
  for (Index p = 0; p < a.cols(); p += tile) {
    // [turned]
    a_tile[y][x] = i < a.rows() && p + x < a.cols() ? a(i, p + x) : T(0);
    b_tile[x][y] = p + y < b.rows() && j < b.cols() ? b(p + y, j) : T(0);
    __syncthreads();
    for (int q = 0; q < tile; ++q) sum += a_tile[y][q] * b_tile[x][q];
    __syncthreads();
    // [/turned]
  }
  if (inside) c(i, j) = sum;
}

/// A bug to find.
template <class T, int tile>
__global__ void guarded(View<const T> a, View<const T> b, View<T> c) {
  __shared__ SharedTile<T, tile, tile> a_tile;
  __shared__ SharedTile<T, tile, tile> b_tile;
  const int x = int(threadIdx.x), y = int(threadIdx.y);
  const Index i = Index{blockIdx.y} * tile + y, j = Index{blockIdx.x} * tile + x;
  // [guarded]
  if (i < c.rows() && j < c.cols()) {
    T sum = c(i, j);
    for (Index p = 0; p < a.cols(); p += tile) {
      a_tile[y][x] = p + x < a.cols() ? a(i, p + x) : T(0);
      b_tile[y][x] = p + y < b.rows() ? b(p + y, j) : T(0);
      __syncthreads();
      for (int q = 0; q < tile; ++q) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();
    }
    c(i, j) = sum;
  }
  // [/guarded]
}

// [two_rows]
/// C += A·B, started with blocks of tile × tile/2 threads, each of which makes two elements of C.
template <class T, int tile>
__global__ void two_rows(View<const T> a, View<const T> b, View<T> c) {
  __shared__ SharedTile<T, tile, tile> a_tile;
  __shared__ SharedTile<T, tile, tile> b_tile;
  constexpr int half = tile / 2;
  const int x = int(threadIdx.x), y = int(threadIdx.y);
  const Index i = Index{blockIdx.y} * tile + y, j = Index{blockIdx.x} * tile + x;
  const auto element = [](View<const T> from, Index row, Index col) {
    return row < from.rows() && col < from.cols() ? from(row, col) : T(0);
  };
  T upper = element(c, i, j), lower = element(c, i + half, j);
  for (Index p = 0; p < a.cols(); p += tile) {
    a_tile[y][x] = element(a, i, p + x), a_tile[y + half][x] = element(a, i + half, p + x);
    b_tile[y][x] = element(b, p + y, j), b_tile[y + half][x] = element(b, p + y + half, j);
    __syncthreads();
    for (int q = 0; q < tile; ++q) {
      const T b_q = b_tile[q][x];  // one load, two multiply-adds
      upper += a_tile[y][q] * b_q;
      lower += a_tile[y + half][q] * b_q;
    }
    __syncthreads();
  }
  if (i < c.rows() && j < c.cols()) c(i, j) = upper;
  if (i + half < c.rows() && j < c.cols()) c(i + half, j) = lower;
}
// [/two_rows]

}  // namespace cuda_shared::exercises
