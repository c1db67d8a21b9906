// slices: as serpentine with small tiles, but k is cut into four slices that have threads of their own.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --size 2048 --variant serpentine,slices
#pragma once

#include "warp_tiles.cuh"

namespace cuda_regtile {

/// Adds the slices' sums; each slice then holds those of TM · TN / slices of its threads' elements. The sums
/// for other slices lie where the tiles were.
template <class S, class Memory, class T>
__device__ void reduce_slices(Memory& tiles, T (&sum)[TM][TN]) {
  static_assert((S::slices - 1) * S::per_slice * S::reduced * sizeof(T) <= sizeof(Memory));
  T* const buffer = tiles.a[0][0] + 0;
  const int slice = opaque(int(threadIdx.x)) / S::per_slice;
  const int thread = opaque(int(threadIdx.x)) % S::per_slice;
#pragma unroll
  for (int owner = 0; owner < S::slices; ++owner) {
    if (slice != owner) {
      T* const mine = buffer + (slice - (slice > owner)) * S::per_slice * S::reduced + thread;
#pragma unroll
      for (int e = 0; e < S::reduced; ++e)
        in_shared<T>(mine + e * S::per_slice) =
            sum[(owner * S::reduced + e) / TN][(owner * S::reduced + e) % TN];
    }
    __syncthreads();
    if (slice == owner)
      for (int other = 0; other < S::slices - 1; ++other) {
        T theirs[S::reduced];  // all loads first: no addition waits for each of them
#pragma unroll
        for (int e = 0; e < S::reduced; ++e)
          theirs[e] = in_shared<T>(buffer + (other * S::reduced + e) * S::per_slice + thread);
#pragma unroll
        for (int e = 0; e < S::reduced; ++e)
          sum[(owner * S::reduced + e) / TN][(owner * S::reduced + e) % TN] += theirs[e];
      }
    __syncthreads();
  }
}

/// Each slice adds these sums to C, 16 bytes at a time.
template <class S, bool aligned, class T>
__device__ void add_reduced(View<T> c, Index i0, Index j0, const T (&sum)[TM][TN]) {
  const int thread = opaque(int(threadIdx.x)), slice = thread / S::per_slice;
  const ByWarps<S> at(thread % S::per_slice);
#pragma unroll
  for (int r = 0; r < TM; ++r)
#pragma unroll
    for (int s = 0; s < TN; s += S::W)
      if ((r * TN + s) / S::reduced == slice)
        add<aligned>(c, i0 + at.row + r / S::W * at.down + r % S::W,
                     j0 + at.col + s / S::W * at.right + s % S::W, &sum[r][s]);
}

}  // namespace cuda_regtile
