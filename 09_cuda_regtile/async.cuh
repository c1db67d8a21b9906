// Rungs that wait less: addresses are kept, tiles come by cp.async, a warp needs fewer operands, and these
// are taken ahead.
#pragma once

#include "gemm.cuh"

namespace cuda_regtile {

/// How a block's tile of BM × BN is shared out. Each step of k takes BK columns of A and rows of B, in
/// `slices` that have threads of their own.
template <class T_, int BM_, int BN_, int BK_, int slices_ = 1>
struct Tiling {
  using T = T_;
  static constexpr int BM = BM_, BN = BN_, BK = BK_, slices = slices_, W = width<T>;
  static constexpr int per_slice = BM * BN / (TM * TN), threads = per_slice * slices;
  static constexpr int at_once = 2048 / int(sizeof(T)) / threads;  // 128 registers for a thread, f64 256
  static constexpr int share = TM * TN / slices;  // of a thread's elements, that its slice adds to C
  static constexpr int a_loads = BM * BK / (W * threads), b_loads = BK * BN / (W * threads);
  static constexpr int begin = sizeof(T) == 4 ? BK / slices / 2 : 1;  // at which q the next loads begin
  static constexpr int a_rows = threads / (BK / W), b_rows = threads / (BN / W);  // at a time
  static_assert(a_loads * a_rows == BM && b_loads * b_rows == BK, "as many loads for each thread");
};

/// A block's tiles: two of each, in turns.
template <class S>
struct Tiles {
  SharedTile<typename S::T, S::BK, S::BM> a[2];
  SharedTile<typename S::T, S::BK, S::BN> b[2];
};

// [place]
/// A thread's elements begin at (row, col) of its block's tile and come in runs of W, the next one `down`
/// rows or `right` columns further on. By rows, as in conflict_free: a warp makes 16 × 128 elements.
template <class S>
struct ByRows {
  static constexpr int down = S::BM / (TM / S::W), right = S::BN / (TN / S::W);
  int row, col;
  constexpr explicit ByRows(int thread)
      : row(thread / (S::BN / TN) * S::W), col(thread % (S::BN / TN) * S::W) {}
};

/// By warps: a warp makes 32 × 64 elements by 4 × 8 threads. For each q it loads 32 elements of A and 64 of
/// B, not 16 and 128. Half a warp is 2 × 8 threads, pair by pair, so that it is answered in one wavefront.
template <class S>
struct ByWarps {
  static constexpr int down = 4 * S::W, right = 8 * S::W;
  int row, col;
  constexpr explicit ByWarps(int thread) {
    const int warp = thread / 32, lane = thread % 32;
    const int down_warp = lane % 2 + lane / 16 * 2, across_warp = lane / 2 % 8;
    row = warp / (S::BN / 64) * 32 + down_warp * S::W;
    col = warp % (S::BN / 64) * 64 + across_warp * S::W;
  }
};
// [/place]

// [loader]
/// Where a thread finds what it brings of the next step's tiles, and where it puts that: computed once, then
/// advanced from step to step. A's elements wait in registers, since they are transposed on their way.
template <class S>
struct Loader {
  using T = typename S::T;
  const T *a[S::a_loads], *b;  // of the next step
  T *a_to, *b_to;              // in the first pair of tiles
  int left;                    // of k, from there on
  int cols;                    // of B's W, that are inside
  Vector<T> a_next[S::a_loads];
};

template <class S, class T>
__device__ Loader<S> loader_at(View<const T> a, View<const T> b, Index i0, Index j0, int step,
                               Tiles<S>& tiles) {
  const int thread = int(threadIdx.x);
  const int a_row = thread / (S::BK / S::W), a_q = thread % (S::BK / S::W) * S::W;
  const int b_q = thread / (S::BN / S::W), b_col = thread % (S::BN / S::W) * S::W;
  Index j = j0 + b_col;
  if (j >= b.cols() && b.cols() >= S::W) j = b.cols() / S::W * S::W - S::W;  // beyond it: stored nowhere, too
  const Index p = Index{step} * S::BK;
  Loader<S> next;
  for (int l = 0; l < S::a_loads; ++l) {
    Index i = i0 + a_row + l * S::a_rows;
    if (i >= a.rows()) i = a.rows() - 1;            // beyond the last row: stored nowhere
    next.a[l] = a.data() + i * a.ld() + (p + a_q);  // beyond the last column: not read
  }
  next.b = b.data() + (p + b_q) * b.ld() + j;
  next.a_to = opaque(&tiles.a[0][a_q][a_row]), next.b_to = opaque(&tiles.b[0][b_q][b_col]);
  next.left = int(a.cols() - p);
  next.cols = j + S::W <= b.cols() ? S::W : j < b.cols() ? int(b.cols() - j) : 0;
  return next;
}

template <class S>
__device__ void advance(Loader<S>& next, Index ld) {
#pragma unroll
  for (int l = 0; l < S::a_loads; ++l) next.a[l] += S::BK;
  next.b += S::BK * ld, next.left -= S::BK;
}

/// A's from global memory into registers: 16 bytes at a time if `all` are there, else zeros beyond k.
template <bool all, class S>
__device__ void load_a(Loader<S>& next, int thread) {
  const int q = thread % (S::BK / S::W) * S::W;
#pragma unroll
  for (int l = 0; l < S::a_loads; ++l) {
    if (all) next.a_next[l] = *reinterpret_cast<const Vector<typename S::T>*>(next.a[l]);
#pragma unroll
    for (int e = 0; e < S::W && !all; ++e) next.a_next[l].element[e] = q + e < next.left ? next.a[l][e] : 0;
  }
}

/// A's from registers into the tile of this stage, transposed.
template <class S>
__device__ void store_a(const Loader<S>& next, int stage) {
  auto* const to = next.a_to + stage * S::BK * S::BM;
#pragma unroll
  for (int l = 0; l < S::a_loads; ++l)
#pragma unroll
    for (int e = 0; e < S::W; ++e) to[e * S::BM + l * S::a_rows] = next.a_next[l].element[e];
}
// [/loader]

// [add_tile]
/// C += what the threads have found. Element by element: 16 bytes at a time would tie the sums to registers
/// side by side, and the multiply-adds would wait for each other's operands.
template <class S, template <class> class Place, class T>
__device__ void add_tile(View<T> c, Index i0, Index j0, const T (&sum)[TM][TN]) {
  const Place<S> at(opaque(int(threadIdx.x)) % S::per_slice);
  const bool all_inside = i0 + S::BM <= c.rows() && j0 + S::BN <= c.cols();
#pragma unroll
  for (int r = 0; r < TM; ++r) {
    const Index i = i0 + at.row + r / S::W * at.down + r % S::W;
    const auto col = [&](int s) { return j0 + at.col + s / S::W * at.right + s % S::W; };
    const auto inside = [&](int s) { return all_inside || (i < c.rows() && col(s) < c.cols()); };
    T there[TN];  // all loads first: no addition waits for each of them
#pragma unroll
    for (int s = 0; s < TN; ++s) there[s] = inside(s) ? c(i, col(s)) : T(0);
#pragma unroll
    for (int s = 0; s < TN; ++s)
      if (inside(s)) c(i, col(s)) = there[s] + sum[r][s];
  }
}
// [/add_tile]

// From here to fragments_ahead a block's tile is 128 × 128 still, and a step 8 columns of A.
template <class T>
using Rung = Tiling<T, BM, BN, BK>;

// [kept_addresses]
/// B's from global memory into registers, and from there into the tile.
template <bool all, class S, class T>
__device__ void load_b(const Loader<S>& next, Vector<T> (&b_next)[S::b_loads], Index ld, int thread) {
  const int q = thread / (S::BN / S::W);
#pragma unroll
  for (int l = 0; l < S::b_loads; ++l) {
    const T* const from = next.b + l * S::b_rows * ld;
    if (all) b_next[l] = *reinterpret_cast<const Vector<T>*>(from);
#pragma unroll
    for (int e = 0; e < S::W && !all; ++e)
      b_next[l].element[e] = l * S::b_rows + q < next.left && e < next.cols ? from[e] : T(0);
  }
}
template <class S, class T>
__device__ void store_b(const Loader<S>& next, const Vector<T> (&b_next)[S::b_loads], int stage) {
  auto* const to = next.b_to + stage * S::BK * S::BN;
#pragma unroll
  for (int l = 0; l < S::b_loads; ++l) *reinterpret_cast<Vector<T>*>(to + l * S::b_rows * S::BN) = b_next[l];
}

/// double_buffered with addresses that are computed once and then advanced. (So that they are few, A's tile
/// is not padded; loads begin in the middle of a step; C is added to element by element.)
template <class T, bool aligned, class S = Rung<T>>
__global__ __launch_bounds__(S::threads, S::at_once) void kept_addresses(View<const T> a, View<const T> b,
                                                                         View<T> c) {
  alignas(16) __shared__ Tiles<S> tiles;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  Loader<S> next = loader_at<S>(a, b, i0, j0, 0, tiles);
  const ByRows<S> at(opaque(int(threadIdx.x)));
  const T *const a_at = opaque(&tiles.a[0][0][at.row]), *const b_at = opaque(&tiles.b[0][0][at.col]);
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
  fetch();
  store_a(next, 0), store_b(next, b_next, 0);
  __syncthreads();
  int stage = 0;
  for (Index p = 0; p < a.cols(); p += BK, stage ^= 1) {
    const bool more = p + BK < a.cols();
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      if (q == S::begin && more) fetch();
      T a_q[TM], b_q[TN];
      take_from(a_q, a_at + (stage * BK + q) * BM, at.down);
      take_from(b_q, b_at + (stage * BK + q) * BN, at.right);
      multiply_add(sum, a_q, b_q);
    }
    if (more) store_a(next, stage ^ 1), store_b(next, b_next, stage ^ 1);
    __syncthreads();
  }
  add_tile<S, ByRows>(c, i0, j0, sum);
}
// [/kept_addresses]

