// conflict_free: as vectorised, but a thread's elements come in runs of 16 bytes, and A's tile is padded.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --size 2048 --variant vectorised,conflict_free
#pragma once

#include "elements.cuh"

namespace cuda_regtile {

/// C += A·B without bank conflicts: a warp's loads of 16 bytes are neighbours, since a thread's rows and
/// columns come in runs of 16 bytes, the next run behind those of all other threads; and the rows of A's
/// tile are padded, so that what goes into one column of it goes into different banks.
template <class T, bool aligned>
__global__ __launch_bounds__(threads, at_once<T>) void conflict_free(View<const T> a, View<const T> b,
                                                                     View<T> c) {
  // [body]
  constexpr int W = width<T>, down = BM / (TM / W), right = BN / (TN / W);  // from run to run
  alignas(16) __shared__ SharedTile<T, BK, BM + W> a_tile;
  alignas(16) __shared__ SharedTile<T, BK, BN> b_tile;
  const int thread = int(threadIdx.x), row = thread / (BN / TN) * W, col = thread % (BN / TN) * W;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  T sum[TM][TN] = {};
  for (Index p = 0; p < a.cols(); p += BK) {
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
    __syncthreads();
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      T a_q[TM], b_q[TN];
      take(a_q, a_tile[q], row, down);
      take(b_q, b_tile[q], col, right);
      multiply_add(sum, a_q, b_q);
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < TM; ++r)
#pragma unroll
    for (int s = 0; s < TN; s += W)
      add<aligned>(c, i0 + row + r / W * down + r % W, j0 + col + s / W * right, &sum[r][s]);
  // [/body]
}

}  // namespace cuda_regtile
