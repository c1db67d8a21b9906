// async_copies: as kept_addresses, but B's tiles come by cp.async.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --size 2048 --variant kept_addresses,async_copies
#pragma once

#include "loader.cuh"

namespace cuda_regtile {

/// B's from global memory into the tile of this stage, by cp.async.
template <bool all, class S>
__device__ void copy_b(const Loader<S>& next, Index ld, int stage, int thread) {
  constexpr int bytes = sizeof(typename S::T);
  const int q = thread / (S::BN / S::W);
  if (!brings_b<S>()) return;
#pragma unroll
  for (int l = 0; l < S::b_loads; ++l) {
    auto* const to = next.b_to + (stage * S::BK + l * S::b_rows) * S::BN;
    const auto* const from = next.b + l * S::b_rows * ld;
    if (all) cp_async(to, from);
#pragma unroll
    for (int e = 0; e < S::W && !all; ++e) {
      const bool inside = l * S::b_rows + q < next.left && e < next.cols;
      cp_async<bytes>(to + e, from + e, inside ? bytes : 0);
    }
  }
}

/// Begins to bring the next step's tiles: A's into registers, B's into shared memory.
template <bool aligned, class S>
__device__ void fetch(Loader<S>& next, Index ld, int stage) {
  if (aligned && next.cols == S::W && next.left >= S::BK)
    load_a<true>(next, 0), copy_b<true>(next, ld, stage, 0);
  else {
    const int thread = opaque(int(threadIdx.x));
    load_a<false>(next, thread), copy_b<false>(next, ld, stage, thread);
  }
  cp_async_commit(), advance(next, ld);
}

/// C += A·B, a thread's elements placed by rows or, as the rung warp_tiles, by warps.
template <class T, bool aligned, template <class> class Place = ByRows, class S = DefaultTiling<T>>
__global__ __launch_bounds__(S::threads, S::at_once) void async_copies(View<const T> a, View<const T> b,
                                                                       View<T> c) {
  alignas(16) __shared__ Tiles<S> tiles;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  Loader<S> next = loader_at<S>(a, b, i0, j0, 0, tiles);
  const Place<S> at(opaque(int(threadIdx.x)));
  const T *const a_at = opaque(tiles.a[0][0] + at.row), *const b_at = opaque(tiles.b[0][0] + at.col);
  T sum[TM][TN] = {};
  // [steps]
  fetch<aligned>(next, b.ld(), 0);
  store_a(next, 0), cp_async_wait<0>();
  __syncthreads();
  const int steps = steps_of<S>(a.cols());
  for (int step = 0, stage = 0; step < steps; ++step, stage ^= 1) {
    const bool more = step + 1 < steps;
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      if (q == S::begin && more) fetch<aligned>(next, b.ld(), stage ^ 1);
      T a_q[TM], b_q[TN];
      take_from(a_q, a_at + (stage * BK + q) * BM, at.down);
      take_from(b_q, b_at + (stage * BK + q) * BN, at.right);
#pragma unroll
      for (int s = 0; s < TN; ++s) multiply_add_column(s, sum, a_q, b_q);
    }
    if (more) store_a(next, stage ^ 1), cp_async_wait<0>();
    __syncthreads();
  }
  // [/steps]
  add_tile<S, Place>(c, i0, j0, sum);
}

}  // namespace cuda_regtile
