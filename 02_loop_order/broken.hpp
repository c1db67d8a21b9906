// Wrong on purpose, in ikj order: the verifier must refuse each.
#pragma once

#include "gemm.hpp"

namespace loop_order::wrong {

/// Keeps ijk's accumulator after the swap: it mixes the columns of C.
template <class T>
void stale_sum(View<const T> a, View<const T> b, View<T> c) {
  for (Index i = 0; i < c.rows(); ++i) {
    T sum = 0;
    for (Index p = 0; p < a.cols(); ++p)
      for (Index j = 0; j < c.cols(); ++j) {
        sum += a(i, p) * b(p, j);
        c(i, j) += sum;
      }
  }
}

/// Transposes all of B but its last column, so that the last column of C is made from memory nobody wrote.
template <class T>
void transposed_short(View<const T> a, View<const T> b, View<T> c, View<T> bt) {
  for (Index p = 0; p < b.rows(); ++p)
    for (Index j = 0; j + 1 < b.cols(); ++j) bt(j, p) = b(p, j);
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j)
      for (Index p = 0; p < a.cols(); ++p) c(i, j) += a(i, p) * bt(j, p);
}

}  // namespace loop_order::wrong
