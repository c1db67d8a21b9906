// What the variants of 11 cost; worked out in README.md.
#pragma once

#include "gpu/cost.hpp"

namespace cuda_tensor::cost {

using course::Cost, course::Settings, course::Shape;

/// Tiles of BM × BN of C: a step of q brings A's part from L2 once for each tile in a row, B's once for each
/// in a column. C, in f32, is read and written once. Between L1 and the tensor cores `bytes` travel for each
/// multiply-add.
inline Cost tiles(const Shape& s, double BM, double BN, double bytes) {
  const double madds = s.flops() / 2, size = 2;
  const auto m = static_cast<double>(s.m), n = static_cast<double>(s.n), k = static_cast<double>(s.k);
  const double least = size * k * (m + n) + 4 * m * n;
  Cost cost{.flops = 2 * madds, .loads_stores = madds * bytes, .reuses = {{least, least}}};
  cost.reuses.push_back({madds / BN * size, course::beyond_l1});
  cost.reuses.push_back({madds / BM * size, std::max(size * k * n, course::beyond_l1)});
  return cost;
}

// [costs]
/// Fragments of 16 × 16 × 16 from L2, each element for 16 multiply-adds.
inline Cost wmma(const Shape& s, const Settings&) {
  return tiles(s, 16, 16, 2 * 2 / 16.0);
}
/// A warp makes 64 × 32 from tiles of 128 × 128: an element of A serves 32 multiply-adds, one of B 64.
inline Cost warp_tiles(const Shape& s, const Settings&) {
  return tiles(s, 128, 128, 2 / 32.0 + 2 / 64.0);
}
/// Four warps make 64 × 256 of a tile of 128 × 256, from shared memory.
inline Cost warpgroup_tiles(const Shape& s, const Settings&) {
  Cost cost = tiles(s, 128, 256, 2 / 256.0 + 2 / 64.0);
  cost.peak = "wgmma_shared";
  return cost;
}
// [/costs]

}  // namespace cuda_tensor::cost
