// Compiled for this course's plain flags and once more for the host; holds nothing but these kernels.
#include "gemm.hpp"

namespace openmp {

COURSE_INLINE Index least(Index x, Index y) {
  return x < y ? x : y;
}

// [parallel_for]
template <class T>
void parallel_for(View<const T> a, View<const T> b, View<T> c, int threads) {
  const Index m = c.rows(), n = c.cols(), k = a.cols();
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index i = 0; i < m; ++i)
    for (Index p = 0; p < k; ++p) {
      const T factor = a(i, p);
      for (Index j = 0; j < n; ++j) c(i, j) += factor * b(p, j);
    }
}
// [/parallel_for]

// [collapse_simd]
template <class T>
void collapse_simd(View<const T> a, View<const T> b, View<T> c, int threads) {
  const Index m = c.rows(), n = c.cols(), k = a.cols();
#pragma omp parallel for collapse(2) num_threads(threads) schedule(static)
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      T sum = 0;
#pragma omp simd reduction(+ : sum)
      for (Index p = 0; p < k; ++p) sum += a(i, p) * b(p, j);
      c(i, j) += sum;
    }
}
// [/collapse_simd]

template <class T>
COURSE_INLINE void ikj(View<const T> a, View<const T> b, View<T> c) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index p = 0; p < a.cols(); ++p) {
      const T factor = a(i, p);
      for (Index j = 0; j < c.cols(); ++j) c(i, j) += factor * b(p, j);
    }
}

// [tiled]
template <class T>
void tiled(View<const T> a, View<const T> b, View<T> c, int threads, Index tile) {
  const Index rows = c.rows(), cols = c.cols();
#pragma omp parallel for collapse(2) num_threads(threads) schedule(static)
  for (Index i = 0; i < rows; i += tile)
    for (Index j = 0; j < cols; j += tile)
      for (Index p = 0; p < a.cols(); p += tile) {
        const Index m = least(tile, rows - i), n = least(tile, cols - j), k = least(tile, a.cols() - p);
        ikj(a.block(i, p, m, k), b.block(p, j, k, n), c.block(i, j, m, n));
      }
}
// [/tiled]

// [block]
/// Four rows of C += four columns of A times four rows of B, as in step 03; simd is OpenMP's word for
/// "independent".
template <class T>
[[gnu::always_inline]] inline void block_4x4(View<const T> a, View<const T> b, View<T> c) {
  T factor[4][4];
  for (Index i = 0; i < 4; ++i)
    for (Index p = 0; p < 4; ++p) factor[i][p] = a(i, p);
  const Index n = c.cols();
#pragma omp simd
  for (Index j = 0; j < n; ++j) {
    const T b_j[4] = {b(0, j), b(1, j), b(2, j),
                      b(3, j)};  // once: a store to C could change B, for all gcc knows
    for (Index i = 0; i < 4; ++i)
      c(i, j) +=
          factor[i][0] * b_j[0] + factor[i][1] * b_j[1] + factor[i][2] * b_j[2] + factor[i][3] * b_j[3];
  }
}
// [/block]

template <class T>
[[gnu::always_inline]] inline void blocks_4x4(View<const T> a, View<const T> b, View<T> c) {
  const Index m = c.rows() - c.rows() % 4, k = a.cols() - a.cols() % 4, n = c.cols();
  for (Index i = 0; i < m; i += 4)
    for (Index p = 0; p < k; p += 4)
      block_4x4<T>(a.block(i, p, 4, 4), b.block(p, 0, 4, n), c.block(i, 0, 4, n));
  ikj<T>(a.block(0, k, m, a.cols() - k), b.block(k, 0, a.cols() - k, n), c.block(0, 0, m, n));
  ikj<T>(a.block(m, 0, c.rows() - m, a.cols()), b, c.block(m, 0, c.rows() - m, n));
}

// [tiled_simd]
/// The tile of C at (i, j), with all of k.
template <class T>
[[gnu::always_inline]] inline void tile_of_c(View<const T> a, View<const T> b, View<T> c, Index i, Index j,
                                             Index tile) {
  const Index m = least(tile, c.rows() - i), n = least(tile, c.cols() - j);
  for (Index p = 0; p < a.cols(); p += tile) {
    const Index k = least(tile, a.cols() - p);
    blocks_4x4(a.block(i, p, m, k), b.block(p, j, k, n), c.block(i, j, m, n));
  }
}

// [tiles]
template <class T>
void tiled_simd(View<const T> a, View<const T> b, View<T> c, int threads, Index tile) {
  const Index rows = c.rows(), cols = c.cols();
#pragma omp parallel for collapse(2) num_threads(threads) schedule(static)
  for (Index i = 0; i < rows; i += tile)
    for (Index j = 0; j < cols; j += tile) tile_of_c(a, b, c, i, j, tile);
}
// [/tiles]
// [/tiled_simd]

COURSE_INSTANTIATE(parallel_for, int);
COURSE_INSTANTIATE(collapse_simd, int);
COURSE_INSTANTIATE(tiled, int, Index);
COURSE_INSTANTIATE(tiled_simd, int, Index);

}  // namespace openmp
