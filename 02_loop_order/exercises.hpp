// Kernels of the exercises in README.md; tests/exercises_cpu_test.cpp runs them.
#pragma once

#include "common/view.hpp"

namespace loop_order::exercises {

using course::Index;
using course::View;

/// c[j] += factor · b[j]: the innermost loop of ikj, alone.
// [add_row]
template <class T>
void add_row(const T* b, T* c, T factor, Index n) {
  for (Index j = 0; j < n; ++j) c[j] += factor * b[j];
}
// [/add_row]

/// The same, four elements at a time, all loaded before any is stored, as a vector is. n is a multiple of 4.
template <class T>
void add_row_by_fours(const T* b, T* c, T factor, Index n) {
  for (Index j = 0; j < n; j += 4) {
    T lanes[4];
    for (Index lane = 0; lane < 4; ++lane) lanes[lane] = c[j + lane] + factor * b[j + lane];
    for (Index lane = 0; lane < 4; ++lane) c[j + lane] = lanes[lane];
  }
}

/// The bug to find.
template <class T>
void only_the_last(View<const T> a, View<const T> b, View<T> c) {
  // [bug]
  for (Index i = 0; i < c.rows(); ++i)
    for (Index p = 0; p < a.cols(); ++p)
      for (Index j = 0; j < c.cols(); ++j) {
        T sum = p == 0 ? c(i, j) : T(0);
        sum += a(i, p) * b(p, j);
        c(i, j) = sum;
      }
  // [/bug]
}

// [two_at_once]
template <class T>
void two_at_once(View<const T> a, View<const T> b, View<T> c) {
  for (Index i = 0; i < c.rows(); ++i) {
    Index p = 0;
    for (; p + 1 < a.cols(); p += 2) {
      const T first = a(i, p), second = a(i, p + 1);
      for (Index j = 0; j < c.cols(); ++j) c(i, j) += first * b(p, j) + second * b(p + 1, j);
    }
    if (p < a.cols())  // the last one of an odd k
      for (Index j = 0; j < c.cols(); ++j) c(i, j) += a(i, p) * b(p, j);
  }
}
// [/two_at_once]

// [four_sums]
template <class T>
void four_sums(View<const T> a, View<const T> b, View<T> c, View<T> bt) {
  for (Index p = 0; p < b.rows(); ++p)
    for (Index j = 0; j < b.cols(); ++j) bt(j, p) = b(p, j);
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      T sum[4] = {c(i, j), 0, 0, 0};
      Index p = 0;
      for (; p + 3 < a.cols(); p += 4)
        for (Index s = 0; s < 4; ++s) sum[s] += a(i, p + s) * bt(j, p + s);
      for (; p < a.cols(); ++p) sum[0] += a(i, p) * bt(j, p);
      c(i, j) = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}
// [/four_sums]

}  // namespace loop_order::exercises
