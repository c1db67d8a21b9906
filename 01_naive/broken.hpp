// Wrong on purpose, each as it really happens: the verifier must refuse every one of them.
#pragma once

#include <algorithm>
#include <limits>

#include "gemm.hpp"

namespace naive::wrong {

/// Reads B by its row: multiplies by the transpose. Right for symmetric B, which is why tests on ones pass.
template <class T>
void b_by_row(View<const T> a, View<const T> b, View<T> c) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j)
      for (Index p = 0; p < a.cols(); ++p)
        c(i, j) += a(i, p) * b(j % b.rows(), p % b.cols());  // % only keeps it inside when B is not square
}

/// Stops one row early: `<` against a bound that was already reduced.
template <class T>
void last_row_lost(View<const T> a, View<const T> b, View<T> c) {
  if (c.rows() > 0) ijk<T>(a, b, c.block(0, 0, c.rows() - 1, c.cols()));
}

/// C = A·B where C += A·B was asked for: invisible when C starts at zero.
template <class T>
void overwritten(View<const T> a, View<const T> b, View<T> c) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) c(i, j) = 0;
  ijk<T>(a, b, c);
}

/// The accumulator is set outside the j loop: every element also gets the sums of those left of it.
template <class T>
void stale_sum(View<const T> a, View<const T> b, View<T> c) {
  for (Index i = 0; i < c.rows(); ++i) {
    T sum = 0;
    for (Index j = 0; j < c.cols(); ++j) {
      for (Index p = 0; p < a.cols(); ++p) sum += a(i, p) * b(p, j);
      c(i, j) += sum;
    }
  }
}

/// One NaN: `error > allowed` is false for it, so a checker written that way says right.
template <class T>
void nan(View<const T> a, View<const T> b, View<T> c) {
  ijk<T>(a, b, c);
  if (c.rows() > 0 && c.cols() > 0) c(c.rows() / 2, c.cols() / 2) = std::numeric_limits<T>::quiet_NaN();
}

/// Writes one element beyond the last row: right in C, wrong in the memory behind it.
template <class T>
void beyond_the_row(View<const T> a, View<const T> b, View<T> c) {
  ijk<T>(a, b, c);
  if (c.rows() > 0) c(c.rows() - 1, c.cols()) = 0;
}

/// Goes a column too far: `j <= c.cols()`.
template <class T>
void one_column_too_far(View<const T> a, View<const T> b, View<T> c) {
  const Index n = c.cols() + 1;
  ijk<T>(a, {b.data(), b.rows(), n, b.ld()}, {c.data(), c.rows(), n, c.ld()});
}

/// Goes a row too far: `i <= c.rows()`.
template <class T>
void one_row_too_far(View<const T> a, View<const T> b, View<T> c) {
  const Index m = c.rows() + 1;
  ijk<T>({a.data(), m, a.cols(), a.ld()}, b, {c.data(), m, c.cols(), c.ld()});
}

}  // namespace naive::wrong