// [copy_b]
/// B's from global memory into the tile of this stage, by cp.async.
template <bool all, class S>
__device__ void copy_b(const Loader<S>& next, Index ld, int stage, int thread) {
  const int q = thread / (S::BN / S::W);
#pragma unroll
  for (int l = 0; l < S::b_loads; ++l) {
    auto* const to = next.b_to + (stage * S::BK + l * S::b_rows) * S::BN;
    const auto* const from = next.b + l * S::b_rows * ld;
    if (all) cp_async(to, from);
#pragma unroll
    for (int e = 0; e < S::W && !all; ++e)
      cp_async_or_zero(to + e, from + e, l * S::b_rows + q < next.left && e < next.cols);
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
// [/copy_b]

// [async_copies]
/// The same, B's tiles by cp.async.
template <class T, bool aligned, class S = Rung<T>>
__global__ __launch_bounds__(S::threads, S::at_once) void async_copies(View<const T> a, View<const T> b,
                                                                       View<T> c) {
  alignas(16) __shared__ Tiles<S> tiles;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  Loader<S> next = loader_at<S>(a, b, i0, j0, 0, tiles);
  const ByRows<S> at(opaque(int(threadIdx.x)));
  const T *const a_at = opaque(&tiles.a[0][0][at.row]), *const b_at = opaque(&tiles.b[0][0][at.col]);
  T sum[TM][TN] = {};
  fetch<aligned>(next, b.ld(), 0);
  store_a(next, 0), cp_async_wait();
  __syncthreads();
  int stage = 0;
  for (Index p = 0; p < a.cols(); p += BK, stage ^= 1) {
    const bool more = p + BK < a.cols();
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      if (q == S::begin && more) fetch<aligned>(next, b.ld(), stage ^ 1);
      T a_q[TM], b_q[TN];
      take_from(a_q, a_at + (stage * BK + q) * BM, at.down);
      take_from(b_q, b_at + (stage * BK + q) * BN, at.right);
      multiply_add(sum, a_q, b_q);
    }
    if (more) store_a(next, stage ^ 1), cp_async_wait();
    __syncthreads();
  }
  add_tile<S, ByRows>(c, i0, j0, sum);
}
// [/async_copies]

// [warp_tiles]
/// The same, a thread's elements placed by warps.
template <class T, bool aligned, class S = Rung<T>>
__global__ __launch_bounds__(S::threads, S::at_once) void warp_tiles(View<const T> a, View<const T> b,
                                                                     View<T> c) {
  alignas(16) __shared__ Tiles<S> tiles;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  Loader<S> next = loader_at<S>(a, b, i0, j0, 0, tiles);
  const ByWarps<S> at(opaque(int(threadIdx.x)));
  const T *const a_at = opaque(&tiles.a[0][0][at.row]), *const b_at = opaque(&tiles.b[0][0][at.col]);
  T sum[TM][TN] = {};
  fetch<aligned>(next, b.ld(), 0);
  store_a(next, 0), cp_async_wait();
  __syncthreads();
  int stage = 0;
  for (Index p = 0; p < a.cols(); p += BK, stage ^= 1) {
    const bool more = p + BK < a.cols();
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      if (q == S::begin && more) fetch<aligned>(next, b.ld(), stage ^ 1);
      T a_q[TM], b_q[TN];
      take_from(a_q, a_at + (stage * BK + q) * BM, at.down);
      take_from(b_q, b_at + (stage * BK + q) * BN, at.right);
      multiply_add(sum, a_q, b_q);
    }
    if (more) store_a(next, stage ^ 1), cp_async_wait();
    __syncthreads();
  }
  add_tile<S, ByWarps>(c, i0, j0, sum);
}
// [/warp_tiles]

