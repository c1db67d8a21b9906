// Wrong on purpose, in ikj order: the verifier must refuse every one of them.
#pragma once

#include <limits>

#include "gemm.hpp"
#include "runner/too_far.hpp"

namespace loop_order::wrong {

/// Reads B by its row after the swap of loops: multiplies by the transpose.
template <class T>
void b_by_row(View<const T> a, View<const T> b, View<T> c) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index p = 0; p < a.cols(); ++p)
      for (Index j = 0; j < c.cols(); ++j)
        c(i, j) += a(i, p) * b(j % b.rows(), p % b.cols());  // % only keeps it inside when B is not square
}

/// Stops one row early.
template <class T>
void last_row_lost(View<const T> a, View<const T> b, View<T> c) {
  if (c.rows() > 0) ikj<T>(a, b, c.block(0, 0, c.rows() - 1, c.cols()));
}

/// Sets C on the first p instead of adding: what is left of ijk's `sum = 0` when the loops are swapped.
template <class T>
void overwritten(View<const T> a, View<const T> b, View<T> c) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index p = 0; p < a.cols(); ++p)
      for (Index j = 0; j < c.cols(); ++j) c(i, j) = (p == 0 ? 0 : c(i, j)) + a(i, p) * b(p, j);
}

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

/// One NaN.
template <class T>
void nan(View<const T> a, View<const T> b, View<T> c) {
  ikj<T>(a, b, c);
  if (c.rows() > 0 && c.cols() > 0) c(c.rows() / 2, c.cols() / 2) = std::numeric_limits<T>::quiet_NaN();
}

/// `j <= c.cols()`.
template <class T>
void one_column_too_far(View<const T> a, View<const T> b, View<T> c) {
  ikj<T>(a, course::one_column_more(b), course::one_column_more(c));
}

/// `i <= c.rows()`.
template <class T>
void one_row_too_far(View<const T> a, View<const T> b, View<T> c) {
  ikj<T>(course::one_row_more(a), b, course::one_row_more(c));
}

}  // namespace loop_order::wrong
