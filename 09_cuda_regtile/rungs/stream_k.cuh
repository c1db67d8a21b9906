// stream_k: as large_tiles, but each block computes an equal share of all steps instead of whole tiles.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --size 2048 --variant large_tiles,stream_k
#pragma once

#include "serpentine.cuh"

namespace cuda_regtile {

/// The steps from `first` to `end` of one of C's tiles.
struct Segment {
  int tile, first, end;
};

/// How the work is shared: each tile of C takes `steps`; `across` tiles lie side by side. Each of the
/// `blocks` makes a whole tile in each of some `waves`. The `rest` of the tiles, one after the other, is a
/// long row of steps, and cut into equal parts.
struct Schedule {
  int across, steps, waves, rest, blocks;

  /// Where in that row a block's part begins.
  constexpr int begin_of(int block) const { return int(Index{rest} * steps * block / blocks); }

  /// A block's segment in a wave; an empty one when it has nothing more to do. Its part of the row it goes
  /// through backwards: what another block waits for comes first.
  constexpr Segment segment_of(int block, int wave) const {
    if (wave < waves) return {wave * blocks + block, 0, steps};
    const int begin = begin_of(block), end = begin_of(block + 1);
    const int cut = (end - 1) / steps - (wave - waves), at = cut * steps;  // a tile of the rest
    return {waves * blocks + cut, begin > at ? begin - at : 0, end < at + steps ? end - at : steps};
  }
};

/// The partial sums that blocks have stored for others: `ready` says in which run.
template <class T>
struct Partials {
  T* sums;
  unsigned *ready, run;
};

// [fix_up]
/// Stores the sums of a cut tile for the block that has the tile's last steps.
template <class S, class T>
__device__ void store_partials(Partials<T> partials, int me, const T (&sum)[TM][TN]) {
  const int thread = opaque(int(threadIdx.x));
#pragma unroll
  for (int e = 0; e < TM * TN; ++e)
    in_global<T>(partials.sums + (Index{me} * TM * TN + e) * S::threads + thread) = sum[e / TN][e % TN];
  __syncthreads();
  if (thread == 0) store_release(&partials.ready[me], partials.run);
}

/// Waits for another block's partial sums, and adds them.
template <class S, class T>
__device__ void fix_up(Partials<T> partials, int other, T (&sum)[TM][TN]) {
  const int thread = opaque(int(threadIdx.x));
  if (thread == 0) wait_acquire(&partials.ready[other], partials.run);
  __syncthreads();
#pragma unroll
  for (int r = 0; r < TM; ++r) {
    T theirs[TN];  // all loads first: no addition waits for each of them
#pragma unroll
    for (int s = 0; s < TN; ++s)
      theirs[s] = ldcg(&partials.sums[(Index{other} * TM * TN + r * TN + s) * S::threads + thread]);
#pragma unroll
    for (int s = 0; s < TN; ++s) sum[r][s] += theirs[s];
  }
}
// [/fix_up]

// [stream_k]
/// C += A·B in equal shares. A tile that is cut is finished by the block that has its last steps; the others
/// store partial sums. The order of additions is always the same. Blocks wait for each other, so all
/// must run at once.
template <class S, class T = typename S::T>
__global__ __launch_bounds__(S::threads, S::at_once) void stream_k(View<const T> a, View<const T> b,
                                                                   View<T> c, Schedule schedule,
                                                                   Partials<T> partials) {
  alignas(16) __shared__ Tiles<S> tiles;
  const int me = int(blockIdx.x);
  for (int wave = 0;; ++wave) {
    const Segment segment = schedule.segment_of(me, wave);
    if (segment.first >= segment.end) return;
    const Index i0 = Index{segment.tile / schedule.across} * S::BM,
                j0 = Index{segment.tile % schedule.across} * S::BN;
    T sum[TM][TN] = {};
    multiply_steps<S, true>(a, b, i0, j0, segment.first, segment.end, tiles, sum);
    if (segment.end < schedule.steps) {
      store_partials<S>(partials, me, sum);
      continue;
    }
    const int begin_of_tile = (segment.tile - schedule.waves * schedule.blocks) * schedule.steps;
    for (int other = me - 1; segment.first > 0 && schedule.begin_of(other + 1) > begin_of_tile; --other)
      fix_up<S>(partials, other, sum);
    add_tile<S, ByWarps>(c, i0, j0, sum);
  }
}
// [/stream_k]

}  // namespace cuda_regtile
