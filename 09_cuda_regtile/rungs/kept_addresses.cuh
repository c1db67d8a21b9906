// kept_addresses: as double_buffered, but addresses are computed once, then advanced.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --size 2048 --variant double_buffered,kept_addresses
#pragma once

#include "loader.cuh"

namespace cuda_regtile {

/// B's from global memory into registers, and from there into the tile.
template <bool all, class S, class T>
__device__ void load_b(const Loader<S>& next, Vector<T> (&b_next)[S::b_loads], Index ld, int thread) {
  const int q = thread / (S::BN / S::W);
#pragma unroll
  for (int l = 0; l < S::b_loads; ++l) {
    const T* const from = next.b + l * S::b_rows * ld;
    if (all) b_next[l] = in_global<const Vector<T>>(from);
#pragma unroll
    for (int e = 0; e < S::W && !all; ++e)
      b_next[l].element[e] =
          l * S::b_rows + q < next.left && e < next.cols ? in_global<const T>(from + e) : T(0);
  }
}
template <class S, class T>
__device__ void store_b(const Loader<S>& next, const Vector<T> (&b_next)[S::b_loads], int stage) {
  auto* const to = next.b_to + stage * S::BK * S::BN;
#pragma unroll
  for (int l = 0; l < S::b_loads; ++l) in_shared<Vector<T>>(to + l * S::b_rows * S::BN) = b_next[l];
}

/// C += A·B with addresses that are computed once and then advanced. A's tile is not padded; loads begin in
/// the middle of a step; C is added to element by element; multiply-adds go by columns.
template <class T, bool aligned, class S = DefaultTiling<T>>
__global__ __launch_bounds__(S::threads, S::at_once) void kept_addresses(View<const T> a, View<const T> b,
                                                                         View<T> c) {
  alignas(16) __shared__ Tiles<S> tiles;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  Loader<S> next = loader_at<S>(a, b, i0, j0, 0, tiles);
  const ByRows<S> at(opaque(int(threadIdx.x)));
  const T *const a_at = opaque(tiles.a[0][0] + at.row), *const b_at = opaque(tiles.b[0][0] + at.col);
  Vector<T> b_next[S::b_loads];
  const auto fetch = [&] {
    if (aligned && next.cols == S::W && next.left >= S::BK)
      load_a<true>(next, 0), load_b<true>(next, b_next, b.ld(), 0);
    else {
      const int thread = opaque(int(threadIdx.x));
      load_a<false>(next, thread), load_b<false>(next, b_next, b.ld(), thread);
    }
    advance(next, b.ld());
  };
  T sum[TM][TN] = {};
  // [steps]
  fetch();
  store_a(next, 0), store_b(next, b_next, 0);
  __syncthreads();
  const int steps = steps_of<S>(a.cols());
  for (int step = 0, stage = 0; step < steps; ++step, stage ^= 1) {
    const bool more = step + 1 < steps;
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      if (q == S::begin && more) fetch();
      T a_q[TM], b_q[TN];
      take_from(a_q, a_at + (stage * BK + q) * BM, at.down);
      take_from(b_q, b_at + (stage * BK + q) * BN, at.right);
#pragma unroll
      for (int s = 0; s < TN; ++s) multiply_add_column(s, sum, a_q, b_q);
    }
    if (more) store_a(next, stage ^ 1), store_b(next, b_next, stage ^ 1);
    __syncthreads();
  }
  // [/steps]
  add_tile<S, ByRows>(c, i0, j0, sum);
}

}  // namespace cuda_regtile
