// Wrong on purpose: the verifier must refuse every one of them.
#pragma once

#include "gemm.cuh"

namespace cuda_global::wrong {

/// The bound stands round the sum, the store stands outside it (as a report on coalescing printed it).
template <class T>
__global__ void store_outside_guard(View<const T> a, View<const T> b, View<T> c) {
  const Index i = Index{blockIdx.y} * blockDim.y + threadIdx.y;
  const Index j = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  T sum = 0;
  if (i < c.rows() && j < c.cols()) {
    sum = c(i, j);
    for (Index p = 0; p < a.cols(); ++p) sum += a(i, p) * b(p, j);
  }
  c.data()[i * c.ld() + j] = sum;
}

/// Reads B by its row: multiplies by the transpose.
template <class T>
__global__ void b_by_row(View<const T> a, View<const T> b, View<T> c) {
  const Index i = Index{blockIdx.y} * blockDim.y + threadIdx.y;
  const Index j = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= c.rows() || j >= c.cols()) return;
  T sum = c(i, j);
  for (Index p = 0; p < a.cols(); ++p)
    sum += a(i, p) * b(j % b.rows(), p % b.cols());  // % only keeps it inside when B is not square
  c(i, j) = sum;
}

/// The number of blocks is rounded down: the last rows have none.
template <class T>
static void row_of_blocks_lost(Kernel<T> kernel, Block block, View<const T> a, View<const T> b, View<T> c) {
  course::launch(kernel, Grid{course::ceil_div(c.cols(), block.x), c.rows() / block.y}, block, a, b, c);
}

/// <<<block, grid>>>. As long as a block may have so many threads the product is right, by luck: every place
/// is the sum of the same two numbers. Grid and Block are types of their own, so it takes some doing.
template <class T>
static void swapped(Kernel<T> kernel, Block block, View<const T> a, View<const T> b, View<T> c) {
  const Index x = course::ceil_div(c.cols(), block.x), y = course::ceil_div(c.rows(), block.y);
  course::launch(kernel, Grid{block.x, block.y}, Block{x, y}, a, b, c);
}

}  // namespace cuda_global::wrong
