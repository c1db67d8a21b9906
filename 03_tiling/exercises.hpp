// Code of the exercises in README.md; tests/exercises_cpu_test.cpp runs it.
#pragma once

#include "common/view.hpp"

namespace tiling::exercises {

using course::Index, course::View;

COURSE_INLINE Index least(Index x, Index y) {
  return x < y ? x : y;
}

template <class T>
void ikj(View<const T> a, View<const T> b, View<T> c) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index p = 0; p < a.cols(); ++p)
      for (Index j = 0; j < c.cols(); ++j) c(i, j) += a(i, p) * b(p, j);
}

/// A bug to find.
template <class T>
void right_for_squares(View<const T> a, View<const T> b, View<T> c, Index tile) {
  // [right_for_squares]
  for (Index i = 0; i < c.rows(); i += tile)
    for (Index p = 0; p < a.cols(); p += tile)
      for (Index j = 0; j < c.cols(); j += tile) {
        const Index m = least(tile, c.rows() - i), k = least(tile, a.cols() - p),
                    n = least(tile, c.rows() - j);
        ikj(a.block(i, p, m, k), b.block(p, j, k, n), c.block(i, j, m, n));
      }
  // [/right_for_squares]
}

// [oblong]
/// Tiles of A: height × depth, of B: depth × width, of C: height × width.
template <class T>
void oblong(View<const T> a, View<const T> b, View<T> c, Index height, Index depth, Index width) {
  for (Index i = 0; i < c.rows(); i += height)
    for (Index p = 0; p < a.cols(); p += depth)
      for (Index j = 0; j < c.cols(); j += width) {
        const Index m = least(height, c.rows() - i), k = least(depth, a.cols() - p),
                    n = least(width, c.cols() - j);
        ikj(a.block(i, p, m, k), b.block(p, j, k, n), c.block(i, j, m, n));
      }
}
// [/oblong]

}  // namespace tiling::exercises
