// What the variants of 07 cost; worked out in README.md.
#pragma once

#include <numeric>

#include "gpu/cost.hpp"

namespace cuda_global::cost {

using course::along_row, course::Cost, course::element_a_thread, course::Index, course::Settings,
    course::Shape;

/// As along_row, but of as many rows, `stride` bytes apart. The first level looks up four lines at a time,
/// and rows that begin in the same bank come one after the other.
inline double down_column(Index lanes, Index stride) {
  const Index banks = 128 / std::gcd(stride, Index{128});  // in which a row can begin
  return static_cast<double>(std::max(course::ceil_div(lanes, banks), course::ceil_div(lanes, 4)));
}

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
