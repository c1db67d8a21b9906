// The exercises of the lessons: solutions are right, the bug is what the lesson says.
#include <doctest/doctest.h>

#include "01_naive/exercises.hpp"
#include "common/problem.hpp"

using namespace course;

namespace {

/// How many elements are wrong when `kernel` has run on `shape`; digits, so that equality may be asked for.
template <class T>
Index wrong(const Shape& shape, Index pad, void (*kernel)(View<const T>, View<const T>, View<T>)) {
  const Problem<T> problem{.shape = shape, .fill = Fill::digits, .pad = pad};
  const Inputs<T>& in = problem.whole();
  const View<const T> a = in.a.view(), b = in.b.view(), before = in.c.view();
  Matrix<T> after(shape.m, shape.n, pad);
  const View<T> c = after.view();
  copy<T>(before, c);
  kernel(a, b, c);
  Index differences = 0;
  for (Index i = 0; i < shape.m; ++i)
    for (Index j = 0; j < shape.n; ++j) {
      T sum = before(i, j);
      for (Index p = 0; p < shape.k; ++p) sum += a(i, p) * b(p, j);
      differences += !(c(i, j) == sum);
    }
  return differences;
}

}  // namespace

TEST_CASE_TEMPLATE("four sums, whatever is left of k", T, float, double, std::int32_t) {
  for (const Index k : {0, 1, 2, 3, 4, 7, 8, 97}) {
    CHECK(wrong<T>({5, 7, k}, 0, naive::exercises::four_sums<T>) == 0);
    CHECK(wrong<T>({5, 7, k}, 3, naive::exercises::four_sums<T>) == 0);
  }
}

TEST_CASE_TEMPLATE("ikj with every access checked", T, float, double, std::int32_t) {
  for (const Shape& shape : {Shape{5, 7, 9}, Shape{1, 1, 1}, Shape{4, 3, 0}, Shape{33, 17, 8}})
    CHECK(wrong<T>(shape, 3, naive::exercises::checked_ikj<T>) == 0);
}

TEST_CASE("the kernel that takes the columns for the leading dimension is right until somebody pads") {
  CHECK(wrong<float>({20, 30, 40}, 0, naive::exercises::ijk<float>) == 0);
  CHECK(wrong<float>({20, 30, 1}, 3, naive::exercises::ijk<float>) == 0);  // one row of B: nothing to go down
  CHECK(wrong<float>({20, 30, 40}, 3, naive::exercises::ijk<float>) > 500);
}
