// Wrong on purpose: each must be found wrong.
#pragma once

#include "rungs/elements.cuh"

namespace cuda_regtile::wrong {

/// transposed, its tile of A padded; it is read as if it were not.
template <class T>
__global__ __launch_bounds__(threads) void padding_forgotten(View<const T> a, View<const T> b, View<T> c) {
  constexpr int pad = 4;
  __shared__ SharedTile<T, BK, BM + pad> a_tile;
  __shared__ SharedTile<T, BK, BN> b_tile;
  const int thread = int(threadIdx.x), row = thread / (BN / TN) * TM, col = thread % (BN / TN) * TN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  T sum[TM][TN] = {};
  for (Index p = 0; p < a.cols(); p += BK) {
    for (int e = thread; e < BM * BK; e += threads)
      a_tile[e % BK][e / BK] = element(a, i0 + e / BK, p + e % BK);
    for (int e = thread; e < BK * BN; e += threads)
      b_tile[e / BN][e % BN] = element(b, p + e / BN, j0 + e % BN);
    __syncthreads();
    for (int q = 0; q < BK; ++q) {
      T a_q[TM], b_q[TN];
      for (int r = 0; r < TM; ++r) a_q[r] = (&a_tile[0][0])[q * BM + row + r];
      for (int s = 0; s < TN; ++s) b_q[s] = b_tile[q][col + s];
      multiply_add(sum, a_q, b_q);
    }
    __syncthreads();
  }
  for (int r = 0; r < TM; ++r)
    for (int s = 0; s < TN; ++s)
      if (i0 + row + r < c.rows() && j0 + col + s < c.cols()) c(i0 + row + r, j0 + col + s) += sum[r][s];
}

/// Two pairs of tiles in turns, without a barrier between them.
template <class T>
__global__ __launch_bounds__(threads) void no_barrier(View<const T> a, View<const T> b, View<T> c) {
  __shared__ SharedTile<T, BK, BM> a_tile[2];
  __shared__ SharedTile<T, BK, BN> b_tile[2];
  const int thread = int(threadIdx.x), row = thread / (BN / TN) * TM, col = thread % (BN / TN) * TN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  const auto bring = [&](Index p, int stage) {
    for (int e = thread; e < BM * BK; e += threads)
      a_tile[stage][e % BK][e / BK] = element(a, i0 + e / BK, p + e % BK);
    for (int e = thread; e < BK * BN; e += threads)
      b_tile[stage][e / BN][e % BN] = element(b, p + e / BN, j0 + e % BN);
  };
  T sum[TM][TN] = {};
  bring(0, 0);
  __syncthreads();
  int stage = 0;
  for (Index p = 0; p < a.cols(); p += BK, stage ^= 1) {
    bring(p + BK, stage ^ 1);
    for (int q = 0; q < BK; ++q) {
      T a_q[TM], b_q[TN];
      for (int r = 0; r < TM; ++r) a_q[r] = a_tile[stage][q][row + r];
      for (int s = 0; s < TN; ++s) b_q[s] = b_tile[stage][q][col + s];
      multiply_add(sum, a_q, b_q);
    }
  }
  for (int r = 0; r < TM; ++r)
    for (int s = 0; s < TN; ++s)
      if (i0 + row + r < c.rows() && j0 + col + s < c.cols()) c(i0 + row + r, j0 + col + s) += sum[r][s];
}

/// transposed, B's tile by cp.async, and nobody waits for it: the barrier knows nothing of such copies.
template <class T>
__global__ __launch_bounds__(threads) void not_waited_for(View<const T> a, View<const T> b, View<T> c) {
  __shared__ SharedTile<T, BK, BM> a_tile;
  __shared__ SharedTile<T, BK, BN> b_tile;
  const int thread = int(threadIdx.x), row = thread / (BN / TN) * TM, col = thread % (BN / TN) * TN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  T sum[TM][TN] = {};
  for (Index p = 0; p < a.cols(); p += BK) {
    for (int e = thread; e < BM * BK; e += threads)
      a_tile[e % BK][e / BK] = element(a, i0 + e / BK, p + e % BK);
    for (int e = thread; e < BK * BN; e += threads) {
      const Index i = p + e / BN, j = j0 + e % BN;
      const int bytes = i < b.rows() && j < b.cols() ? sizeof(T) : 0;
      cp_async<sizeof(T)>(&b_tile[e / BN][e % BN], b.data() + i * b.ld() + j, bytes);
    }
    cp_async_commit();
    __syncthreads();
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
}

}  // namespace cuda_regtile::wrong