// [fragments_ahead]
/// The same, the next q's operands taken while this one's are multiplied: two sets of registers, in turns.
template <class T, bool aligned, class S = Rung<T>>
__global__ __launch_bounds__(S::threads, S::at_once) void fragments_ahead(View<const T> a, View<const T> b,
                                                                          View<T> c) {
  alignas(16) __shared__ Tiles<S> tiles;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  Loader<S> next = loader_at<S>(a, b, i0, j0, 0, tiles);
  const ByWarps<S> at(opaque(int(threadIdx.x)));
  const T *const a_at = opaque(&tiles.a[0][0][at.row]), *const b_at = opaque(&tiles.b[0][0][at.col]);
  // [operands_ahead]
  T sum[TM][TN] = {}, a_q[2][TM], b_q[2][TN];
  fetch<aligned>(next, b.ld(), 0);
  store_a(next, 0), cp_async_wait();
  __syncthreads();
  take_from(a_q[0], a_at, at.down), take_from(b_q[0], b_at, at.right);
  int stage = 0;
  for (Index p = 0; p < a.cols(); p += BK, stage ^= 1) {
    const bool more = p + BK < a.cols();
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      const bool last = q + 1 == BK;
      if (q == S::begin && more) fetch<aligned>(next, b.ld(), stage ^ 1);
      if (last && more) {  // what is taken next lies in the other pair of tiles
        store_a(next, stage ^ 1), cp_async_wait();
        __syncthreads();
      }
      const int from = last ? stage ^ 1 : stage, next_q = last ? 0 : q + 1;
#pragma unroll
      for (int s = 0; s < TN; ++s) {
        if (s == 0) take_from(a_q[(q + 1) % 2], a_at + (from * BK + next_q) * BM, at.down);
        if (s == TN / 2) take_from(b_q[(q + 1) % 2], b_at + (from * BK + next_q) * BN, at.right);
#pragma unroll
        for (int r = 0; r < TM; ++r) sum[r][s] += a_q[q % 2][r] * b_q[q % 2][s];
      }
    }
  }
  // [/operands_ahead]
  add_tile<S, ByWarps>(c, i0, j0, sum);
}
// [/fragments_ahead]

}  // namespace cuda_regtile
