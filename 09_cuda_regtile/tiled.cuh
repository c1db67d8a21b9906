// The last rungs, for tiles of any size: one tile a block, k in slices, or equal shares for all SMs.
#pragma once

#include "async.cuh"

namespace cuda_regtile {

// [snake]
/// A column of sum += a_q · b_q: in a snake, there and back, so that the next multiply-add has an operand in
/// common with the last, which the SM need not read again.
template <class T>
__device__ void multiply_add_column(int s, T (&sum)[TM][TN], const T (&a_q)[TM], const T (&b_q)[TN]) {
#pragma unroll
  for (int step = 0; step < TM; ++step) {
    const int r = s % 2 == 1 ? TM - 1 - step : step;
    sum[r][s] += a_q[r] * b_q[s];
  }
}
// [/snake]

// [steps]
/// sum += the steps from `first` to `end` of the product's tile at (i0, j0): the loop of fragments_ahead,
/// with multiply-adds in a snake, for any tiling; of each step a thread takes its slice.
template <class S, bool aligned, class T>
__device__ void multiply_steps(View<const T> a, View<const T> b, Index i0, Index j0, int first, int end,
                               Tiles<S>& tiles, T (&sum)[TM][TN]) {
  constexpr int depth = S::BK / S::slices;  // how many q a step is for this slice
  Loader<S> next = loader_at<S>(a, b, i0, j0, first, tiles);
  const int thread = opaque(int(threadIdx.x)), q0 = S::slices == 1 ? 0 : thread / S::per_slice * depth;
  const ByWarps<S> at(thread % S::per_slice);
  const T *const a_at = opaque(&tiles.a[0][q0][at.row]), *const b_at = opaque(&tiles.b[0][q0][at.col]);
  T a_q[2][TM], b_q[2][TN];
  fetch<aligned>(next, b.ld(), 0);
  store_a(next, 0), cp_async_wait();
  __syncthreads();
  take_from(a_q[0], a_at, at.down), take_from(b_q[0], b_at, at.right);
  for (int step = first, stage = 0; step < end; ++step, stage ^= 1) {
    const bool more = step + 1 < end;
#pragma unroll
    for (int q = 0; q < depth; ++q) {
      const bool last = q + 1 == depth;
      if (q == S::begin && more) fetch<aligned>(next, b.ld(), stage ^ 1);
      if (last && more) {
        store_a(next, stage ^ 1), cp_async_wait();
        __syncthreads();
      }
      const int from = last ? stage ^ 1 : stage, next_q = last ? 0 : q + 1;
#pragma unroll
      for (int s = 0; s < TN; ++s) {
        if (s == 0) take_from(a_q[(q + 1) % 2], a_at + (from * S::BK + next_q) * S::BM, at.down);
        if (s == TN / 2) take_from(b_q[(q + 1) % 2], b_at + (from * S::BK + next_q) * S::BN, at.right);
        multiply_add_column(s, sum, a_q[q % 2], b_q[q % 2]);
      }
    }
  }
  __syncthreads();  // the tiles are free again
}
// [/steps]

// [slices]
/// Adds what the slices have found; each then holds its share of its threads' elements, TM · TN / slices of
/// them. What they tell each other lies where the tiles were.
template <class S, class T>
__device__ void add_slices(Tiles<S>& tiles, T (&sum)[TM][TN]) {
  static_assert((S::slices - 1) * S::per_slice * S::share * sizeof(T) <= sizeof(Tiles<S>));
  T* const room = &tiles.a[0][0][0];
  const int slice = opaque(int(threadIdx.x)) / S::per_slice;
  const int thread = opaque(int(threadIdx.x)) % S::per_slice;
#pragma unroll
  for (int owner = 0; owner < S::slices; ++owner) {
    if (slice != owner) {
      T* const mine = room + (slice - (slice > owner)) * S::per_slice * S::share + thread;
#pragma unroll
      for (int e = 0; e < S::share; ++e)
        mine[e * S::per_slice] = sum[(owner * S::share + e) / TN][(owner * S::share + e) % TN];
    }
    __syncthreads();
    if (slice == owner)
      for (int other = 0; other < S::slices - 1; ++other) {
        T theirs[S::share];  // all loads first: no addition waits for each of them
#pragma unroll
        for (int e = 0; e < S::share; ++e) theirs[e] = room[(other * S::share + e) * S::per_slice + thread];
#pragma unroll
        for (int e = 0; e < S::share; ++e)
          sum[(owner * S::share + e) / TN][(owner * S::share + e) % TN] += theirs[e];
      }
    __syncthreads();
  }
}

/// Each slice adds its share to C, 16 bytes at a time.
template <class S, bool aligned, class T>
__device__ void add_shares(View<T> c, Index i0, Index j0, const T (&sum)[TM][TN]) {
  const int thread = opaque(int(threadIdx.x)), slice = thread / S::per_slice;
  const ByWarps<S> at(thread % S::per_slice);
#pragma unroll
  for (int r = 0; r < TM; ++r)
#pragma unroll
    for (int s = 0; s < TN; s += S::W)
      if ((r * TN + s) / S::share == slice)
        add<aligned>(c, i0 + at.row + r / S::W * at.down + r % S::W,
                     j0 + at.col + s / S::W * at.right + s % S::W, &sum[r][s]);
}
// [/slices]

// [tiled]
/// C's tile at (i0, j0) += its part of A·B.
template <class S, bool aligned, class T>
__device__ void multiply_tile(View<const T> a, View<const T> b, View<T> c, Index i0, Index j0,
                              Tiles<S>& tiles) {
  T sum[TM][TN] = {};
  multiply_steps<S, aligned>(a, b, i0, j0, 0, int((a.cols() + S::BK - 1) / S::BK), tiles, sum);
  if constexpr (S::slices > 1)
    add_slices<S>(tiles, sum), add_shares<S, aligned>(c, i0, j0, sum);
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
// [/tiled]

// [shares]
/// The steps from `first` to `end` of one of C's tiles.
struct Piece {
  int tile, first, end;
};

/// How the work is shared: each tile of C takes `steps`; `across` tiles lie side by side. Each of the
/// `blocks` makes a whole tile in each of some `waves`. The `rest` of the tiles, one after the other, is a
/// long row of steps, and cut into equal parts.
struct Shares {
  int across, steps, waves, rest, blocks;

  /// Where in that row a block's part begins.
  constexpr int begin_of(int block) const { return int(Index{rest} * steps * block / blocks); }

  /// A block's piece in a wave; an empty one when it has nothing more to do. Its part of the row it goes
  /// through backwards: what another block waits for comes first.
  constexpr Piece piece_of(int block, int wave) const {
    if (wave < waves) return {wave * blocks + block, 0, steps};
    const int begin = begin_of(block), end = begin_of(block + 1);
    const int cut = (end - 1) / steps - (wave - waves), at = cut * steps;  // a tile of the rest
    return {waves * blocks + cut, begin > at ? begin - at : 0, end < at + steps ? end - at : steps};
  }
};
// [/shares]

/// What a thread of a block has found of a tile, on its way to another block: `ready` says in which run.
template <class T>
struct Parts {
  T* sums;
  unsigned *ready, run;
};

// [pass_on]
/// Leaves the sums of a cut tile for the block that has the tile's last steps.
template <class S, class T>
__device__ void leave(Parts<T> parts, int me, const T (&sum)[TM][TN]) {
  const int thread = opaque(int(threadIdx.x));
#pragma unroll
  for (int e = 0; e < TM * TN; ++e)
    parts.sums[(Index{me} * TM * TN + e) * S::threads + thread] = sum[e / TN][e % TN];
  __syncthreads();
  if (thread == 0) store_release(&parts.ready[me], parts.run);
}

/// Waits for what another block has left, and adds it.
template <class S, class T>
__device__ void collect(Parts<T> parts, int other, T (&sum)[TM][TN]) {
  const int thread = opaque(int(threadIdx.x));
  if (thread == 0) wait_acquire(&parts.ready[other], parts.run);
  __syncthreads();
#pragma unroll
  for (int r = 0; r < TM; ++r) {
    T theirs[TN];  // all loads first: no addition waits for each of them
#pragma unroll
    for (int s = 0; s < TN; ++s)
      theirs[s] = ldcg(&parts.sums[(Index{other} * TM * TN + r * TN + s) * S::threads + thread]);
#pragma unroll
    for (int s = 0; s < TN; ++s) sum[r][s] += theirs[s];
  }
}
// [/pass_on]

// [in_shares]
/// C += A·B in equal shares. A tile that is cut is finished by the block that has its last steps; the others
/// leave what they have found. The order of additions is always the same. Blocks wait for each other, so all
/// must run at once.
template <class S, class T = typename S::T>
__global__ __launch_bounds__(S::threads, S::at_once) void stream_k(View<const T> a, View<const T> b,
                                                                   View<T> c, Shares shares, Parts<T> parts) {
  alignas(16) __shared__ Tiles<S> tiles;
  const int me = int(blockIdx.x);
  for (int wave = 0;; ++wave) {
    const Piece piece = shares.piece_of(me, wave);
    if (piece.first >= piece.end) return;
    const Index i0 = Index{piece.tile / shares.across} * S::BM,
                j0 = Index{piece.tile % shares.across} * S::BN;
    T sum[TM][TN] = {};
    multiply_steps<S, true>(a, b, i0, j0, piece.first, piece.end, tiles, sum);
    if (piece.end < shares.steps) {
      leave<S>(parts, me, sum);
      continue;
    }
    const int begin_of_tile = (piece.tile - shares.waves * shares.blocks) * shares.steps;
    for (int other = me - 1; piece.first > 0 && shares.begin_of(other + 1) > begin_of_tile; --other)
      collect<S>(parts, other, sum);
    add_tile<S, ByWarps>(c, i0, j0, sum);
  }
}
// [/in_shares]

}  // namespace cuda_regtile
