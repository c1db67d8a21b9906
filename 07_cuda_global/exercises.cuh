// Kernels of the exercises in README.md; tests/exercises_test.cpp runs them.
#pragma once

#include "gemm.cuh"

namespace cuda_global::exercises {

// [grid_stride]
/// C += A·B, by a grid of any size: a thread goes on to where the next grid would begin.
template <class T>
__global__ void grid_stride(View<const T> a, View<const T> b, View<T> c) {
  const Index down = Index{gridDim.y} * blockDim.y, across = Index{gridDim.x} * blockDim.x;
  for (Index i = Index{blockIdx.y} * blockDim.y + threadIdx.y; i < c.rows(); i += down)
    for (Index j = Index{blockIdx.x} * blockDim.x + threadIdx.x; j < c.cols(); j += across) {
      T sum = c(i, j);
      const int k = int(a.cols());
#pragma unroll 8
      for (int p = 0; p < k; ++p) sum += a(i, p) * b(p, j);
      c(i, j) = sum;
    }
}
// [/grid_stride]

// [bug]
template <class T>
static void right_for_squares(View<const T> a, View<const T> b, View<T> c) {
  columns_along_x<T>(uncoalesced<T>, {8, 8}, a, b, c);
}
// [/bug]

}  // namespace cuda_global::exercises
