// 07: C += A·B by a thread for each element of C. Against 01: no loops over i and j, for the grid has a
// thread for each. Against uncoalesced, coalesced has its neighbouring threads along the rows of C. Run:
// build/07_cuda_global/07_cuda_global --emulate forward --size 200 --variant uncoalesced,coalesced
#pragma once

#include "common/view.hpp"
#include "gpu/launch.hpp"

namespace cuda_global {

using course::Block, course::Grid, course::Index, course::View;

// [uncoalesced]
/// C += A·B. Neighbouring threads have neighbouring rows: of A they read a column, in C they write one.
template <class T>
__global__ void uncoalesced(View<const T> a, View<const T> b, View<T> c) {
  const Index i = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  const Index j = Index{blockIdx.y} * blockDim.y + threadIdx.y;
  if (i >= c.rows() || j >= c.cols()) return;  // the last blocks reach beyond C
  T sum = c(i, j);
  const int k = int(a.cols());  // 32 bits: to count in 64 takes two instructions
#pragma unroll 8
  for (int p = 0; p < k; ++p) sum += a(i, p) * b(p, j);
  c(i, j) = sum;
}
// [/uncoalesced]

// [coalesced]
/// C += A·B. Neighbouring threads have neighbouring columns: of B they read a row, in C they write one.
template <class T>
__global__ void coalesced(View<const T> a, View<const T> b, View<T> c) {
  const Index i = Index{blockIdx.y} * blockDim.y + threadIdx.y;
  const Index j = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= c.rows() || j >= c.cols()) return;
  T sum = c(i, j);
  const int k = int(a.cols());
#pragma unroll 8
  for (int p = 0; p < k; ++p) sum += a(i, p) * b(p, j);
  c(i, j) = sum;
}
// [/coalesced]

template <class T>
using Kernel = void (*)(View<const T> a, View<const T> b, View<T> c);

/// Starts `kernel` with a thread for each element, x along the rows of C, and as many blocks as cover C. Rows
/// beyond CUDA's limit of blocks in y have another launch.
template <class T>
static void rows_along_x(Kernel<T> kernel, Block block, View<const T> a, View<const T> b, View<T> c) {
  const Index most = course::most_blocks_in_y * block.y;
  for (Index j = 0; j < c.cols(); j += most) {
    const Index n = c.cols() - j < most ? c.cols() - j : most;
    const Grid grid{course::ceil_div(c.rows(), block.x), course::ceil_div(n, block.y)};
    course::launch(kernel, grid, block, a, b.block(0, j, b.rows(), n), c.block(0, j, c.rows(), n));
  }
}

// [launch]
/// The same, but x counts the columns of C.
template <class T>
static void columns_along_x(Kernel<T> kernel, Block block, View<const T> a, View<const T> b, View<T> c) {
  const Index most = course::most_blocks_in_y * block.y;
  for (Index i = 0; i < c.rows(); i += most) {
    const Index m = c.rows() - i < most ? c.rows() - i : most;
    const Grid grid{course::ceil_div(c.cols(), block.x), course::ceil_div(m, block.y)};
    course::launch(kernel, grid, block, a.block(i, 0, m, a.cols()), b, c.block(i, 0, m, c.cols()));
  }
}
// [/launch]

}  // namespace cuda_global
