// What the variants of 12 cost; worked out in README.md.
#pragma once

#include "gpu/cost.hpp"

namespace cuda_hopper::cost {

using course::Cost, course::Settings, course::Shape, course::bf16_tiles;

/// A warp makes 64 × 32 from tiles of 128 × 128: an element of A serves 32 multiply-adds, one of B 64.
inline Cost warp_tiles(const Shape& s, const Settings&) {
  return bf16_tiles(s, 128, 128, 2 / 32.0 + 2 / 64.0);
}
/// Four warps make 64 × 256 of a tile of 128 × 256, from shared memory.
inline Cost warpgroup_tiles(const Shape& s, const Settings&) {
  Cost cost = bf16_tiles(s, 128, 256, 2 / 256.0 + 2 / 64.0);
  cost.peak = "wgmma_shared";
  return cost;
}
/// Four warps make a tile of 128 × 128. Each of `blocks` stacked CTAs loads 1/`blocks` of the B tile from L2.
template <int blocks>
Cost tiles_in_turns(const Shape& s, const Settings&) {
  Cost cost = bf16_tiles(s, blocks * 128, 128, 2 / 128.0 + 2 / 64.0);
  cost.peak = "wgmma_shared";
  return cost;
}

}  // namespace cuda_hopper::cost
