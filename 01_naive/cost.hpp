// What the variants of 01 cost from -O2 on; worked out in README.md and LINES.md.
#pragma once

#include <type_traits>

#include "runner/cost.hpp"

namespace naive::cost {

using course::Cost, course::Extents, course::line, course::Settings, course::Shape;

// [ijk]
/// ijk: along a row of A and down a column of B, with one sum.
template <class T>
Cost ijk(const Shape& s, const Settings&) {
  const Extents<T> e(s);
  const double pass =
      e.k * (e.size + line);  // one element of C: a row of A, a line for each element of B's column
  Cost cost = e.least();
  cost.chain = e.madds;
  cost.loads_stores = 2 * e.size * e.madds;
  cost.reuses.push_back({e.size * e.madds, pass});  // the row of A, for the next j
  course::walk_down<T>(cost, e.madds, pass, e.b);   // B's lines, for the next j; then for the next i
  return cost;
}
// [/ijk]

/// ijk where the compiler may change the order of additions: a chain for each lane of an SSE2 register. Where
/// it may not, it multiplies as many at once, but adds the products in order: one chain, as ijk counts it.
template <class T>
Cost ijk_reordered(const Shape& s, const Settings& settings) {
  Cost cost = ijk<T>(s, settings);
  if constexpr (std::is_floating_point_v<T>) cost.chain /= 16 / sizeof(T);
  return cost;
}

/// ijk that asks for each row of B where it is (8 of the 24 bytes a vector takes), and stores the sum at each
/// step: so it multiplies one at a time, and keeps the order of additions, at any level.
template <class T>
Cost rows_of_rows(const Shape& s, const Settings&) {
  const Extents<T> e(s);
  const double header = 24, pass = e.k * (e.size + line + header);
  Cost cost = e.least();
  cost.chain = e.madds;
  cost.loads_stores = (3 * e.size + 8) * e.madds;
  cost.reuses.push_back({(e.size + header) * e.madds, pass});
  course::walk_down<T>(cost, e.madds, pass, e.b);
  return cost;
}

}  // namespace naive::cost
