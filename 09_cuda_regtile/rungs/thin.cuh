// thin: as tiled, but C's tile is prefetched, for a small k. A tiling of best, not a variant:
//   build/09_cuda_regtile/09_cuda_regtile_search --type f32 --shape 8192x8192x64
#pragma once

#include "tiled.cuh"

namespace cuda_regtile {

/// C += A·B for a small k, where C is most of the bytes: its tile is prefetched, a line of 128 bytes a thread
/// and turn.
template <class S, bool aligned, class T = typename S::T>
__global__ __launch_bounds__(S::threads, S::at_once) void thin(View<const T> a, View<const T> b, View<T> c) {
  alignas(16) __shared__ Tiles<S> tiles;
  const Index i0 = Index{blockIdx.y} * S::BM, j0 = Index{blockIdx.x} * S::BN;
  constexpr int in_line = 128 / int(sizeof(T)), across = S::BN / in_line;
  for (int line = int(threadIdx.x); line < S::BM * across; line += S::threads) {
    const Index i = i0 + line / across, j = j0 + line % across * in_line;
    if (i < c.rows() && j < c.cols()) prefetch_l2(&c(i, j));
  }
  multiply_tile<S, aligned>(a, b, c, i0, j0, tiles);
}

}  // namespace cuda_regtile
