// 01: three loops. What each function is for stands in README.md.
#pragma once

#include "common/view.hpp"

namespace naive {

using course::Index;
using course::Rows;
using course::View;

/// C += A·B on vectors of vectors.
template <class T>
void rows_of_rows(const Rows<T>& a, const Rows<T>& b, Rows<T>& c);

/// C += A·B, every access to A and B checked; throws std::out_of_range.
template <class T>
void checked(View<const T> a, View<const T> b, View<T> c);

/// C += A·B: the baseline of the course.
template <class T>
void ijk(View<const T> a, View<const T> b, View<T> c);

}  // namespace naive
