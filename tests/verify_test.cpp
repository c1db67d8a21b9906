// The checker's own tests: what is right must pass, what is wrong must not.
#include "common/verify.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "common/fill.hpp"

using namespace course;

namespace {

/// A problem with its matrices, and C computed plainly by rows of B.
template <class T>
struct Case {
  Case(Shape shape, Fill kind, std::uint64_t seed = 987654, Index pad = 2)
      : a(shape.m, shape.k, pad),
        b(shape.k, shape.n, pad),
        before(shape.m, shape.n, pad),
        c(shape.m, shape.n, pad) {
    fill_matrix(a.view(), kind, seed, 'A');
    fill_matrix(b.view(), kind, seed, 'B');
    fill_matrix(before.view(), kind, seed, 'C');
    problem.shape = shape;
    problem.a = a.view(), problem.b = b.view(), problem.c = before.view();
    exact = kind == Fill::digits;
    multiply();
  }

  void multiply() {
    copy<T>(problem.c, c.view());
    for (Index i = 0; i < problem.shape.m; ++i)
      for (Index p = 0; p < problem.shape.k; ++p)
        for (Index j = 0; j < problem.shape.n; ++j) c.view()(i, j) += a.view()(i, p) * b.view()(p, j);
  }

  Check whole() { return Reference<T>::whole(problem, exact).compare(c.view()); }
  Check sampled() { return Reference<T>::sampled(problem, exact, 1).compare(c.view()); }

  Matrix<T> a, b, before, c;
  Problem<T> problem;
  bool exact;
};

/// Rounds a float to `bits` bits of significand (TF32 has 11, BF16 has 8), ties away from zero.
float rounded_to(float value, int bits) {
  int exponent = 0;
  const float fraction = std::frexp(value, &exponent);
  return std::ldexp(std::round(std::ldexp(fraction, bits)), exponent - bits);
}

}  // namespace

TEST_CASE_TEMPLATE("a right product is right", T, float, double, std::int32_t) {
  for (const Fill kind : {Fill::digits, Fill::uniform})
    for (const Shape shape : {Shape{1, 1, 1}, {7, 5, 3}, {64, 33, 129}, {3, 4, 0}, {0, 4, 3}, {3, 0, 4}}) {
      Case<T> right(shape, kind);
      CHECK(right.whole().right);
      CHECK(right.sampled().right);
      CHECK(right.whole().differences == 0);
      CHECK(right.whole().trouble.empty());
    }
}

TEST_CASE_TEMPLATE("one element wrong by twice what is allowed is found", T, float, double) {
  Case<T> wrong({40, 50, 60}, Fill::uniform);
  for (Index p = 0; p < 60; ++p) wrong.a.view()(0, p) *= 1000;  // a long row 0 must not widen row 17's bound
  wrong.multiply();
  const double u = std::numeric_limits<T>::epsilon() / 2.0;
  double a2 = 0, b2 = 0;
  for (Index p = 0; p < 60; ++p) {
    a2 += std::pow(static_cast<double>(wrong.problem.a(17, p)), 2);
    b2 += std::pow(static_cast<double>(wrong.problem.b(p, 23)), 2);
  }
  T& element = wrong.c.view()(17, 23);
  const double allowed =
      8 * u * std::sqrt(a2 * b2) +
      2 * u *
          (std::abs(static_cast<double>(element)) + std::abs(static_cast<double>(wrong.problem.c(17, 23))));
  const T right = element;
  element = static_cast<T>(static_cast<double>(right) + (right > 0 ? 2 : -2) * allowed);
  const Check check = wrong.whole();
  CHECK_FALSE(check.right);
  CHECK(check.differences == 1);
  CHECK(check.error_share > 1);
  CHECK(check.error_share < 3.5);
  CHECK(check.trouble.find("C(17, 23)") != std::string::npos);
}

TEST_CASE_TEMPLATE("exact inputs demand equality", T, float, double, std::int32_t) {
  Case<T> wrong({40, 50, 60}, Fill::digits);
  wrong.c.view()(39, 49) += 1;
  CHECK_FALSE(wrong.whole().right);
  CHECK_FALSE(wrong.sampled().right);  // the last row and column are always sampled
  CHECK(wrong.whole().differences == 1);
}

TEST_CASE_TEMPLATE("NaN and infinity are wrong, and stay visible in every figure", T, float, double) {
  for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()})
    for (const auto& [i, j] : {std::pair{0, 0}, {20, 30}, {39, 49}})
      for (const Fill kind : {Fill::digits, Fill::uniform}) {
        Case<T> wrong({40, 50, 60}, kind);
        wrong.c.view()(i, j) = bad;
        const Check check = wrong.whole();
        CHECK_FALSE(check.right);
        CHECK(check.differences == 1);
        CHECK_FALSE(check.error_share <= 1);
        CHECK_FALSE(check.relative_error <= 1);
        if (kind == Fill::digits)
          CHECK_FALSE(freivalds(wrong.problem, std::as_const(wrong.c).view(), 1).right);
      }
}

