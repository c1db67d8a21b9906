// Kernels of the exercises in README.md; tests/exercises_cpu_test.cpp runs them.
#pragma once

#include "common/view.hpp"

namespace avx2::exercises {

using course::Index;
using course::View;

/// dot_avx2 with four vectors of sums.
template <class T>
void dot_four(View<const T> a, View<const T> b, View<T> c, View<T> bt);

/// A bug to find: plain loops for what tiles of 6 × 16 leave over.
template <class T>
void edges_by_halves(View<const T> a, View<const T> b, View<T> c);

/// C += A·B, where A is stored by columns: `at` is its transpose, k × m.
template <class T>
void by_columns(View<const T> at, View<const T> b, View<T> c);

}  // namespace avx2::exercises
