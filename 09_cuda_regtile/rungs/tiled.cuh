// The kernel of serpentine, large_tiles and slices, which differ in their tiling alone.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --size 2048 --variant serpentine,large_tiles,slices
#pragma once

#include "serpentine.cuh"
#include "slices.cuh"

namespace cuda_regtile {

/// C's tile at (i0, j0) += its part of A·B.
template <class S, bool aligned, class T>
__device__ void multiply_tile(View<const T> a, View<const T> b, View<T> c, Index i0, Index j0,
                              Tiles<S>& tiles) {
  T sum[TM][TN] = {};
  multiply_steps<S, aligned>(a, b, i0, j0, 0, steps_of<S>(a.cols()), tiles, sum);
  if constexpr (S::slices > 1)
    reduce_slices<S>(tiles, sum), add_reduced<S, aligned>(c, i0, j0, sum);
  else
    add_tile<S, ByWarps>(c, i0, j0, sum);
}

/// C += A·B, a tile a block, of any tiling.
template <class S, bool aligned, class T = typename S::T>
__global__ __launch_bounds__(S::threads, S::at_once) void tiled(View<const T> a, View<const T> b, View<T> c) {
  alignas(16) __shared__ Tiles<S> tiles;
  multiply_tile<S, aligned>(a, b, c, Index{blockIdx.y} * S::BM, Index{blockIdx.x} * S::BN, tiles);
}

/// The same for a small k, where C is most of the bytes: its tile is prefetched, a line of 128 bytes a thread
/// and turn.
template <class S, class T = typename S::T>
__global__ __launch_bounds__(S::threads, S::at_once) void thin(View<const T> a, View<const T> b, View<T> c) {
  alignas(16) __shared__ Tiles<S> tiles;
  const Index i0 = Index{blockIdx.y} * S::BM, j0 = Index{blockIdx.x} * S::BN;
  constexpr int in_line = 128 / int(sizeof(T)), across = S::BN / in_line;
  for (int line = int(threadIdx.x); line < S::BM * across; line += S::threads) {
    const Index i = i0 + line / across, j = j0 + line % across * in_line;
    if (i < c.rows() && j < c.cols()) prefetch_l2(&c(i, j));
  }
  multiply_tile<S, true>(a, b, c, i0, j0, tiles);
}

}  // namespace cuda_regtile
