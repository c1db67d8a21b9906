// serpentine: as fragments_ahead, but multiply-adds go there and back; and its loop serves any tiling.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --size 2048 --variant fragments_ahead,serpentine
#pragma once

#include "fragments_ahead.cuh"

namespace cuda_regtile {

/// Adds to column s of sum only, odd columns upwards: each multiply-add shares an operand with the last one,
/// which the SM need not read again.
template <class T>
__device__ void multiply_add_there_and_back(int s, T (&sum)[TM][TN], const T (&a_q)[TM], const T (&b_q)[TN]) {
#pragma unroll
  for (int step = 0; step < TM; ++step) {
    const int r = s % 2 == 1 ? TM - 1 - step : step;
    sum[r][s] += a_q[r] * b_q[s];
  }
}

/// sum += the steps from `first` to `end` of the product's tile at (i0, j0): the loop of fragments_ahead,
/// with multiply-adds in serpentine order, for any tiling; of each step a thread takes its slice.
template <class S, bool aligned, class T>
__device__ void multiply_steps(View<const T> a, View<const T> b, Index i0, Index j0, int first, int end,
                               Tiles<S>& tiles, T (&sum)[TM][TN]) {
  constexpr int BK = S::BK / S::slices;  // of this slice
  Loader<S> next = loader_at<S>(a, b, i0, j0, first, tiles);
  const int thread = opaque(int(threadIdx.x)), q0 = S::slices == 1 ? 0 : thread / S::per_slice * BK;
  const ByWarps<S> at(thread % S::per_slice);
  const T *const a_at = opaque(tiles.a[0][q0] + at.row), *const b_at = opaque(tiles.b[0][q0] + at.col);
  T a_q[2][TM], b_q[2][TN];
  fetch<aligned>(next, b.ld(), 0);
  store_a(next, 0), cp_async_wait<0>();
  __syncthreads();
  take_from(a_q[0], a_at, at.down), take_from(b_q[0], b_at, at.right);
  for (int step = first, stage = 0; step < end; ++step, stage ^= 1) {
    const bool more = step + 1 < end;
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      const bool last = q + 1 == BK;
      if (q == S::begin && more) fetch<aligned>(next, b.ld(), stage ^ 1);
      if (last && more) {
        store_a(next, stage ^ 1), cp_async_wait<0>();
        __syncthreads();
      }
      const int from = last ? stage ^ 1 : stage, next_q = last ? 0 : q + 1;
#pragma unroll
      for (int s = 0; s < TN; ++s) {
        if (s == 0) take_from(a_q[(q + 1) % 2], a_at + (from * S::BK + next_q) * S::BM, at.down);
        if (s == TN / 2) take_from(b_q[(q + 1) % 2], b_at + (from * S::BK + next_q) * S::BN, at.right);
        multiply_add_there_and_back(s, sum, a_q[q % 2], b_q[q % 2]);
      }
    }
  }
  __syncthreads();  // the tiles are free again
}

}  // namespace cuda_regtile
