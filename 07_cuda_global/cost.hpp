// What the variants of 07 cost; worked out in README.md.
#pragma once

#include "gpu/cost.hpp"

namespace cuda_global::cost {

using course::along_row, course::Cost, course::down_column, course::Extents, course::Index, course::Settings,
    course::Shape;

/// A thread an element: for each p a warp makes `wavefronts`; a block of `rows` × `cols` takes its rows of A
/// and its columns of B from the second level.
template <class T>
Cost element_a_thread(const Shape& s, double rows, double cols, double wavefronts) {
  const Extents<T> e(s);
  Cost cost = e.least();
  cost.loads_stores = e.madds / 32 * wavefronts * 128;
  cost.reuses.push_back({e.madds / cols * e.size, course::elsewhere});
  cost.reuses.push_back({e.madds / rows * e.size, std::max(e.b, course::elsewhere)});
  return cost;
}

// [costs]
template <class T>
Cost uncoalesced(const Shape& s, const Settings& settings) {
  const auto [x, y] = course::block_of(settings);
  const Index lanes = std::min<Index>(x, 32);  // of a warp, along the rows; the others lie in the next column
  const double wavefronts = down_column(lanes, s.k * Index{sizeof(T)}) + along_row(32 / lanes, sizeof(T));
  return element_a_thread<T>(s, static_cast<double>(x), static_cast<double>(y), wavefronts);
}

template <class T>
Cost coalesced(const Shape& s, const Settings& settings) {
  const auto [x, y] = course::block_of(settings);
  const Index lanes = std::min<Index>(x, 32);  // of a warp, along the columns; the others lie in the next row
  const double wavefronts = down_column(32 / lanes, s.k * Index{sizeof(T)}) + along_row(lanes, sizeof(T));
  return element_a_thread<T>(s, static_cast<double>(y), static_cast<double>(x), wavefronts);
}
// [/costs]

}  // namespace cuda_global::cost
