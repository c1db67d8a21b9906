// What the variants of 03 cost: README.md works out the bytes of tiled, REGISTERS.md those of four_by_four.
// The distances of reuses are here alone.
#pragma once

#include <algorithm>

#include "runner/cost.hpp"

namespace tiling::cost {

using course::Cost, course::Extents, course::Settings, course::Shape;

// [tiles]
/// The reuses of tiles of m × k by k × n: B's tile serves the rows of its tile of C, then waits for the next
/// row of tiles; C's tile comes once for each step of tiles along k, A's once for each along n.
template <class T>
void tiles(Cost& cost, const Extents<T>& e, double tile) {
  const double m = std::min(tile, e.m), n = std::min(tile, e.n), k = std::min(tile, e.k);
  cost.reuses.push_back({e.size * e.madds, 2 * n * e.size, true});              // C's row, for the next p
  cost.reuses.push_back({e.size * e.madds, (k * n + 2 * n) * e.size});          // B's tile, for the next i
  cost.reuses.push_back({e.size * e.madds / m, e.b});                           // B, for the next tiles of C
  cost.reuses.push_back({e.size * e.madds / k, (k + m) * e.n * e.size, true});  // C's tile, for the next of k
  cost.reuses.push_back({e.size * e.madds / n, (m * k + k * n + m * n) * e.size});  // A's, for the next of n
}
// [/tiles]

// [tiled]
template <class T>
Cost tiled(const Shape& s, const Settings& settings) {
  const Extents<T> e(s);
  Cost cost = e.least();
  cost.loads_stores = 3 * e.size * e.madds;
  tiles(cost, e, static_cast<double>(settings.tile));
  return cost;
}
// [/tiled]

/// Inside an outer tile, the inner tiles find B and C within it.
template <class T>
Cost two_level(const Shape& s, const Settings& settings) {
  const Extents<T> e(s);
  const double inner = static_cast<double>(settings.tile), outer = 4 * inner;
  const double m = std::min(outer, e.m), n = std::min(outer, e.n), k = std::min(outer, e.k);
  Cost cost = tiled<T>(s, settings);
  for (auto& reuse : cost.reuses)
    reuse.distance =
        std::min(reuse.distance, (k * n + m * k + m * n) * e.size);  // no walk leaves the outer tile …
  cost.reuses.push_back({e.size * e.madds / m, e.b});                // … but from one to the next
  cost.reuses.push_back({e.size * e.madds / k, (k + m) * e.n * e.size, true});
  cost.reuses.push_back({e.size * e.madds / n, (m * k + k * n + m * n) * e.size});
  for (const auto& reuse : e.least().reuses) cost.reuses.push_back(reuse);
  return cost;
}

/// For sixteen multiply-adds four numbers of B are loaded, and four of C loaded and stored; tiles as before.
template <class T>
Cost four_by_four(const Shape& s, const Settings& settings) {
  const Extents<T> e(s);
  Cost cost = tiled<T>(s, settings);
  cost.loads_stores /= 4;
  cost.reuses[2].bytes /= 4,
      cost.reuses[2].distance = 8 * e.size * std::min(static_cast<double>(settings.tile), e.n);
  cost.reuses[3].bytes /= 4;
  return cost;
}

}  // namespace tiling::cost
