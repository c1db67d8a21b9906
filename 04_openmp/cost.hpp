// What the variants of 04 cost; worked out in README.md. The caches are each core's own, so is what a thread
// touches.
#pragma once

#include <algorithm>
#include <type_traits>

#include "runner/cost.hpp"

namespace openmp::cost {

using course::Cost, course::Extents, course::line, course::Settings, course::Shape;

/// ijk: each step down B's column touches a line; there are as many sums as a register of 16 bytes holds.
template <class T>
Cost collapse_simd(const Shape& s, const Settings&) {
  const Extents<T> e(s);
  const double pass = e.k * (e.size + line);
  Cost cost = e.least();
  cost.chain = e.madds / (16 / e.size);
  cost.loads_stores = 2 * e.size * e.madds;
  cost.reuses.push_back({e.size * e.madds, pass});
  course::walk_down<T>(cost, e.madds, pass, e.b);
  return cost;
}

/// Tiles of C: while one is worked on, tiles of A and B pass by; C's stays as long as a cache holds it and
/// one of B.
template <class T>
Cost tiled(const Shape& s, const Settings& settings) {
  const Extents<T> e(s);
  const double tile = static_cast<double>(settings.tile);
  const double m = std::min(tile, e.m), n = std::min(tile, e.n), k = std::min(tile, e.k);
  Cost cost = e.least();
  cost.loads_stores = 3 * e.size * e.madds;
  cost.reuses.push_back({e.size * e.madds, 2 * n * e.size, true});      // C's row, for the next p
  cost.reuses.push_back({e.size * e.madds, (k * n + 2 * n) * e.size});  // B's tile, for the next i
  cost.reuses.push_back({e.size * e.madds / m, e.b});                   // B, for the next tiles of C
  cost.reuses.push_back(
      {e.size * e.madds / k, (m * n + k * n + m * k) * e.size, true});  // C's tile, for the next of k
  return cost;
}

/// For sixteen multiply-adds four numbers of B are loaded, and four of C loaded and stored.
template <class T>
Cost tiled_simd(const Shape& s, const Settings& settings) {
  const Extents<T> e(s);
  const double n = std::min(static_cast<double>(settings.tile), e.n);
  Cost cost = tiled<T>(s, settings);
  cost.loads_stores /= 4;
  cost.reuses[2] = {cost.reuses[2].bytes / 4, 8 * n * e.size, true};  // four rows of C, for the next four p
  cost.reuses[3].bytes /= 4;
  return cost;
}

/// Half a cache line of sums at a time. Each step costs 8 cycles of store forwarding (step 03) plus 3 of
/// addition, modelled as an addition chain of equal length.
template <class T>
Cost sums(const Shape& s, const Settings&) {
  const Extents<T> e(s);
  const double half = line / 2, pass = e.k * (e.size + line);  // a row of A, a line of each row of B
  Cost cost = e.least();
  cost.chain = e.madds * e.size / half * (8 + 3) / 3;
  cost.loads_stores = 4 * e.size * e.madds;
  cost.reuses.push_back({e.size * e.madds, pass});  // the other half of B's lines
  cost.reuses.push_back({e.size * e.madds, e.b});   // B, for the next i
  return cost;
}

}  // namespace openmp::cost
