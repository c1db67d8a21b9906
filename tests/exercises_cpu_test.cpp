// The exercises of 00 to 03, 05 and 14: solutions are right, bugs are what the lesson says.
#include <doctest/doctest.h>

#include <numeric>

#include "00_machine/exercises/exercises.hpp"
#include "01_naive/exercises.hpp"
#include "02_loop_order/exercises.hpp"
#include "03_tiling/exercises.hpp"
#include "05_avx2/blocks.hpp"
#include "05_avx2/exercises/exercises.hpp"
#include "05_avx2/library.hpp"
#include "14_f64_by_integers/moduli.hpp"
#include "tests/check.hpp"

using namespace course;
using namespace avx2;
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

TEST_CASE_TEMPLATE("05: a dot product with four vectors of sums, and A by columns", T, float, double) {
  if (!has_needs(false)) return;
  for (const Shape& s :
       {Shape{1, 1, 1}, {6, 16, 4}, {12, 48, 32}, {7, 17, 33}, {13, 40, 0}, {25, 31, 67}, {5, 15, 100}}) {
    CHECK(wrong<T>(s, [&](auto a, auto b, auto c) {
            Matrix<T> bt(s.n, s.k);
            avx2::exercises::dot_four<T>(a, b, c, bt.view());
          }) == 0);
    CHECK(wrong<T>(s, [&](auto a, auto b, auto c) {
            Matrix<T> at(s.k, s.m, 3);
            for (Index i = 0; i < s.m; ++i)
              for (Index p = 0; p < s.k; ++p) at.view()(p, i) = a(i, p);
            avx2::exercises::by_columns<T>(View<const T>(at.view()), b, c);
          }) == 0);
  }
}

TEST_CASE("05: edges by halves: the corner has been added to twice") {
  if (!has_needs(false)) return;
  const auto kernel = avx2::exercises::edges_by_halves<float>;
  for (const Shape& s : {Shape{6, 16, 9}, Shape{12, 40, 9}, Shape{20, 32, 9}, Shape{100, 128, 9}})
    CHECK(wrong<float>(s, kernel) == 0);
  const int nr = textbook_tile.nr(sizeof(float));
  CHECK(wrong<float>({100, 100, 9}, kernel) == 4 * (100 % nr));
  CHECK(wrong<float>({100, 1000, 9}, kernel) == 4 * (1000 % nr));  // as many as at 1000 × 1000
}

TEST_CASE("05: the blocks that the lesson works out") {
  const BlockSizes here = textbook(avx2_tile, 4, {48 << 10, 1 << 20, 16 << 20});
  CHECK((here.kc == 384 && here.mc == 336 && here.nc == 5456));
  const BlockSizes zen3 = textbook(avx2_tile, 8, {32 << 10, 512 << 10, 8 << 20});
  CHECK((zen3.kc == 256 && zen3.mc == 126 && zen3.nc == 2048));
}

TEST_CASE("14: which numbers are moduli, from which k on 13 are enough, and the bug of a longer L") {
  using namespace f64_by_integers;
  for (int p = 256, t = 0; t < most_moduli; --p)
    if (std::gcd(int(Remainders::product(t) % p), p) == 1) CHECK(p == modulus(t++));
  const double M = std::sqrt(double(Remainders::product(13)) / 2) / 2;
  CHECK(std::lround(std::pow(0x1p53 / (std::sqrt(6) * M) / 0.17, 2)) == 513);
  CHECK((nearest(4 * 354 * 354, 999900) == -498636 && nearest(4 * 353 * 353, 999900) == 498436));
}
