// warp_tiles: the kernel of async_copies, with ByWarps as its Place instead of ByRows.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --size 2048 --variant async_copies,warp_tiles
#pragma once

#include "async_copies.cuh"

namespace cuda_regtile {

// [place]
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

}  // namespace cuda_regtile
