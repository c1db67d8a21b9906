// What tests of kernels ask: how much of a product is wrong.
#pragma once

#include <doctest/doctest.h>

#include "common/problem.hpp"

namespace check {

/// How many elements are wrong when `kernel` has run on `shape`, in rows longer by `pad`; digits, so that
/// equality may be asked for. What lies beside C is checked, too.
template <class T = float, class Kernel>
course::Index wrong(const course::Shape& shape, Kernel kernel, course::Index pad = 3) {
  using course::Index, course::View;
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
  Index differences = 0;
  for (Index i = 0; i < shape.m; ++i)
    for (Index j = 0; j < shape.n; ++j) {
      Sum sum = before(i, j);
      for (Index p = 0; p < shape.k; ++p) sum += a(i, p) * b(p, j);
      differences += !(c(i, j) == sum);
    }
  return differences;
}

}  // namespace check
