// Kernels of the exercises in README.md; tests/exercises_cpu_test.cpp runs them.
#pragma once

#include "common/view.hpp"

namespace naive::exercises {

using course::Index;
using course::View;

// [bug]
template <class T>
void ijk(View<const T> a, View<const T> b, View<T> c) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      T sum = c(i, j);
      const T* down = b.data() + j;
      for (Index p = 0; p < a.cols(); ++p, down += b.cols()) sum += a(i, p) * *down;
      c(i, j) = sum;
    }
}
// [/bug]

// [four_sums]
template <class T>
void four_sums(View<const T> a, View<const T> b, View<T> c) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      T sum[4] = {};
      Index p = 0;
      for (; p + 4 <= a.cols(); p += 4)
        for (Index s = 0; s < 4; ++s) sum[s] += a(i, p + s) * b(p + s, j);
      for (; p < a.cols(); ++p) sum[0] += a(i, p) * b(p, j);  // the last one, two or three
      c(i, j) += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}
// [/four_sums]

}  // namespace naive::exercises
