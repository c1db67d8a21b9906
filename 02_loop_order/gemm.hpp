// 02: the same multiply-adds in another order. What each function is for stands in the pages.
#pragma once

#include <vector>

#include "common/view.hpp"

namespace loop_order {

using course::Index;
using course::View;

/// A matrix as a first course has it: one allocation a row, wherever the allocator puts it.
template <class T>
using Vectors = std::vector<std::vector<T>>;

// The six orders, named from the outermost loop to the innermost; k is the loop over p. All compute C += A·B.

template <class T>
void ijk(View<const T> a, View<const T> b, View<T> c);
template <class T>
void ikj(View<const T> a, View<const T> b, View<T> c);

/// ikj, four vectors for each turn of its innermost loop.
template <class T>
void ikj_unrolled(View<const T> a, View<const T> b, View<T> c);
template <class T>
void jik(View<const T> a, View<const T> b, View<T> c);
template <class T>
void jki(View<const T> a, View<const T> b, View<T> c);
template <class T>
void kij(View<const T> a, View<const T> b, View<T> c);
template <class T>
void kji(View<const T> a, View<const T> b, View<T> c);

/// ikj, compiled without vector instructions: one number at a time.
template <class T>
void ikj_scalar(View<const T> a, View<const T> b, View<T> c);

/// C += A·B by dot products of rows of A and rows of Bᵀ, which it first writes into `bt` (n × k).
template <class T>
void transposed(View<const T> a, View<const T> b, View<T> c, View<T> bt);

/// ikj on vectors of vectors: the swap without contiguity.
template <class T>
void rows_ikj(const Vectors<T>& a, const Vectors<T>& b, Vectors<T>& c);

/// 01's rows_of_rows on one block of memory: contiguity without the swap.
template <class T>
void contiguous(View<const T> a, View<const T> b, View<T> c);

}  // namespace loop_order
