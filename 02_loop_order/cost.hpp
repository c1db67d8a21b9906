// What the variants of 02 cost; README.md and VECTORS.md work it out.
#pragma once

#include <type_traits>

#include "runner/cost.hpp"

namespace loop_order::cost {

using course::Cost, course::Extents, course::line, course::Settings, course::Shape, course::walk_down;

/// ijk: a row of A along, a column of B down, one sum.
template <class T>
Cost ijk(const Shape& s, const Settings&) {
  const Extents<T> e(s);
  const double pass = e.k * (e.size + line);
  Cost cost = e.least();
  cost.chain = e.madds;
  cost.loads_stores = 2 * e.size * e.madds;
  cost.reuses.push_back({e.size * e.madds, pass});  // the row of A, for the next j
  walk_down<T>(cost, e.madds, pass, e.b);           // B's lines, for the next j; then for the next i
  return cost;
}

/// jik: the same inner loop; now the column of B is wanted again for the next i, the rows of A for the next
/// j.
template <class T>
Cost jik(const Shape& s, const Settings&) {
  const Extents<T> e(s);
  Cost cost = e.least();
  cost.chain = e.madds;
  cost.loads_stores = 2 * e.size * e.madds;
  cost.reuses.push_back({line * e.madds, e.k * (e.size + line)});
  cost.reuses.push_back({e.size * e.madds, e.a});
  return cost;
}

using course::ikj;

/// ikj_scalar: each load and store, of one number, takes as long as one of an SSE2 register.
template <class T>
Cost ikj_scalar(const Shape& s, const Settings& settings) {
  Cost cost = ikj<T>(s, settings);
  cost.loads_stores *= 16 / sizeof(T);
  return cost;
}

/// kij: the same inner loop; the row of B is wanted again for the next i, all of C for the next p.
template <class T>
Cost kij(const Shape& s, const Settings&) {
  const Extents<T> e(s);
  Cost cost = e.least();
  cost.loads_stores = 3 * e.size * e.madds;
  cost.reuses.push_back({e.size * e.madds, e.c, true});
  cost.reuses.push_back({e.size * e.madds, 2 * e.n * e.size});
  return cost;
}

// [jki]
/// jki: a column of A down, a column of C down.
template <class T>
Cost jki(const Shape& s, const Settings&) {
  const Extents<T> e(s);
  const double pass = 2 * e.m * line;  // a line for each element of both columns
  Cost cost = e.least();
  cost.loads_stores = 3 * e.size * e.madds;
  cost.reuses.push_back({line * e.madds, pass, true});  // C's column, for the next p
  walk_down<T>(cost, e.madds, pass, e.a);               // A's lines, for the next p; then for the next j
  return cost;
}
// [/jki]

/// kji: the same inner loop; now A's column is wanted again for the next j, C's lines for the next j and the
/// next p.
template <class T>
Cost kji(const Shape& s, const Settings&) {
  const Extents<T> e(s);
  const double pass = 2 * e.m * line;
  Cost cost = e.least();
  cost.loads_stores = 3 * e.size * e.madds;
  cost.reuses.push_back({line * e.madds, pass});
  walk_down<T>(cost, e.madds, pass, e.c, true);
  return cost;
}

/// transposed: two rows along, one sum; integers may be added in any order, so theirs is no chain. The copy
/// walks down Bᵀ.
template <class T>
Cost transposed(const Shape& s, const Settings&) {
  const Extents<T> e(s);
  Cost cost = e.least();
  cost.chain = std::is_integral_v<T> ? 0 : e.madds;
  cost.loads_stores = 2 * e.size * e.madds;
  cost.reuses.push_back({e.size * e.madds, 2 * e.k * e.size});  // the row of A, for the next j
  cost.reuses.push_back({e.size * e.madds, e.b});               // Bᵀ, for the next i
  walk_down<T>(cost, e.n * e.k, e.n * line, e.b);               // the copy: Bᵀ's lines
  return cost;
}

/// contiguous: ijk that stores its sum at each step.
template <class T>
Cost contiguous(const Shape& s, const Settings& settings) {
  Cost cost = ijk<T>(s, settings);
  cost.loads_stores *= 1.5;
  return cost;
}

}  // namespace loop_order::cost
