// What the variants of 10 cost; worked out in README.md.
#pragma once

#include "gpu/cost.hpp"

namespace openacc::cost {

using course::along_row, course::Cost, course::element_a_thread, course::Settings, course::Shape;

/// For each p a warp loads one element of A and 32 neighbours of B.
template <class T>
double two_loads() {
  return 1 + along_row(32, sizeof(T));
}

/// A gang has up to 1024 neighbours in a row of C.
template <class T>
Cost one_each(const Shape& s, const Settings&) {
  return element_a_thread<T>(s, 1, 1024, two_loads<T>());
}

/// A gang has 32 × 32 elements of C.
template <class T>
Cost tiled(const Shape& s, const Settings&) {
  return element_a_thread<T>(s, 32, 32, two_loads<T>());
}

/// Four rows of A and four of B for sixteen multiply-adds. A gang: 1024 lanes; a row of them is a quarter of
/// n long, so that below n = 4096 they fill more than one.
template <class T>
Cost four_by_four(const Shape& s, const Settings&) {
  const double across = std::min(std::max(1., static_cast<double>(s.n) / 4), 1024.);
  return element_a_thread<T>(s, 4 * 1024 / across, 4 * across, 4 * two_loads<T>() / 16);
}

/// A warp an element: its loads serve one multiply-add, not 32, and of B's sector of 32 bytes one element is
/// used.
template <class T>
Cost omp_target(const Shape& s, const Settings&) {
  return element_a_thread<T>(s, sizeof(T) / 32.0, 1, 32 * 2);
}

/// A warp has 32 neighbours in a row of C.
template <class T>
Cost omp_target_simd(const Shape& s, const Settings&) {
  return element_a_thread<T>(s, 1, 32, two_loads<T>());
}

}  // namespace openacc::cost
