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

/// Strips of rows of C are shared out, the last one 64 times as high as the first; ikj inside. Dealt out
/// before the work begins, 64 / threads to each.
template <class T>
void growing_static(View<const T> a, View<const T> b, View<T> c, int threads);

/// The same, but a thread that has done its strip takes the next one that nobody has.
template <class T>
void growing_dynamic(View<const T> a, View<const T> b, View<T> c, int threads);

/// Rows of C are shared out; each thread sums up in memory, in a cache line of its own.
template <class T>
void sums_padded(View<const T> a, View<const T> b, View<T> c, int threads);

/// The same instructions; but two threads' sums lie in the same cache line: false sharing.
template <class T>
void sums_side_by_side(View<const T> a, View<const T> b, View<T> c, int threads);

}  // namespace openmp
