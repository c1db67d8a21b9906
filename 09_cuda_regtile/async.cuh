// Tiles that come by themselves: B's by cp.async, the next while these are multiplied. f32.
#pragma once

#include "gemm.cuh"

namespace cuda_regtile {

/// How a block's tile of BM × BN is shared out. Each step of k takes BK columns of A and rows of B, in
/// `slices` that have threads of their own.
template <int BM_, int BN_, int BK_, int slices_ = 1, bool warps_ = true>
struct Tiling {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, slices = slices_;
  static constexpr int per_slice = BM * BN / (TM * TN), threads = per_slice * slices;
  static constexpr int at_once = 512 / threads;   // blocks on a multiprocessor: 128 registers for each thread
  static constexpr int share = TM * TN / slices;  // of a thread's elements, that its slice adds to C
  static constexpr bool warps = warps_;
  static constexpr int down = warps ? 16 : BM / 2, right = warps ? 32 : BN / 2;  // to a thread's other run
  static_assert(BM * BK == 4 * threads && BK * BN % (4 * threads) == 0, "16 bytes of A a thread; and of B");
};

/// Where in the tile a thread's first element lies.
struct Place {
  int row, col;
};

// [place]
/// A warp makes 32 × 64 elements, 4 × 8 threads: for each q it loads 32 elements of A and 64 of B, not 16 and
/// 128.
template <class S>
__device__ Place place(int thread) {
  if (!S::warps) return {thread / (S::BN / TN) * 4, thread % (S::BN / TN) * 4};
  const int warp = thread / 32, lane = thread % 32;
  return {warp / (S::BN / 64) * 32 + lane / 8 * 4, warp % (S::BN / 64) * 64 + lane % 8 * 4};
}
// [/place]

// [snake]
/// sum += a_q · b_q, there and back: the next multiply-add has an operand in common with the last, which the
/// multiprocessor need not read again.
__device__ inline void multiply_add_snake(float (&sum)[TM][TN], const float (&a_q)[TM],
                                          const float (&b_q)[TN]) {
#pragma unroll
  for (int r = 0; r < TM; ++r)
#pragma unroll
    for (int step = 0; step < TN; ++step) {
      const int s = r % 2 == 0 ? step : TN - 1 - step;
      sum[r][s] += a_q[r] * b_q[s];
    }
}
// [/snake]

template <class S>
using ATiles = SharedTile<float, S::BK, S::BM>[2];
template <class S>
using BTiles = SharedTile<float, S::BK, S::BN>[2];

// [feed]
/// What a thread brings for each step: A's by way of registers, since it is transposed, B's by cp.async.
struct Feed {
  const float *a, *b;  // of the next step
  int left;            // of k, from there on
  int cols;            // of four of B, that are inside
  Vector<float> of_a;
};

template <class S>
__device__ Feed feed_from(View<const float> a, View<const float> b, Index i0, Index j0, int step) {
  const int thread = thread_number();
  const Index i = i0 + thread % S::BM, p = Index{step} * S::BK, j = j0 + thread % (S::BN / 4) * 4;
  Feed feed;
  feed.a =
      &a(i < a.rows() ? i : a.rows() - 1, p + thread / S::BM * 4);  // beyond the last row: stored nowhere
  feed.b = b.data() + (p + thread / (S::BN / 4)) * b.ld() + j;
  feed.left = int(a.cols() - p);
  feed.cols = j + 4 <= b.cols() ? 4 : j < b.cols() ? int(b.cols() - j) : 0;
  return feed;
}

/// Begins to bring the next step's.
template <class S, bool aligned>
__device__ void fetch(Feed& feed, Index ld, SharedTile<float, S::BK, S::BN>& b_tile) {
  constexpr int rows = S::threads / (S::BN / 4);  // of B, at a time
  const int thread = thread_number();
  const int a_q = thread / S::BM * 4, b_q = thread / (S::BN / 4), col = thread % (S::BN / 4) * 4;
  if (aligned && feed.cols == 4 && feed.left >= S::BK) {
    feed.of_a = *reinterpret_cast<const Vector<float>*>(feed.a);
#pragma unroll
    for (int q = 0; q < S::BK; q += rows) copy_async(&in_tile<float>(b_tile[q + b_q], col), feed.b + q * ld);
  } else {
#pragma unroll
    for (int e = 0; e < 4; ++e) feed.of_a.element[e] = a_q + e < feed.left ? feed.a[e] : 0;
#pragma unroll
    for (int q = 0; q < S::BK; q += rows)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        copy_async_one(&b_tile[q + b_q][col + e], feed.b + q * ld + e, q + b_q < feed.left && e < feed.cols);
  }
  feed.a += S::BK, feed.b += S::BK * ld, feed.left -= S::BK;
}

/// Waits until it is there, for all threads.
template <class S>
__device__ void put(const Feed& feed, SharedTile<float, S::BK, S::BM>& a_tile) {
  const int thread = thread_number();
#pragma unroll
  for (int e = 0; e < 4; ++e) a_tile[thread / S::BM * 4 + e][thread % S::BM] = feed.of_a.element[e];
  wait_for_copies();
  __syncthreads();
}
// [/feed]

// [steps]
/// sum += the steps from `first` to `end` of the product's tile at (i0, j0).
template <class S, bool aligned>
__device__ void multiply_steps(View<const float> a, View<const float> b, Index i0, Index j0, int first,
                               int end, ATiles<S>& a_tile, BTiles<S>& b_tile, float (&sum)[TM][TN]) {
  Feed feed = feed_from<S>(a, b, i0, j0, first);
  const int thread = thread_number(), q0 = S::slices == 1 ? 0 : thread / S::per_slice * (S::BK / S::slices);
  const Place at = place<S>(thread % S::per_slice);
  fetch<S, aligned>(feed, b.ld(), b_tile[0]);
  put<S>(feed, a_tile[0]);
  for (int step = first, stage = 0; step < end; ++step, stage ^= 1) {
    const bool more = step + 1 < end;
    if (more) fetch<S, aligned>(feed, b.ld(), b_tile[stage ^ 1]);
#pragma unroll
    for (int q = 0; q < S::BK / S::slices; ++q) {
      float a_q[TM], b_q[TN];
      take(a_q, a_tile[stage][q0 + q], at.row, S::down);
      take(b_q, b_tile[stage][q0 + q], at.col, S::right);
      multiply_add_snake(sum, a_q, b_q);
    }
    if (more) put<S>(feed, a_tile[stage ^ 1]);
  }
  __syncthreads();  // the tiles are free again
}
// [/steps]

// [slices]
/// Adds what the slices have found; each then holds its share of its threads' elements, TM · TN / slices of
/// them. `room`: of (slices - 1) · per_slice times as many.
template <class S>
__device__ void add_slices(float* room, float (&sum)[TM][TN]) {
  const int slice = thread_number() / S::per_slice, thread = thread_number() % S::per_slice;
#pragma unroll
  for (int owner = 0; owner < S::slices; ++owner) {
    if (slice != owner) {
      float* const mine = room + (slice - (slice > owner)) * S::per_slice * S::share + thread;
#pragma unroll
      for (int e = 0; e < S::share; ++e)
        mine[e * S::per_slice] = sum[(owner * S::share + e) / TN][(owner * S::share + e) % TN];
    }
    __syncthreads();
    if (slice == owner)
      for (int other = 0; other < S::slices - 1; ++other)
#pragma unroll
        for (int e = 0; e < S::share; ++e)
          sum[(owner * S::share + e) / TN][(owner * S::share + e) % TN] +=
              room[(other * S::share + e) * S::per_slice + thread];
    __syncthreads();
  }
}
// [/slices]

/// C += what the threads have found.
template <class S, bool aligned>
__device__ void add_tile(View<float> c, Index i0, Index j0, const float (&sum)[TM][TN]) {
  const int thread = thread_number(), slice = thread / S::per_slice;
  const Place at = place<S>(thread % S::per_slice);
#pragma unroll
  for (int r = 0; r < TM; ++r)
#pragma unroll
    for (int s = 0; s < TN; s += 4)
      if ((r * TN + s) / S::share == slice)
        add<aligned>(c, i0 + at.row + r / 4 * S::down + r % 4, j0 + at.col + s / 4 * S::right, &sum[r][s]);
}

// [async]
/// C += A·B, a tile a block.
template <class S, bool aligned>
__global__ __launch_bounds__(S::threads, S::at_once) void async(View<const float> a, View<const float> b,
                                                                View<float> c) {
  alignas(16) __shared__ ATiles<S> a_tile;
  alignas(16) __shared__ BTiles<S> b_tile;
  const Index i0 = Index{blockIdx.y} * S::BM, j0 = Index{blockIdx.x} * S::BN;
  float sum[TM][TN] = {};
  multiply_steps<S, aligned>(a, b, i0, j0, 0, int((a.cols() + S::BK - 1) / S::BK), a_tile, b_tile, sum);
  if (S::slices > 1) add_slices<S>(&b_tile[0][0][0], sum);
  add_tile<S, aligned>(c, i0, j0, sum);
}
// [/async]

// [stream_k]
/// C += A·B by as many blocks as the GPU runs at once, each with an equal part of the work: rounds of whole
/// tiles first; then what remains, tile after tile, is one long row of steps, and cut into equal parts. A
/// tile that is cut is finished by the block that has its last steps; the others leave what they have found
/// in `parts`, and say in `ready` that this `run`'s is there. The order of additions is always the same.
template <class S, bool aligned>
__global__ __launch_bounds__(S::threads, S::at_once) void stream_k(View<const float> a, View<const float> b,
                                                                   View<float> c, float* parts,
                                                                   unsigned* ready, unsigned run) {
  alignas(16) __shared__ ATiles<S> a_tile;
  alignas(16) __shared__ BTiles<S> b_tile;
  constexpr Index part = TM * TN * S::threads;
  const int steps = (int(a.cols()) + S::BK - 1) / S::BK;
  const int across = int((c.cols() + S::BN - 1) / S::BN),
            tiles = across * int((c.rows() + S::BM - 1) / S::BM);
  const int blocks = int(gridDim.x), me = int(blockIdx.x);
  const int rounds = tiles > blocks ? tiles / blocks - 1 : 0;
  const int rest = tiles - rounds * blocks;
  const auto begin_of = [&](int block) { return int(Index{rest} * steps * block / blocks); };
  for (int round = 0;; ++round) {
    int tile = round * blocks + me, first = 0, last = steps;
    if (round >= rounds) {  // backwards: what another block waits for comes first
      const int begin = begin_of(me), end = begin_of(me + 1);
      const int cut = (end - 1) / steps - (round - rounds);
      tile = rounds * blocks + cut;
      first = begin > cut * steps ? begin - cut * steps : 0;
      last = end < (cut + 1) * steps ? end - cut * steps : steps;
      if (first >= last) return;
    }
    const Index i0 = Index{tile / across} * S::BM, j0 = Index{tile % across} * S::BN;
    float sum[TM][TN] = {};
    multiply_steps<S, aligned>(a, b, i0, j0, first, last, a_tile, b_tile, sum);
    const int thread = thread_number();
    if (last < steps) {
#pragma unroll
      for (int e = 0; e < TM * TN; ++e) parts[me * part + e * S::threads + thread] = sum[e / TN][e % TN];
      __syncthreads();
      if (thread == 0) publish(&ready[me], run);
      continue;
    }
    for (int other = me - 1; first > 0 && begin_of(other + 1) > (tile - rounds * blocks) * steps; --other) {
      if (thread == 0) await(&ready[other], run);
      __syncthreads();
#pragma unroll
      for (int e = 0; e < TM * TN; ++e) sum[e / TN][e % TN] += parts[other * part + e * S::threads + thread];
    }
    add_tile<S, aligned>(c, i0, j0, sum);
  }
}
// [/stream_k]

}  // namespace cuda_regtile
