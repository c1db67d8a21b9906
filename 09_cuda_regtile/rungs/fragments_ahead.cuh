// fragments_ahead: as warp_tiles, but the next q's operands are taken while this one's are multiplied.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --size 2048 --variant warp_tiles,fragments_ahead
#pragma once

#include "warp_tiles.cuh"

namespace cuda_regtile {

/// C += A·B by two sets of operands, in turns: those of the next q come while this q's are multiplied.
template <class T, bool aligned, class S = DefaultTiling<T>>
__global__ __launch_bounds__(S::threads, S::at_once) void fragments_ahead(View<const T> a, View<const T> b,
                                                                          View<T> c) {
  alignas(16) __shared__ Tiles<S> tiles;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  Loader<S> next = loader_at<S>(a, b, i0, j0, 0, tiles);
  const ByWarps<S> at(opaque(int(threadIdx.x)));
  const T *const a_at = opaque(tiles.a[0][0] + at.row), *const b_at = opaque(tiles.b[0][0] + at.col);
  T sum[TM][TN] = {}, a_q[2][TM], b_q[2][TN];
  fetch<aligned>(next, b.ld(), 0);
  store_a(next, 0), cp_async_wait<0>();
  __syncthreads();
  take_from(a_q[0], a_at, at.down), take_from(b_q[0], b_at, at.right);
  const int steps = steps_of<S>(a.cols());
  for (int step = 0, stage = 0; step < steps; ++step, stage ^= 1) {
    const bool more = step + 1 < steps;
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      const bool last = q + 1 == BK;
      if (q == S::begin && more) fetch<aligned>(next, b.ld(), stage ^ 1);
      if (last && more) {  // what is taken next lies in the other pair of tiles
        store_a(next, stage ^ 1), cp_async_wait<0>();
        __syncthreads();
      }
      const int from = last ? stage ^ 1 : stage, next_q = last ? 0 : q + 1;
#pragma unroll
      for (int s = 0; s < TN; ++s) {
        if (s == 0) take_from(a_q[(q + 1) % 2], a_at + (from * BK + next_q) * BM, at.down);
        if (s == TN / 2) take_from(b_q[(q + 1) % 2], b_at + (from * BK + next_q) * BN, at.right);
        multiply_add_column(s, sum, a_q[q % 2], b_q[q % 2]);
      }
    }
  }
  add_tile<S, ByWarps>(c, i0, j0, sum);
}

}  // namespace cuda_regtile
