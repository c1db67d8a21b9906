// What the rungs from kept_addresses on need: a tiling, a block's tiles, who brings what of them, where a
// thread's elements lie, and how they are added to C.
#pragma once

#include "elements.cuh"

namespace cuda_regtile {

/// How a block's tile of BM × BN is shared out. Each step of k takes BK columns of A and rows of B, in
/// `slices` that have threads of their own. From warp_tiles on a warp's threads lie `lanes_down` by
/// `lanes_across`.
template <class T_, int BM_, int BN_, int BK_, int slices_ = 1, int lanes_down_ = 4>
struct Tiling {
  using T = T_;
  static constexpr int BM = BM_, BN = BN_, BK = BK_, slices = slices_, W = width<T>;
  static constexpr int lanes_down = lanes_down_, lanes_across = 32 / lanes_down;
  static constexpr int per_slice = BM * BN / (TM * TN), threads = per_slice * slices;
  static constexpr int at_once = 2048 / int(sizeof(T)) / threads;  // 128 registers for a thread, f64 256
  static constexpr int reduced = TM * TN / slices;  // of a thread's elements, that its slice adds up
  static constexpr int in_a = BM * BK / W, in_b = BK * BN / W;  // vectors of a step
  static constexpr int a_loads = in_a < threads ? 1 : in_a / threads,
                       b_loads = in_b < threads ? 1 : in_b / threads;
  static constexpr int begin = sizeof(T) == 4 ? BK / slices / 2 : 1;  // at which q the next loads begin
  static constexpr int a_rows = threads / (BK / W), b_rows = threads / (BN / W);  // at a time
  static_assert(in_a < threads || a_loads * a_rows == BM, "as many loads for each thread");
  static_assert(in_b < threads || b_loads * b_rows == BK, "as many loads for each thread");
};

/// Whether this thread brings some of A, or of B: if there are more threads than vectors, the first ones do.
template <class S>
__device__ bool brings_a() {
  return S::in_a >= S::threads || int(threadIdx.x) < S::in_a;
}
template <class S>
__device__ bool brings_b() {
  return S::in_b >= S::threads || int(threadIdx.x) < S::in_b;
}

/// The number of steps of k. A count in 64 bits would cost a thread seven instructions a step.
template <class S>
__device__ int steps_of(Index k) {
  return int((k + S::BK - 1) / S::BK);
}

/// A block's tiles: two of each, in turns.
template <class S>
struct alignas(16) Tiles {
  SharedTile<typename S::T, S::BK, S::BM> a[2];
  SharedTile<typename S::T, S::BK, S::BN> b[2];
};

/// A thread's elements begin at (row, col) of its block's tile and come in runs of W, the next one `down`
/// rows or `right` columns further on. By rows, as in conflict_free: a warp makes 16 × 128 elements.
template <class S>
struct ByRows {
  static constexpr int down = S::BM / (TM / S::W), right = S::BN / (TN / S::W);
  int row, col;
  constexpr explicit ByRows(int thread)
      : row(thread / (S::BN / TN) * S::W), col(thread % (S::BN / TN) * S::W) {}
};

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
  const int of_a = brings_a<S>() ? int(threadIdx.x) : 0, of_b = brings_b<S>() ? int(threadIdx.x) : 0;
  const int a_row = of_a / (S::BK / S::W), a_q = of_a % (S::BK / S::W) * S::W;
  const int b_q = of_b / (S::BN / S::W), b_col = of_b % (S::BN / S::W) * S::W;
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
  next.a_to = opaque(tiles.a[0][a_q] + a_row), next.b_to = opaque(tiles.b[0][b_q] + b_col);
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
  if (!brings_a<S>()) return;
#pragma unroll
  for (int l = 0; l < S::a_loads; ++l) {
    if (all) next.a_next[l] = in_global<const Vector<typename S::T>>(next.a[l]);
#pragma unroll
    for (int e = 0; e < S::W && !all; ++e)
      next.a_next[l].element[e] = q + e < next.left ? in_global<const typename S::T>(next.a[l] + e) : 0;
  }
}

/// A's from registers into the tile of this stage, transposed.
template <class S>
__device__ void store_a(const Loader<S>& next, int stage) {
  auto* const to = next.a_to + stage * S::BK * S::BM;
  if (!brings_a<S>()) return;
#pragma unroll
  for (int l = 0; l < S::a_loads; ++l)
#pragma unroll
    for (int e = 0; e < S::W; ++e)
      in_shared<typename S::T>(to + e * S::BM + l * S::a_rows) = next.a_next[l].element[e];
}

/// C += what the threads have found, element by element.
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

// Up to serpentine a block's tile is 128 × 128, and a step takes 8 columns of A.
template <class T>
using DefaultTiling = Tiling<T, BM, BN, BK>;

}  // namespace cuda_regtile
