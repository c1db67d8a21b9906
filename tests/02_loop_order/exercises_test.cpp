// The exercises of README.md: solutions are right, bugs are what the lesson says.
#include "02_loop_order/exercises.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "common/problem.hpp"

using namespace course;
using namespace loop_order::exercises;

namespace {

/// How many elements are wrong when `kernel` has run on `shape`; digits, so that equality may be asked for.
Index wrong(const Shape& shape, void (*kernel)(View<const float>, View<const float>, View<float>)) {
  const Problem<float> problem{.shape = shape, .fill = Fill::digits};
  const Inputs<float>& in = problem.whole();
  const View<const float> a = in.a.view(), b = in.b.view(), before = in.c.view();
  Matrix<float> after(shape.m, shape.n);
  const View<float> c = after.view();
  copy<float>(before, c);
  kernel(a, b, c);
  Index differences = 0;
  for (Index i = 0; i < shape.m; ++i)
    for (Index j = 0; j < shape.n; ++j) {
      float sum = before(i, j);
      for (Index p = 0; p < shape.k; ++p) sum += a(i, p) * b(p, j);
      differences += !(c(i, j) == sum);
    }
  return differences;
}

}  // namespace

TEST_CASE("a row added to itself, one element further on") {
  std::vector<float> x(9, 1.0F), y = x, counted(9);
  add_row(x.data(), x.data() + 1, 1.0F, 8);
  std::iota(counted.begin(), counted.end(), 1.0F);
  CHECK(x == counted);
  add_row_by_fours(y.data(), y.data() + 1, 1.0F, 8);
  CHECK(y == std::vector<float>{1, 2, 2, 2, 2, 3, 2, 2, 2});
}

TEST_CASE("the bug: right for k <= 1, and 4 instead of 6") {
  CHECK(wrong({5, 7, 0}, only_the_last<float>) == 0);
  CHECK(wrong({5, 7, 1}, only_the_last<float>) == 0);
  for (const Index k : {2, 3, 40}) CHECK(wrong({5, 7, k}, only_the_last<float>) > 0);
  const std::vector<float> a = {1, 1}, b = {1, 2, 3, 4};
  std::vector<float> c = {0, 0};
  only_the_last<float>({a.data(), 1, 2, 2}, {b.data(), 2, 2, 2}, {c.data(), 1, 2, 2});
  CHECK(c[1] == 4);
}

TEST_CASE("four sums") {
  const auto turned = [](View<const float> a, View<const float> b, View<float> c) {
    Matrix<float> bt(b.cols(), b.rows());
    four_sums<float>(a, b, c, bt.view());
  };
  for (const Shape& shape :
       {Shape{1, 1, 1}, Shape{33, 65, 17}, Shape{20, 7, 40}, Shape{5, 7, 3}, Shape{5, 7, 0}})
    CHECK(wrong(shape, turned) == 0);
}

TEST_CASE("two values of p at once") {
  for (const Shape& shape :
       {Shape{1, 1, 1}, Shape{33, 65, 17}, Shape{20, 7, 40}, Shape{5, 7, 0}, Shape{0, 3, 2}})
    CHECK(wrong(shape, two_at_once<float>) == 0);
}
