// Tiles that come by themselves: B's by cp.async, the next while these are multiplied.
#pragma once

#include "gemm.cuh"

namespace cuda_regtile {

/// What a kernel does besides copying B's tiles by cp.async, each with all that is before it.
enum Idea { copies, warp_tiles, fragments_ahead, snake, c_ahead };

/// How a block's tile of BM × BN is shared out. Each step of k takes BK columns of A and rows of B, in
/// `slices` that have threads of their own.
template <class T_, int BM_, int BN_, int BK_, int slices_ = 1, Idea upto = snake>
struct Tiling {
  using T = T_;
  static constexpr int BM = BM_, BN = BN_, BK = BK_, slices = slices_, W = width<T>;
  static constexpr int per_slice = BM * BN / (TM * TN), threads = per_slice * slices;
  static constexpr int at_once = 2048 / int(sizeof(T)) / threads;  // 128 registers for a thread, f64 256
  static constexpr int share = TM * TN / slices;  // of a thread's elements, that its slice adds to C
  static constexpr bool warps = upto >= warp_tiles, ahead = upto >= fragments_ahead, snakes = upto >= snake,
                        brings_c = upto >= c_ahead;
  static constexpr int down = warps ? 4 * W : BM / (TM / W), right = warps ? 8 * W : BN / (TN / W);
  static constexpr int a_loads = BM * BK / (W * threads), b_loads = BK * BN / (W * threads);
  static constexpr int begin = sizeof(T) == 4 ? BK / slices / 2 : 1;  // at which q the next copies begin
  static constexpr int a_rows = threads / (BK / W), b_rows = threads / (BN / W);  // at a time
  static_assert(a_loads * a_rows == BM && b_loads * b_rows == BK, "as many loads for each thread");
};

/// A block's tiles: two of each, in turns.
template <class S>
struct Tiles {
  SharedTile<typename S::T, S::BK, S::BM> a[2];
  SharedTile<typename S::T, S::BK, S::BN> b[2];
};

/// Where in the tile a thread's first element lies.
struct Place {
  int row, col;
};

// [place]
/// A warp makes 32 × 64 elements by 4 × 8 threads: for each q it loads 32 elements of A and 64 of B, not 16
/// and 128. Half a warp is 2 × 8 threads, pair by pair, so that it is answered in one go.
template <class S>
__device__ Place place(int thread) {
  if (!S::warps) return {thread / (S::BN / TN) * S::W, thread % (S::BN / TN) * S::W};
  const int warp = thread / 32, lane = thread % 32;
  const int row = lane % 2 + lane / 16 * 2, col = lane / 2 % 8;
  return {warp / (S::BN / 64) * 32 + row * S::W, warp % (S::BN / 64) * 64 + col * S::W};
}
// [/place]

// [snake]
/// A column of sum += a_q · b_q: in a snake, there and back, so that the next multiply-add has an operand in
/// common with the last, which the multiprocessor need not read again.
template <bool snakes, class T>
__device__ void multiply_add_column(int s, T (&sum)[TM][TN], const T (&a_q)[TM], const T (&b_q)[TN]) {
#pragma unroll
  for (int step = 0; step < TM; ++step) {
    const int r = snakes && s % 2 == 1 ? TM - 1 - step : step;
    sum[r][s] += a_q[r] * b_q[s];
  }
}
// [/snake]

// [feed]
/// What a thread brings for each step: A's by way of registers, since it is transposed, B's by cp.async.
template <class S>
struct Feed {
  using T = typename S::T;
  const T *a[S::a_loads], *b;  // of the next step
  T *a_to, *b_to;              // in the first pair of tiles
  int left;                    // of k, from there on
  int cols;                    // of B's W, that are inside
  Vector<T> of_a[S::a_loads];
};

template <class S, class T>
__device__ Feed<S> feed_from(View<const T> a, View<const T> b, Index i0, Index j0, int step,
                             Tiles<S>& tiles) {
  const int thread = int(threadIdx.x);
  const int a_row = thread / (S::BK / S::W), a_q = thread % (S::BK / S::W) * S::W;
  const int b_q = thread / (S::BN / S::W), b_col = thread % (S::BN / S::W) * S::W;
  Index j = j0 + b_col;
  if (j >= b.cols() && b.cols() >= S::W) j = b.cols() / S::W * S::W - S::W;  // beyond it: stored nowhere, too
  const Index p = Index{step} * S::BK;
  Feed<S> feed;
  for (int l = 0; l < S::a_loads; ++l) {
    Index i = i0 + a_row + l * S::a_rows;
    if (i >= a.rows()) i = a.rows() - 1;            // beyond the last row: stored nowhere
    feed.a[l] = a.data() + i * a.ld() + (p + a_q);  // beyond the last column: not read
  }
  feed.b = b.data() + (p + b_q) * b.ld() + j;
  feed.a_to = kept(&tiles.a[0][a_q][a_row]), feed.b_to = kept(&tiles.b[0][b_q][b_col]);
  feed.left = int(a.cols() - p);
  feed.cols = j + S::W <= b.cols() ? S::W : j < b.cols() ? int(b.cols() - j) : 0;
  return feed;
}

/// Begins to bring the next step's.
template <class S, bool aligned>
__device__ void fetch(Feed<S>& feed, Index ld, int stage) {
  auto* const b_to = feed.b_to + stage * S::BK * S::BN;
  if (aligned && feed.cols == S::W && feed.left >= S::BK) {
#pragma unroll
    for (int l = 0; l < S::a_loads; ++l)
      feed.of_a[l] = *reinterpret_cast<const Vector<typename S::T>*>(feed.a[l]);
#pragma unroll
    for (int l = 0; l < S::b_loads; ++l)
      copy_async(b_to + l * S::b_rows * S::BN, feed.b + l * S::b_rows * ld);
  } else {
    const int thread = thread_number();
    const int a_q = thread % (S::BK / S::W) * S::W, b_q = thread / (S::BN / S::W);
#pragma unroll
    for (int l = 0; l < S::a_loads; ++l)
#pragma unroll
      for (int e = 0; e < S::W; ++e) feed.of_a[l].element[e] = a_q + e < feed.left ? feed.a[l][e] : 0;
#pragma unroll
    for (int l = 0; l < S::b_loads; ++l)
#pragma unroll
      for (int e = 0; e < S::W; ++e)
        copy_async_one(b_to + l * S::b_rows * S::BN + e, feed.b + l * S::b_rows * ld + e,
                       l * S::b_rows + b_q < feed.left && e < feed.cols);
  }
  end_of_copies();
#pragma unroll
  for (int l = 0; l < S::a_loads; ++l) feed.a[l] += S::BK;
  feed.b += S::BK * ld, feed.left -= S::BK;
}

/// Waits until it is there, for all threads.
template <class S>
__device__ void put(const Feed<S>& feed, int stage) {
  auto* const a_to = feed.a_to + stage * S::BK * S::BM;
#pragma unroll
  for (int l = 0; l < S::a_loads; ++l)
#pragma unroll
    for (int e = 0; e < S::W; ++e) a_to[e * S::BM + l * S::a_rows] = feed.of_a[l].element[e];
  wait_for_copies();
  __syncthreads();
}
// [/feed]

// [steps]
/// sum += the steps from `first` to `end` of the product's tile at (i0, j0).
template <class S, bool aligned, class T>
__device__ void multiply_steps(View<const T> a, View<const T> b, Index i0, Index j0, int first, int end,
                               Tiles<S>& tiles, T (&sum)[TM][TN]) {
  constexpr int depth = S::BK / S::slices;  // how many q a step is for this slice
  Feed<S> feed = feed_from<S>(a, b, i0, j0, first, tiles);
  const int thread = thread_number(), q0 = S::slices == 1 ? 0 : thread / S::per_slice * depth;
  const Place at = place<S>(thread % S::per_slice);
  const T *const a_at = kept(&tiles.a[0][q0][at.row]), *const b_at = kept(&tiles.b[0][q0][at.col]);
  T a_q[2][TM], b_q[2][TN];  // in turns
  const auto take_a = [&](int stage, int q) {
    take_from(a_q[q % 2], a_at + (stage * S::BK + q) * S::BM, S::down);
  };
  const auto take_b = [&](int stage, int q) {
    take_from(b_q[q % 2], b_at + (stage * S::BK + q) * S::BN, S::right);
  };
  fetch<S, aligned>(feed, b.ld(), 0);
  put(feed, 0);
  if (S::ahead) take_a(0, 0), take_b(0, 0);
  for (int step = first, stage = 0; step < end; ++step, stage ^= 1) {
    const bool more = step + 1 < end;
#pragma unroll
    for (int q = 0; q < depth; ++q) {
      const bool last = q + 1 == depth;
      if (q == S::begin && more) fetch<S, aligned>(feed, b.ld(), stage ^ 1);
      if (S::ahead && last && more) put(feed, stage ^ 1);
      if (!S::ahead) take_a(stage, q), take_b(stage, q);
#pragma unroll
      for (int s = 0; s < TN; ++s) {
        if (S::ahead && s == 0) take_a(last ? stage ^ 1 : stage, last ? 0 : q + 1);
        if (S::ahead && s == TN / 2) take_b(last ? stage ^ 1 : stage, last ? 0 : q + 1);
        multiply_add_column<S::snakes>(s, sum, a_q[q % 2], b_q[q % 2]);
      }
    }
    if (!S::ahead && more) put(feed, stage ^ 1);
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
  const int slice = thread_number() / S::per_slice, thread = thread_number() % S::per_slice;
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
// [/slices]

/// C's tile shall be near when it is needed: a line of 128 bytes a thread and turn.
template <class S, class T>
__device__ void bring_tile_near(View<T> c, Index i0, Index j0) {
  constexpr int in_line = 128 / int(sizeof(T)), across = S::BN / in_line;
  for (int line = int(threadIdx.x); line < S::BM * across; line += S::threads) {
    const Index i = i0 + line / across, j = j0 + line % across * in_line;
    if (i < c.rows() && j < c.cols()) bring_near(&c(i, j));
  }
}

// [add_tile]
/// C += what the threads have found. Element by element: 16 bytes at a time would tie the sums to registers
/// side by side, and the multiply-adds would wait for each other's operands. (Not so the sums of slices.)
template <class S, bool aligned, class T>
__device__ void add_tile(View<T> c, Index i0, Index j0, const T (&sum)[TM][TN]) {
  const int thread = thread_number(), slice = thread / S::per_slice;
  const Place at = place<S>(thread % S::per_slice);
  const bool all_inside = i0 + S::BM <= c.rows() && j0 + S::BN <= c.cols();
#pragma unroll
  for (int r = 0; r < TM; ++r) {
    const Index i = i0 + at.row + r / S::W * S::down + r % S::W;
    const auto col = [&](int s) { return j0 + at.col + s / S::W * S::right + s % S::W; };
    if (S::slices > 1) {
#pragma unroll
      for (int s = 0; s < TN; s += S::W)
        if ((r * TN + s) / S::share == slice) add<aligned>(c, i, col(s), &sum[r][s]);
      continue;
    }
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

// [async]
/// C += A·B, a tile a block.
template <class S, bool aligned, class T = typename S::T>
__global__ __launch_bounds__(S::threads, S::at_once) void async(View<const T> a, View<const T> b, View<T> c) {
  alignas(16) __shared__ Tiles<S> tiles;
  const Index i0 = Index{blockIdx.y} * S::BM, j0 = Index{blockIdx.x} * S::BN;
  if (S::brings_c) bring_tile_near<S>(c, i0, j0);
  T sum[TM][TN] = {};
  multiply_steps<S, aligned>(a, b, i0, j0, 0, int((a.cols() + S::BK - 1) / S::BK), tiles, sum);
  if (S::slices > 1) add_slices<S>(tiles, sum);
  add_tile<S, aligned>(c, i0, j0, sum);
}
// [/async]

/// How the work is shared: each tile of C takes `steps`; `across` tiles lie side by side. After some `waves`
/// of a whole tile for each block, `rest` tiles remain.
struct Shares {
  int across, steps, waves, rest;
};

// [stream_k]
/// C += A·B by as many blocks as the GPU runs at once, each with an equal part of the work: waves of whole
/// tiles first; then what remains, tile after tile, is one long row of steps, and cut into equal parts. A
/// tile that is cut is finished by the block that has its last steps; the others leave what they have found
/// in `parts`, and say in `ready` that this `run`'s is there. The order of additions is always the same.
template <class S, class T = typename S::T>
__global__ __launch_bounds__(S::threads, S::at_once) void stream_k(View<const T> a, View<const T> b,
                                                                   View<T> c, Shares shares, T* parts,
                                                                   unsigned* ready, unsigned run) {
  alignas(16) __shared__ Tiles<S> tiles;
  constexpr Index part = TM * TN * S::threads;
  const int steps = shares.steps, me = int(blockIdx.x);
  const auto begin_of = [&](int block) { return int(Index{shares.rest} * steps * block / int(gridDim.x)); };
  for (int wave = 0;; ++wave) {
    int tile = wave * int(gridDim.x) + me, first = 0, last = steps;
    if (wave >= shares.waves) {  // backwards: what another block waits for comes first
      const int begin = begin_of(me), end = begin_of(me + 1);
      const int cut = (end - 1) / steps - (wave - shares.waves);
      tile = shares.waves * int(gridDim.x) + cut;
      first = begin > cut * steps ? begin - cut * steps : 0;
      last = end < (cut + 1) * steps ? end - cut * steps : steps;
      if (first >= last) return;
    }
    const Index i0 = Index{tile / shares.across} * S::BM, j0 = Index{tile % shares.across} * S::BN;
    T sum[TM][TN] = {};
    multiply_steps<S, true>(a, b, i0, j0, first, last, tiles, sum);
    const int thread = thread_number();
    if (last < steps) {
#pragma unroll
      for (int e = 0; e < TM * TN; ++e) parts[me * part + e * S::threads + thread] = sum[e / TN][e % TN];
      __syncthreads();
      if (thread == 0) publish(&ready[me], run);
      continue;
    }
    const int begin_of_tile = (tile - shares.waves * int(gridDim.x)) * steps;
    for (int other = me - 1; first > 0 && begin_of(other + 1) > begin_of_tile; --other) {
      if (thread == 0) await(&ready[other], run);
      __syncthreads();
#pragma unroll
      for (int r = 0; r < TM; ++r) {
        T theirs[TN];  // all loads first: no addition waits for each of them
#pragma unroll
        for (int s = 0; s < TN; ++s)
          theirs[s] = read_afresh(&parts[other * part + (r * TN + s) * S::threads + thread]);
#pragma unroll
        for (int s = 0; s < TN; ++s) sum[r][s] += theirs[s];
      }
    }
    add_tile<S, true>(c, i0, j0, sum);
  }
}
// [/stream_k]

}  // namespace cuda_regtile
