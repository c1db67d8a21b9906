// transposed: as square, but A's tile lies in shared memory with rows and columns exchanged.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --size 2048 --variant square,transposed
#pragma once

#include "elements.cuh"

namespace cuda_regtile {

/// C += A·B: for each q the TM elements of A lie side by side, as the TN of B do.
template <class T>
__global__ __launch_bounds__(threads, at_once<T>) void transposed(View<const T> a, View<const T> b,
                                                                  View<T> c) {
  // [body]
  __shared__ SharedTile<T, BK, BM> a_tile;
  __shared__ SharedTile<T, BK, BN> b_tile;
  const int thread = int(threadIdx.x), row = thread / (BN / TN) * TM, col = thread % (BN / TN) * TN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  T sum[TM][TN] = {};
  for (Index p = 0; p < a.cols(); p += BK) {
#pragma unroll 2
    for (int e = thread; e < BM * BK; e += threads)
      a_tile[e % BK][e / BK] = element(a, i0 + e / BK, p + e % BK);
#pragma unroll 2
    for (int e = thread; e < BK * BN; e += threads)
      b_tile[e / BN][e % BN] = element(b, p + e / BN, j0 + e % BN);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      T a_q[TM], b_q[TN];
      for (int r = 0; r < TM; ++r) a_q[r] = a_tile[q][row + r];
      for (int s = 0; s < TN; ++s) b_q[s] = b_tile[q][col + s];
      multiply_add(sum, a_q, b_q);
    }
    __syncthreads();
  }
  for (int r = 0; r < TM; ++r)
    for (int s = 0; s < TN; ++s)
      if (i0 + row + r < c.rows() && j0 + col + s < c.cols()) c(i0 + row + r, j0 + col + s) += sum[r][s];
  // [/body]
}

}  // namespace cuda_regtile
