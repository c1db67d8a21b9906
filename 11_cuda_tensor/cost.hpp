// What the variants of 11 cost; worked out in README.md.
#pragma once

#include "gpu/cost.hpp"

namespace cuda_tensor::cost {

using course::Cost, course::Settings, course::Shape, course::bf16_tiles;

/// Fragments of 16 × 16 × 16 from L2, each element for 16 multiply-adds.
inline Cost wmma(const Shape& s, const Settings&) {
  return bf16_tiles(s, 16, 16, 2 * 2 / 16.0);
}
/// A warp makes 64 × 32 from tiles of 128 × 128: an element of A serves 32 multiply-adds, one of B 64.
inline Cost warp_tiles(const Shape& s, const Settings&) {
  return bf16_tiles(s, 128, 128, 2 / 32.0 + 2 / 64.0);
}

}  // namespace cuda_tensor::cost
