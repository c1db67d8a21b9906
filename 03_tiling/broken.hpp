// Wrong on purpose, tile by tile: the verifier must refuse every one of them.
#pragma once

#include "gemm.hpp"

namespace tiling::wrong {

/// Whole tiles only: the columns at the right and the rows at the bottom are forgotten.
template <class T>
void whole_tiles_only(View<const T> a, View<const T> b, View<T> c, Index tile) {
  const Index m = c.rows() / tile * tile, k = a.cols() / tile * tile, n = c.cols() / tile * tile;
  tiled<T>(a.block(0, 0, m, k), b.block(0, 0, k, n), c.block(0, 0, m, n), tile);
}

/// The same, but only the tiles along k are cut short.
template <class T>
void last_tile_of_k_lost(View<const T> a, View<const T> b, View<T> c, Index tile) {
  const Index k = a.cols() > tile ? (a.cols() - 1) / tile * tile : a.cols() - 1;
  tiled<T>(a.block(0, 0, c.rows(), k), b.block(0, 0, k, c.cols()), c, tile);
}

/// Sets C at the first product of every tile instead of adding: right while one tile holds all of k and C was
/// zero.
template <class T>
void overwritten_by_each_tile(View<const T> a, View<const T> b, View<T> c, Index tile) {
  for (Index p = 0; p < a.cols(); p += tile) {
    const Index k = a.cols() - p < tile ? a.cols() - p : tile;
    for (Index i = 0; i < c.rows(); ++i)
      for (Index j = 0; j < c.cols(); ++j) c(i, j) = 0;
    tiled<T>(a.block(0, p, c.rows(), k), b.block(p, 0, k, c.cols()), c, tile);
  }
}

/// Edges of tiles are counted twice: the loops step by tile - 1 and take tile.
template <class T>
void overlapping(View<const T> a, View<const T> b, View<T> c, Index tile) {
  const Index step = tile > 1 ? tile - 1 : 1, width = tile > 1 ? tile : 2;
  for (Index p = 0; p < a.cols(); p += step) {
    const Index k = a.cols() - p < width ? a.cols() - p : width;
    tiled<T>(a.block(0, p, c.rows(), k), b.block(p, 0, k, c.cols()), c, tile);
  }
}

}  // namespace tiling::wrong
