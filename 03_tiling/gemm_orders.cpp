// The experiment of SMALL_TILES.md: do tiles of 8 wait for their instructions, or for C on its way through
// memory?
#include "gemm.hpp"

namespace tiling {

// [rows]
/// The rows of one tile, outer × inner times: a row of C += a number of A times a row of B. How far a, b and
/// c go on from one time to the next decides which order of the loops this is; the instructions are the same.
template <class T>
[[gnu::noinline, gnu::noclone]] void rows(Index outer, Index inner, Index n, Walk<const T> a, Walk<const T> b,
                                          Walk<T> c) {
  for (; outer > 0; --outer, a.at += a.outer, b.at += b.outer, c.at += c.outer) {
    const T *factor = a.at, *from = b.at;
    T* to = c.at;
    for (Index x = 0; x < inner; ++x, factor += a.inner, from += b.inner, to += c.inner) {
      const T f = *factor;
      for (Index j = 0; j < n; ++j) to[j] += f * from[j];
    }
  }
}
// [/rows]

namespace {

COURSE_INLINE Index least(Index x, Index y) {
  return x < y ? x : y;
}

}  // namespace

// [orders]
template <class T>
void ikj_in_tiles(View<const T> a, View<const T> b, View<T> c, Index tile) {
  for (Index i = 0; i < c.rows(); i += tile)
    for (Index p = 0; p < a.cols(); p += tile)
      for (Index j = 0; j < c.cols(); j += tile) {
        const Index m = least(tile, c.rows() - i), k = least(tile, a.cols() - p),
                    n = least(tile, c.cols() - j);
        rows<T>(m, k, n, {&a(i, p), a.ld(), 1}, {&b(p, j), 0, b.ld()}, {&c(i, j), c.ld(), 0});
      }
}

template <class T>
void kij_in_tiles(View<const T> a, View<const T> b, View<T> c, Index tile) {
  for (Index i = 0; i < c.rows(); i += tile)
    for (Index p = 0; p < a.cols(); p += tile)
      for (Index j = 0; j < c.cols(); j += tile) {
        const Index m = least(tile, c.rows() - i), k = least(tile, a.cols() - p),
                    n = least(tile, c.cols() - j);
        rows<T>(k, m, n, {&a(i, p), 1, a.ld()}, {&b(p, j), b.ld(), 0}, {&c(i, j), 0, c.ld()});
      }
}
// [/orders]

COURSE_INSTANTIATE(ikj_in_tiles, Index);
COURSE_INSTANTIATE(kij_in_tiles, Index);

}  // namespace tiling
