// Wrong on purpose: the verifier must refuse every one of them, on a GPU and on the host.
#pragma once

#include "gemm.hpp"

namespace openacc::wrong {

/// Whole tiles only: the edges of C stay as they were.
template <class T>
void edge_lost(View<const T> a, View<const T> b, View<T> c) {
  constexpr Index tile = 32;
  tiled<T>(a, b, c.block(0, 0, c.rows() / tile * tile, c.cols() / tile * tile));
}

/// Stops one row early.
template <class T>
void last_row_lost(View<const T> a, View<const T> b, View<T> c) {
  if (c.rows() > 0) omp_target_simd<T>(a, b, c.block(0, 0, c.rows() - 1, c.cols()));
}

/// Goes a column too far: `j <= c.cols()`.
template <class T>
void one_column_too_far(View<const T> a, View<const T> b, View<T> c) {
  const Index n = c.cols() + 1;
  one_each<T>(a, {b.data(), b.rows(), n, b.ld()}, {c.data(), c.rows(), n, c.ld()});
}

}  // namespace openacc::wrong
