// What the variants of 07 cost; worked out in README.md.
#pragma once

#include "gpu/cost.hpp"

namespace cuda_global::cost {

using course::along_row, course::Cost, course::down_column, course::element_a_thread, course::Index,
    course::Settings, course::Shape;

// [costs]
template <class T>
Cost uncoalesced(const Shape& s, const Settings& settings) {
  const auto [x, y] = settings.block;
  const Index lanes = std::min(x, Index{32});  // of a warp, along the rows; the others lie in the next column
  const double wavefronts = down_column(lanes, s.k * Index{sizeof(T)}) + along_row(32 / lanes, sizeof(T));
  return element_a_thread<T>(s, static_cast<double>(x), static_cast<double>(y), wavefronts,
                             course::Extents<T>(s).b);
}

template <class T>
Cost coalesced(const Shape& s, const Settings& settings) {
  const auto [x, y] = settings.block;
  const Index lanes = std::min(x, Index{32});  // of a warp, along the columns; the others lie in the next row
  const double wavefronts = down_column(32 / lanes, s.k * Index{sizeof(T)}) + along_row(lanes, sizeof(T));
  return element_a_thread<T>(s, static_cast<double>(y), static_cast<double>(x), wavefronts,
                             course::Extents<T>(s).b);
}
// [/costs]

}  // namespace cuda_global::cost
