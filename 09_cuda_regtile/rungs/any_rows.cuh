// any_rows: as slices, but both tiles come by cp.async, element by element and several steps ahead: rows may
// begin anywhere.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --size 1023 --variant slices,any_rows
#pragma once

#include "serpentine.cuh"
#include "slices.cuh"

namespace cuda_regtile {

/// A block's tiles for `depth` steps: as many as Hopper's memory has for all blocks of an SM. In padded rows
/// of A the eight elements that are beside each other along k lie in different banks; of 16 pairs share one.
template <class S>
struct alignas(16) Ring {
  using T = typename S::T;
  static constexpr int a_row = S::BM + S::W, bytes_of_one = (a_row + S::BN) * S::BK * int(sizeof(T));
  static constexpr int depth = std::clamp(std::min(48, 200 / S::at_once) * 1024 / bytes_of_one, 2, 4);
  SharedTile<T, S::BK, a_row> a[depth];
  SharedTile<T, S::BK, S::BN> b[depth];
};

/// A thread's part of each step's copies: some rows of a column of A, and of one of B.
template <class S>
struct ElementLoader {
  using T = typename S::T;
  static constexpr int a_rows = S::threads / S::BK, a_loads = a_rows < S::BM ? S::BM / a_rows : 1;
  static constexpr int b_rows = S::threads / S::BN, b_loads = b_rows < S::BK ? S::BK / b_rows : 1;
  static_assert(a_rows > 0 && b_rows > 0);
  const T *a, *b;  // of the next step
  T *a_to, *b_to;  // in the first stage
  bool whole;      // the tile lies within C
  int rows;        // from its own on, to the last that is inside
  bool inside;     // its column is
  int left;        // of k
};

/// Begins to bring a step's tiles into a stage: unguarded if all of them is there.
template <class S, class T = typename S::T>
__device__ void bring(ElementLoader<S>& next, View<const T> a, View<const T> b, int stage) {
  using L = ElementLoader<S>;
  const int t = opaque(int(threadIdx.x)), a_q = t % S::BK, b_q = t / S::BN;
  const bool all = next.whole && next.left >= S::BK;
  T* const a_to = next.a_to + stage * S::BK * Ring<S>::a_row;
  if (S::BM * S::BK >= S::threads || t < S::BM * S::BK) {
    const T* from = next.a;
#pragma unroll
    for (int l = 0; l < L::a_loads; ++l, from += L::a_rows * a.ld())
      cp_async<sizeof(T)>(a_to + l * L::a_rows, from,
                          all || (l * L::a_rows < next.rows && a_q < next.left) ? sizeof(T) : 0);
  }
  T* const b_to = next.b_to + stage * S::BK * S::BN;
  if (S::BK * S::BN >= S::threads || t < S::BK * S::BN) {
    const T* from = next.b;
#pragma unroll
    for (int l = 0; l < L::b_loads; ++l, from += L::b_rows * b.ld())
      cp_async<sizeof(T)>(b_to + l * L::b_rows * S::BN, from,
                          all || (next.inside && l * L::b_rows + b_q < next.left) ? sizeof(T) : 0);
  }
  next.a += S::BK, next.b += S::BK * b.ld(), next.left -= S::BK;
}

/// sum += the steps from `first` to `end`, as multiply_steps does.
template <class S, class T>
__device__ void multiply_steps(View<const T> a, View<const T> b, Index i0, Index j0, int first, int end,
                               Ring<S>& ring, T (&sum)[TM][TN]) {
  using L = ElementLoader<S>;
  constexpr int BK = S::BK / S::slices, depth = Ring<S>::depth, a_row = Ring<S>::a_row;
  const int thread = opaque(int(threadIdx.x)), q0 = S::slices == 1 ? 0 : thread / S::per_slice * BK;
  const Index p = Index{first} * S::BK;
  const int a_i = thread / S::BK % S::BM, a_q = thread % S::BK, b_q = thread / S::BN % S::BK,
            b_j = thread % S::BN;
  L next{a.data() + (i0 + a_i) * a.ld() + p + a_q,
         b.data() + (p + b_q) * b.ld() + j0 + b_j,
         opaque(ring.a[0][a_q] + a_i),
         opaque(ring.b[0][b_q] + b_j),
         i0 + S::BM <= a.rows() && j0 + S::BN <= b.cols(),
         int(std::min<Index>(a.rows() - i0 - a_i, S::BM)),
         j0 + b_j < b.cols(),
         int(a.cols() - p)};
  const ByWarps<S> at(thread % S::per_slice);
  const T *const a_at = opaque(ring.a[0][q0] + at.row), *const b_at = opaque(ring.b[0][q0] + at.col);
  T a_q_[2][TM], b_q_[2][TN];
#pragma unroll
  for (int s = 0; s < depth - 1; ++s) {
    if (first + s < end) bring(next, a, b, s);
    cp_async_commit();
  }
  cp_async_wait<depth - 2>();
  __syncthreads();
  take_from(a_q_[0], a_at, at.down), take_from(b_q_[0], b_at, at.right);
  for (int step = first, stage = 0; step < end; ++step) {
    const int after = stage + 1 == depth ? 0 : stage + 1;
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      const bool last = q + 1 == BK;
      if (q == 0) {
        if (step + depth - 1 < end) bring(next, a, b, stage == 0 ? depth - 1 : stage - 1);
        cp_async_commit();
      }
      if (last) {
        cp_async_wait<depth - 2>();
        __syncthreads();
      }
      const int from = last ? after : stage, next_q = last ? 0 : q + 1;
#pragma unroll
      for (int s = 0; s < TN; ++s) {
        if (s == 0) take_from(a_q_[(q + 1) % 2], a_at + (from * S::BK + next_q) * a_row, at.down);
        if (s == TN / 2) take_from(b_q_[(q + 1) % 2], b_at + (from * S::BK + next_q) * S::BN, at.right);
        multiply_add_there_and_back(s, sum, a_q_[q % 2], b_q_[q % 2]);
      }
    }
    stage = after;
  }
  __syncthreads();  // the tiles are free again
}

}  // namespace cuda_regtile