TEST_CASE_TEMPLATE("a lost last row, a lost last column and a C overwritten are found", T, float, double,
                   std::int32_t) {
  for (const Shape shape : {Shape{40, 50, 60}, {5, 3, 1}}) {
    for (const Fill kind : {Fill::digits, Fill::uniform}) {
      Case<T> row(shape, kind), column(shape, kind), overwritten(shape, kind);
      for (Index j = 0; j < shape.n; ++j) row.c.view()(shape.m - 1, j) = row.problem.c(shape.m - 1, j);
      for (Index i = 0; i < shape.m; ++i) column.c.view()(i, shape.n - 1) = column.problem.c(i, shape.n - 1);
      for (Index i = 0; i < shape.m; ++i)
        for (Index j = 0; j < shape.n; ++j) overwritten.c.view()(i, j) -= overwritten.problem.c(i, j);
      for (Case<T>* wrong : {&row, &column, &overwritten}) {
        CHECK_FALSE(wrong->whole().right);
        CHECK_FALSE(wrong->sampled().right);
        if (kind == Fill::digits)
          CHECK_FALSE(freivalds(wrong->problem, std::as_const(wrong->c).view(), 1).right);
      }
    }
  }
}

TEST_CASE_TEMPLATE("Freivalds accepts what is right and finds one wrong element anywhere", T, float, double,
                   std::int32_t) {
  Case<T> product({61, 53, 47}, Fill::digits);
  CHECK(freivalds(product.problem, std::as_const(product.c).view(), 3).right);
  for (const auto& [i, j] : {std::pair{0, 0}, {30, 20}, {60, 52}})
    for (const T by : {T{1}, T{-1}, T{256}}) {
      product.c.view()(i, j) += by;
      CHECK_FALSE(freivalds(product.problem, std::as_const(product.c).view(), 3, 1).right);
      product.c.view()(i, j) -= by;
    }
  std::swap(product.c.view()(3, 4), product.c.view()(3, 5));  // equal sums: only different weights see it
  CHECK(product.c.view()(3, 4) != product.c.view()(3, 5));
  CHECK_FALSE(freivalds(product.problem, std::as_const(product.c).view(), 3).right);
}

TEST_CASE("Freivalds refuses fractions and numbers beyond its integers") {
  for (const double bad : {0.5, 1e300, -1e300}) {
    Case<double> product({9, 9, 9}, Fill::digits);
    product.c.view()(4, 4) = bad;
    CHECK_FALSE(freivalds(product.problem, std::as_const(product.c).view(), 3).right);
  }
  // Where 0 is right, a number taken for 0 must not pass.
  Case<double> zero({9, 9, 0}, Fill::digits);
  for (Index j = 0; j < 9; ++j) zero.before.view()(4, j) = zero.c.view()(4, j) = 0;
  CHECK(freivalds(zero.problem, std::as_const(zero.c).view(), 3).right);
  zero.c.view()(4, 4) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(freivalds(zero.problem, std::as_const(zero.c).view(), 3).right);
}

// The bound, from both sides. Sums in order are the worst right ones: their largest share levels off near
// 0.55 as k grows (0.51, 0.45, 0.53, 0.52 at n = 512, 1024, 2048, 4096), so 0.7 leaves room and 1 is never
// near.
TEST_CASE_TEMPLATE("rounding in order stays well below the bound", T, float, double) {
  for (const Index k : {1, 2, 3, 5, 8, 16, 64, 156, 512, 1024, 4096})
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      Case<T> right({24, 200, k}, Fill::uniform, seed);
      const Check check = right.whole();
      CAPTURE(k);
      CHECK(check.error_share < 0.7);
      CHECK(check.error_share > 0);
      CHECK(check.worst_case_share <= 1);
    }
}

TEST_CASE("inputs rounded to TF32 or BF16 are refused at every k from 8 to 4096") {
  const Index n = 6;
  for (const int bits : {11, 8})
    for (Index k = 8; k <= 4096; ++k) {
      Case<float> tensor({n, n, k}, Fill::uniform);
      const Matrix<float> a = std::move(tensor.a), b = std::move(tensor.b);
      tensor.a = Matrix<float>(n, k, 2), tensor.b = Matrix<float>(k, n, 2);
      for (Index i = 0; i < n; ++i)
        for (Index p = 0; p < k; ++p) {
          tensor.a.view()(i, p) = rounded_to(a.view()(i, p), bits);
          tensor.b.view()(p, i) = rounded_to(b.view()(p, i), bits);
        }
      tensor.multiply();
      tensor.problem.a = a.view(), tensor.problem.b = b.view();
      const Check check = tensor.whole();
      CAPTURE(k);
      CAPTURE(bits);
      CHECK_FALSE(check.right);
      CHECK(check.error_share > 10);
    }
}

TEST_CASE("the worst-case bound alone would accept TF32 inputs: why it is not the bound") {
  const Index k = 2048;
  Case<float> tensor({16, 16, k}, Fill::uniform);
  const Matrix<float> a = std::move(tensor.a), b = std::move(tensor.b);
  tensor.a = Matrix<float>(16, k), tensor.b = Matrix<float>(k, 16);
  for (Index i = 0; i < 16; ++i)
    for (Index p = 0; p < k; ++p) {
      tensor.a.view()(i, p) = rounded_to(a.view()(i, p), 11);
      tensor.b.view()(p, i) = rounded_to(b.view()(p, i), 11);
    }
  tensor.multiply();
  tensor.problem.a = a.view(), tensor.problem.b = b.view();
  CHECK(tensor.whole().worst_case_share < 1);
  CHECK_FALSE(tensor.whole().right);
}

TEST_CASE("the relative error is in the infinity norm") {
  Case<std::int32_t> product({2, 2, 1}, Fill::digits);
  const auto c = product.c.view();
  const double norm = std::max(c(0, 0) + c(0, 1), c(1, 0) + c(1, 1));
  c(1, 0) += 3, c(1, 1) -= 4;
  CHECK(product.whole().relative_error == doctest::Approx(7 / norm));
}
