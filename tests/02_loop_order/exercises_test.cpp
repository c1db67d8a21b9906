// The exercises of README.md: solutions are right, bugs are what the lesson says.
#include "02_loop_order/exercises.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "tests/check.hpp"

using namespace course;
using namespace loop_order::exercises;
using check::wrong;

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
