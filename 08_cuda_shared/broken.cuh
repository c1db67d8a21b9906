// Wrong on purpose: the verifier must refuse every one of them.
#pragma once

#include "gemm.cuh"

namespace cuda_shared::wrong {

/// shared, less one of its barriers.
template <class T, int tile, bool first, bool second>
__global__ void barriers(View<const T> a, View<const T> b, View<T> c) {
  __shared__ SharedTile<T, tile, tile> a_tile;
  __shared__ SharedTile<T, tile, tile> b_tile;
  const int x = int(threadIdx.x), y = int(threadIdx.y);
  const Index i = Index{blockIdx.y} * tile + y, j = Index{blockIdx.x} * tile + x;
  const bool inside = i < c.rows() && j < c.cols();
  T sum = inside ? c(i, j) : T(0);
  for (Index p = 0; p < a.cols(); p += tile) {
    a_tile[y][x] = i < a.rows() && p + x < a.cols() ? a(i, p + x) : T(0);
    b_tile[y][x] = p + y < b.rows() && j < b.cols() ? b(p + y, j) : T(0);
    if (first) __syncthreads();
    for (int q = 0; q < tile; ++q) sum += a_tile[y][q] * b_tile[q][x];
    if (second) __syncthreads();
  }
  if (inside) c(i, j) = sum;
}

/// A kernel without bounds: right only where all sides are multiples of the tile.
template <class T, int tile>
__global__ void no_guard(View<const T> a, View<const T> b, View<T> c) {
  __shared__ SharedTile<T, tile, tile> a_tile;
  __shared__ SharedTile<T, tile, tile> b_tile;
  const int x = int(threadIdx.x), y = int(threadIdx.y);
  const Index i = Index{blockIdx.y} * tile + y, j = Index{blockIdx.x} * tile + x;
  T sum = c.data()[i * c.ld() + j];
  for (Index p = 0; p < a.cols(); p += tile) {
    a_tile[y][x] = a.data()[i * a.ld() + p + x];
    b_tile[y][x] = b.data()[(p + y) * b.ld() + j];
    __syncthreads();
    for (int q = 0; q < tile; ++q) sum += a_tile[y][q] * b_tile[q][x];
    __syncthreads();
  }
  c.data()[i * c.ld() + j] = sum;
}

}  // namespace cuda_shared::wrong
