// The exercises of 00 to 03: solutions are right, bugs are what the lesson says.
#include <doctest/doctest.h>

#include <numeric>

#include "00_machine/exercises/exercises.hpp"
#include "01_naive/exercises.hpp"
#include "02_loop_order/exercises.hpp"
#include "03_tiling/exercises.hpp"
#include "tests/check.hpp"

using namespace course;
using namespace loop_order::exercises;
using check::wrong;

TEST_CASE("00: the sum of n numbers, with two sums and with eight") {
#ifndef __aarch64__
  if (!__builtin_cpu_supports("avx2")) return;
#endif
  std::vector<float> x;
  float right = 0;  // of integers: exact in any order
  for (Index n = 0; n <= 300; ++n) {
    CHECK(machine::exercises::sum_solved(x.data(), n) == right);
    if (n % 16 == 0) CHECK(machine::exercises::sum(x.data(), n) == right);
    x.push_back(static_cast<float>(n % 10)), right += x.back();
  }
}

TEST_CASE_TEMPLATE("01: four sums, whatever is left of k", T, float, double, std::int32_t) {
  for (const Index k : {0, 1, 2, 3, 4, 7, 8, 97})
    for (const Index pad : {0, 3}) CHECK(wrong<T>({5, 7, k}, naive::exercises::four_sums<T>, pad) == 0);
}

TEST_CASE("01: the kernel that takes the columns for the leading dimension is right until somebody pads") {
  CHECK(wrong<float>({20, 30, 40}, naive::exercises::ijk<float>, 0) == 0);
  CHECK(wrong<float>({20, 30, 1}, naive::exercises::ijk<float>) == 0);  // one row of B: nothing to go down
  CHECK(wrong<float>({20, 30, 40}, naive::exercises::ijk<float>) > 500);
}

TEST_CASE("02: a row added to itself, one element further on") {
  std::vector<float> x(9, 1.0F), y = x, counted(9);
  add_row(x.data(), x.data() + 1, 1.0F, 8);
  std::iota(counted.begin(), counted.end(), 1.0F);
  CHECK(x == counted);
  add_row_by_fours(y.data(), y.data() + 1, 1.0F, 8);
  CHECK(y == std::vector<float>{1, 2, 2, 2, 2, 3, 2, 2, 2});
}

TEST_CASE("02: the bug: right for k <= 1, and 4 instead of 6") {
  for (const Index k : {0, 1, 2, 3, 40}) CHECK((wrong({5, 7, k}, only_the_last<float>) == 0) == (k <= 1));
  const std::vector<float> a = {1, 1}, b = {1, 2, 3, 4};
  std::vector<float> c = {0, 0};
  only_the_last<float>({a.data(), 1, 2, 2}, {b.data(), 2, 2, 2}, {c.data(), 1, 2, 2});
  CHECK(c[1] == 4);
}

TEST_CASE("02, 03: four sums, two values of p at once, tiles with three sides") {
  const auto turned = [](View<const float> a, View<const float> b, View<float> c) {
    Matrix<float> bt(b.cols(), b.rows());
    four_sums<float>(a, b, c, bt.view());
  };
  for (const Shape& shape : {Shape{1, 1, 1}, {33, 65, 17}, {20, 7, 40}, {40, 7, 33}, {5, 7, 3}, {5, 7, 0}}) {
    CHECK(wrong(shape, turned) == 0);
    CHECK(wrong(shape, two_at_once<float>) == 0);
    for (const Index width : {1, 5, 1000})
      CHECK(wrong(shape, [=](auto a, auto b, auto c) {
              tiling::exercises::oblong<float>(a, b, c, 8, 3, width);
            }) == 0);
  }
  CHECK(wrong({0, 3, 2}, two_at_once<float>) == 0);
}

TEST_CASE("03: the bug: right for squares; of 100 x 300 two thirds stay as they were") {
  const auto kernel = [](auto a, auto b, auto c) {
    tiling::exercises::right_for_squares<float>(a, b, c, 64);
  };
  for (const Index n : {1, 64, 100}) CHECK(wrong({n, n, 50}, kernel) == 0);
  CHECK(wrong({100, 300, 50}, kernel) == 100 * 200);
}
