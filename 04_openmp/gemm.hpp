// 04: the same multiply-adds, shared out among threads. What each function is for stands in README.md.
#pragma once

#include "common/view.hpp"

namespace openmp {

using course::Index;
using course::View;

// All compute C += A·B for any shape, with the same bits whatever the number of threads: no element of C is
// summed by two threads, and the order in which its products are added depends on the variant alone.

/// Rows of C are shared out; ikj inside.
template <class T>
void parallel_for(View<const T> a, View<const T> b, View<T> c, int threads);

/// Elements of C are shared out; the sum down a column of B is left to the vector unit.
template <class T>
void collapse_simd(View<const T> a, View<const T> b, View<T> c, int threads);

/// Tiles of C are shared out; ikj inside.
template <class T>
void tiled(View<const T> a, View<const T> b, View<T> c, int threads, Index tile);

/// Tiles of C are shared out; four rows of C by four of B inside.
template <class T>
void tiled_simd(View<const T> a, View<const T> b, View<T> c, int threads, Index tile);

/// The same, but a thread that has done its tile takes the next one that nobody has.
template <class T>
void tiled_dynamic(View<const T> a, View<const T> b, View<T> c, int threads, Index tile);

/// Columns of C are shared out, in blocks: each thread has its own cache lines of C, but for one at each
/// border.
template <class T>
void column_blocks(View<const T> a, View<const T> b, View<T> c, int threads);

/// Columns of C are shared out in turn: up to sixteen threads write into each cache line.
template <class T>
void columns_in_turn(View<const T> a, View<const T> b, View<T> c, int threads);

}  // namespace openmp
