// Compiled for this course's plain flags and once more for the host; holds nothing but these kernels.
#include "gemm.hpp"

namespace tiling {

// [least]
COURSE_INLINE Index least(Index x, Index y) {
  return x < y ? x : y;
}
// [/least]

// [ikj]
template <class T>
COURSE_INLINE void ikj(View<const T> a, View<const T> b, View<T> c) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index p = 0; p < a.cols(); ++p) {
      const T factor = a(i, p);
      for (Index j = 0; j < c.cols(); ++j) c(i, j) += factor * b(p, j);
    }
}
// [/ikj]

// [tiled]
template <class T>
void tiled(View<const T> a, View<const T> b, View<T> c, Index tile) {
  for (Index i = 0; i < c.rows(); i += tile)
    for (Index p = 0; p < a.cols(); p += tile)
      for (Index j = 0; j < c.cols(); j += tile) {
        const Index m = least(tile, c.rows() - i), k = least(tile, a.cols() - p),
                    n = least(tile, c.cols() - j);
        ikj(a.block(i, p, m, k), b.block(p, j, k, n), c.block(i, j, m, n));
      }
}
// [/tiled]

// [two_level]
template <class T>
void two_level(View<const T> a, View<const T> b, View<T> c, Index tile) {
  const Index outer = 4 * tile;
  for (Index i = 0; i < c.rows(); i += outer)
    for (Index p = 0; p < a.cols(); p += outer)
      for (Index j = 0; j < c.cols(); j += outer) {
        const Index m = least(outer, c.rows() - i), k = least(outer, a.cols() - p),
                    n = least(outer, c.cols() - j);
        tiled(a.block(i, p, m, k), b.block(p, j, k, n), c.block(i, j, m, n), tile);
      }
}
// [/two_level]

// [block]
/// Four rows of C += 4 × 4 numbers of A times four rows of B: a b(p, j) serves four i, a c(i, j) four p.
template <class T>
COURSE_INLINE void block_4x4(View<const T> a, View<const T> b, View<T> c) {
  T factor[4][4];
  for (Index i = 0; i < 4; ++i)
    for (Index p = 0; p < 4; ++p) factor[i][p] = a(i, p);
  const Index n = c.cols();
#pragma GCC ivdep  // no iteration of j depends on another; without this line gcc would have to assume it
  for (Index j = 0; j < n; ++j) {
    const T b_j[4] = {b(0, j), b(1, j), b(2, j), b(3, j)};  // once: a store to C might change B within one j
    for (Index i = 0; i < 4; ++i)
      c(i, j) +=
          factor[i][0] * b_j[0] + factor[i][1] * b_j[1] + factor[i][2] * b_j[2] + factor[i][3] * b_j[3];
  }
}
// [/block]

// [four_by_four]
template <class T>
COURSE_INLINE void blocks_4x4(View<const T> a, View<const T> b, View<T> c) {
  const Index m = c.rows() - c.rows() % 4, k = a.cols() - a.cols() % 4, n = c.cols();
  for (Index i = 0; i < m; i += 4)
    for (Index p = 0; p < k; p += 4)
      block_4x4<T>(a.block(i, p, 4, 4), b.block(p, 0, 4, n), c.block(i, 0, 4, n));
  ikj<T>(a.block(0, k, m, a.cols() - k), b.block(k, 0, a.cols() - k, n), c.block(0, 0, m, n));
  ikj<T>(a.block(m, 0, c.rows() - m, a.cols()), b, c.block(m, 0, c.rows() - m, n));
}

template <class T>
void four_by_four(View<const T> a, View<const T> b, View<T> c, Index tile) {
  for (Index i = 0; i < c.rows(); i += tile)
    for (Index p = 0; p < a.cols(); p += tile)
      for (Index j = 0; j < c.cols(); j += tile) {
        const Index m = least(tile, c.rows() - i), k = least(tile, a.cols() - p),
                    n = least(tile, c.cols() - j);
        blocks_4x4(a.block(i, p, m, k), b.block(p, j, k, n), c.block(i, j, m, n));
      }
}
// [/four_by_four]

COURSE_INSTANTIATE(tiled, Index);
COURSE_INSTANTIATE(two_level, Index);
COURSE_INSTANTIATE(four_by_four, Index);

}  // namespace tiling
