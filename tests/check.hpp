// What tests of kernels ask: how much of a product is wrong.
#pragma once

#include <doctest/doctest.h>

#include "common/problem.hpp"

namespace check {

using course::Index, course::View;

/// How many elements of C are not before + A·B, of numbers whose sums are exact.
template <class T>
Index differences(View<const T> a, View<const T> b, View<const course::Result<T>> before,
                  View<const course::Result<T>> c) {
  Index count = 0;
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      course::Result<T> sum = before(i, j);
      for (Index p = 0; p < a.cols(); ++p) sum += a(i, p) * b(p, j);
      count += !(c(i, j) == sum);
    }
  return count;
}

/// How many elements are wrong when `kernel` has run on `shape`, in rows longer by `pad`; digits, so that
/// equality may be asked for. What lies beside C is checked, too.
template <class T = float, class Kernel>
Index wrong(const course::Shape& shape, Kernel kernel, Index pad = 3) {
  using Sum = course::Result<T>;
  const course::Problem<T> problem{.shape = shape, .fill = course::Fill::digits, .pad = pad};
  const course::Inputs<T>& in = problem.whole();
  const View<const T> a = in.a.view(), b = in.b.view();
  const View<const Sum> before = in.c.view();
  course::Matrix<Sum> after(shape.m, shape.n, pad);
  const View<Sum> c = after.view();
  course::copy<Sum>(before, c);
  kernel(a, b, c);
  CHECK(after.guards_intact());
  return differences<T>(a, b, before, c);
}

}  // namespace check
