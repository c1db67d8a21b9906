// vectorised: as transposed, but 16 bytes a load and a store, where rows are aligned.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --size 2048 --variant transposed,vectorised
#pragma once

#include "elements.cuh"

namespace cuda_regtile {

/// C += A·B by loads and stores of 16 bytes, where rows are `aligned`.
template <class T, bool aligned>
__global__ __launch_bounds__(threads, at_once<T>) void vectorised(View<const T> a, View<const T> b,
                                                                  View<T> c) {
  // [body]
  constexpr int W = width<T>;
  alignas(16) __shared__ SharedTile<T, BK, BM> a_tile;
  alignas(16) __shared__ SharedTile<T, BK, BN> b_tile;
  const int thread = int(threadIdx.x), row = thread / (BN / TN) * TM, col = thread % (BN / TN) * TN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  T sum[TM][TN] = {};
  for (Index p = 0; p < a.cols(); p += BK) {
    // [bring]
#pragma unroll
    for (int v = thread; v < BM * BK / W; v += threads) {
      const int i = v / (BK / W), q = v % (BK / W) * W;
      const Vector<T> vector = load<aligned>(a, i0 + i, p + q);
#pragma unroll
      for (int e = 0; e < W; ++e) a_tile[q + e][i] = vector.element[e];
    }
#pragma unroll
    for (int v = thread; v < BK * BN / W; v += threads) {
      const int q = v / (BN / W), j = v % (BN / W) * W;
      in_tile<T>(b_tile[q], j) = load<aligned>(b, p + q, j0 + j);
    }
    // [/bring]
    __syncthreads();
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      T a_q[TM], b_q[TN];
      take(a_q, a_tile[q], row);
      take(b_q, b_tile[q], col);
      multiply_add(sum, a_q, b_q);
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < TM; ++r)
#pragma unroll
    for (int s = 0; s < TN; s += W) add<aligned>(c, i0 + row + r, j0 + col + s, &sum[r][s]);
  // [/body]
}

}  // namespace cuda_regtile
