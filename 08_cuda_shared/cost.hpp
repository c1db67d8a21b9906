// What the variants of 08 cost; worked out in README.md.
#pragma once

#include <cmath>

#include "common/gpu.hpp"
#include "runner/cost.hpp"

namespace cuda_shared::cost {

using course::Cost, course::Extents, course::Index, course::Settings, course::Shape;

// [shared]
/// For each q a warp reads a row of B's tile and, four or two numbers at a time, one of A's; for each tile it
/// loads and stores twice. A block of fewer than 32 threads fills a part of its only warp.
template <class T>
Cost shared(const Shape& s, const Settings& settings) {
  const Extents<T> e(s);
  const auto tile = static_cast<double>(settings.tile);
  const double warps = e.m * e.n / (tile * tile) * std::ceil(tile * tile / 32);
  const double row = std::max(1.0, 32 * e.size / 128);  // wavefronts of 32 neighbours
  const double wavefronts = row + e.size / 16 + 4 * row / tile;
  Cost cost = e.least();
  cost.loads_stores = warps * e.k * wavefronts * 128;
  cost.reuses.push_back({e.madds / tile * e.size, course::elsewhere});
  cost.reuses.push_back({e.madds / tile * e.size, std::max(e.b, course::elsewhere)});
  return cost;
}
// [/shared]

}  // namespace cuda_shared::cost
