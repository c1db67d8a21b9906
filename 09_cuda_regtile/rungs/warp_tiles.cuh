// warp_tiles: the kernel of async_copies, with ByWarps as its Place instead of ByRows.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --size 2048 --variant async_copies,warp_tiles
#pragma once

#include "async_copies.cuh"

namespace cuda_regtile {

/// By warps: a warp makes 32 × 64 elements by 4 × 8 threads. For each q it loads 32 elements of A and 64 of
/// B, not 16 and 128. Half a warp is 2 × 8 threads, pair by pair, so that it is answered in one wavefront.
template <class S>
struct ByWarps {
  static constexpr int across = S::lanes_across;  // here 8
  static constexpr int down = S::lanes_down * S::W, right = across * S::W;
  static constexpr int warps = S::BN / (across * TN);  // side by side
  int row, col;
  constexpr explicit ByWarps(int thread) {
    const int warp = thread / 32, lane = thread % 32;
    const int down_warp = S::lanes_down == 1 ? 0 : lane % 2 + lane / (2 * across) * 2;
    const int across_warp = S::lanes_down == 1 ? lane : lane / 2 % across;
    row = warp / warps * S::lanes_down * TM + down_warp * S::W;
    col = warp % warps * across * TN + across_warp * S::W;
  }
};

}  // namespace cuda_regtile
