// 03: the same multiply-adds, tile by tile. What each function is for stands in the pages.
#pragma once

#include "common/view.hpp"

namespace tiling {

using course::Index;
using course::View;

// All compute C += A·B for any shape; `tile` >= 1 may exceed the matrix.

/// Tiles of tile × tile elements, their loops in ikj order, ikj inside.
template <class T>
void tiled(View<const T> a, View<const T> b, View<T> c, Index tile);

/// Tiles of four times that size in each direction, each of them tiled once more.
template <class T>
void two_level(View<const T> a, View<const T> b, View<T> c, Index tile);

/// Tiles, and inside a tile four rows of C by four rows of B at a time.
template <class T>
void four_by_four(View<const T> a, View<const T> b, View<T> c, Index tile);

// The experiment of SMALL_TILES.md, in gemm_orders.cpp: two orders inside a tile, by the same machine code.

/// A matrix as a loop walks it: its beginning, and the strides of the two counters.
template <class T>
struct Walk {
  T* at;
  Index outer, inner;
};

/// Row after row of C, and for each all rows of B, as in `tiled`.
template <class T>
void ikj_in_tiles(View<const T> a, View<const T> b, View<T> c, Index tile);

/// Row after row of B, and for each all rows of C.
template <class T>
void kij_in_tiles(View<const T> a, View<const T> b, View<T> c, Index tile);

}  // namespace tiling
