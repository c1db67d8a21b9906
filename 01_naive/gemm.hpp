// 01: three loops. What each function is for stands in README.md.
#pragma once

#include <vector>

#include "common/view.hpp"

namespace naive {

using course::Index;
using course::View;

/// A matrix as a first course has it: one allocation a row, wherever the allocator puts it.
template <class T>
using Vectors = std::vector<std::vector<T>>;

/// C += A·B on vectors of vectors.
template <class T>
void rows_of_rows(const Vectors<T>& a, const Vectors<T>& b, Vectors<T>& c);

/// Throws std::out_of_range. In main.cpp: gemm.cpp holds nothing but kernels.
[[noreturn]] void out_of_range(Index i, Index j);

/// Element (i, j); throws std::out_of_range outside the matrix.
template <class T>
COURSE_INLINE T& at(View<T> matrix, Index i, Index j) {
  if (i < 0 || i >= matrix.rows() || j < 0 || j >= matrix.cols()) out_of_range(i, j);
  return matrix(i, j);
}

/// C += A·B, every access checked; throws std::out_of_range.
template <class T>
void checked(View<const T> a, View<const T> b, View<T> c);

/// C += A·B: the baseline of the course.
template <class T>
void ijk(View<const T> a, View<const T> b, View<T> c);

}  // namespace naive
