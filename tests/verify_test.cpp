// The checker's own tests: what is right must pass, what is wrong must not.
#include "common/verify.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>

using namespace course;

namespace {

/// A problem, and C computed plainly by rows of B from inputs that a test may change.
template <class T>
struct Case {
  Case(Shape shape, Fill kind, std::uint64_t seed = 987654, Index pad = 2)
      : problem{shape, kind, seed, pad},
        a(shape.m, shape.k, pad),
        b(shape.k, shape.n, pad),
        c(shape.m, shape.n, pad) {
    copy<T>(problem.whole().a.view(), a.view());
    copy<T>(problem.whole().b.view(), b.view());
    multiply();
  }

  void multiply() {
    copy<Result<T>>(problem.whole().c.view(), c.view());
    for (Index i = 0; i < problem.shape.m; ++i)
      for (Index p = 0; p < problem.shape.k; ++p)
        for (Index j = 0; j < problem.shape.n; ++j) c.view()(i, j) += a.view()(i, p) * b.view()(p, j);
  }

  Check whole() const { return Verifier<T>(problem, true).check(c.view()); }
  Check sampled() const { return Verifier<T>(problem, false).check(c.view()); }
  Check sums() const { return freivalds<T>(problem, c.view()); }

  Problem<T> problem;
  Matrix<T> a, b;
  Matrix<Result<T>> c;
};

/// Rounds a float to `bits` bits of significand (TF32 has 11, BF16 has 8), ties away from zero.
float rounded_to(float value, int bits) {
  int exponent = 0;
  const float fraction = std::frexp(value, &exponent);
  return std::ldexp(std::round(std::ldexp(fraction, bits)), exponent - bits);
}

/// Whether the reference is of a wider type; on an ARM Mac long double is double, and its own rounding shows.
template <class T>
constexpr bool wider = !std::is_same_v<T, double> || std::numeric_limits<long double>::digits > 53;

/// The factor of u ||aᵢ||₂ ||bⱼ||₂ in what the verifier allows.
template <class T>
double norms_allowed(Index k) {
  return std::is_same_v<T, Result<T>> ? 8 : 8 + std::sqrt(static_cast<double>(k)) / 4;
}

/// sum + Σ a(p)·b(p), as a tensor core may add: groups of 8 products, and what lies beyond 24 bits is cut
/// off.
template <class Of>
float truncated(float sum, Index k, Of product) {
  for (Index p = 0; p < k; p += 8) {
    double group = sum;  // exact: products of BF16 have 16 bits
    for (Index q = p; q < std::min(k, p + 8); ++q) group += product(q);
    sum = static_cast<float>(group);
    if (std::abs(sum) > std::abs(group)) sum = std::nextafter(sum, 0.0f);
  }
  return sum;
}

}  // namespace

TEST_CASE_TEMPLATE("a right product is right", T, float, double, std::int32_t, bf16, tf32) {
  for (const Fill kind : {Fill::digits, Fill::uniform})
    for (const Shape shape : {Shape{1, 1, 1}, {7, 5, 3}, {64, 33, 129}, {3, 4, 0}, {0, 4, 3}, {3, 0, 4}}) {
      Case<T> right(shape, kind);
      CHECK(right.whole().right);
      CHECK(right.sampled().right);
      CHECK(right.whole().differences == 0);
      CHECK(right.whole().message.empty());
    }
}

TEST_CASE_TEMPLATE("one element wrong by twice what is allowed is found", T, float, double, bf16, tf32) {
  const double u = std::numeric_limits<Result<T>>::epsilon() / 2.0;
  for (const Index k : {1, 60}) {
    Case<T> wrong({40, 50, k}, Fill::uniform);
    double a = 0, b = 0;
    for (Index p = 0; p < k; ++p)
      a += std::pow(double(wrong.problem.a(7, p)), 2), b += std::pow(double(wrong.problem.b(p, 9)), 2);
    auto& element = wrong.c.view()(7, 9);
    const double right = element, before = wrong.problem.c(7, 9);
    const double allowed =
        norms_allowed<T>(k) * u * std::sqrt(a * b) + 2 * u * (std::abs(right) + std::abs(before));
    element = static_cast<Result<T>>(right + (right > 0 ? 2 : -2) * allowed);
    const Check check = wrong.whole();
    CHECK((!check.right && check.differences == 1));
    CHECK((1 < check.error_share && check.error_share < 3.5));
    CHECK(check.message.find("C(7, 9)") != std::string::npos);
  }
}

TEST_CASE_TEMPLATE("the figures of a check are those of its formulas, worked out element by element", T,
                   float, double, bf16, tf32) {
  using Wide = long double;
  if (!wider<T>) return;
  for (const auto& [k, spoilt] : {std::pair<Index, bool>(300, false), {300, true}, {1, true}}) {
    Case<T> product({5, 4, k}, Fill::uniform);
    const auto& problem = product.problem;
    if (spoilt) product.c.view()(2, 1) += 1, product.c.view()(3, 3) -= 0.5f;
    Wide share = 0, worst_case = 0, error_most = 0, norm = 0;
    for (Index i = 0; i < 5; ++i) {
      Wide errors = 0, sizes = 0;
      for (Index j = 0; j < 4; ++j) {
        const Wide u = std::numeric_limits<Result<T>>::epsilon() / Wide{2}, before = problem.c(i, j);
        Wide want = before, a_norm = 0, b_norm = 0, size = std::abs(before);
        for (Index p = 0; p < k; ++p) {
          const Wide a = problem.a(i, p), b = problem.b(p, j);
          want += a * b, a_norm += a * a, b_norm += b * b, size += std::abs(a * b);
        }
        const Wide error = std::abs(product.c.view()(i, j) - want);
        const Wide gamma = static_cast<Wide>(k + 1) * u;
        const Wide here = error / (norms_allowed<T>(k) * u * std::sqrt(a_norm * b_norm) +
                                   2 * u * (std::abs(want) + std::abs(before)));
        if (here > share) share = here, worst_case = error / (gamma / (1 - gamma) * size);
        errors += error, sizes += std::abs(want);
      }
      error_most = std::max(error_most, errors), norm = std::max(norm, sizes);
    }
    const Check check = product.whole();
    const double tolerance = spoilt ? 1e-6 : 0.05;
    const auto is = [tolerance](double value, Wide expected) {
      return std::abs(value / static_cast<double>(expected) - 1) < tolerance;
    };
    CHECK(is(check.error_share, share));
    CHECK(is(check.worst_case_share, worst_case));
    CHECK(is(check.relative_error, error_most / norm));
    CHECK(check.right == !spoilt);
    CHECK(check.differences == (spoilt ? 2 : 0));
    if (spoilt)
      CHECK(check.message == "2 elements differ, the worst is C(2, 1) = " +
                                 std::to_string(static_cast<double>(product.c.view()(2, 1))));
  }
}

TEST_CASE("a sample is eight rows and columns drawn with the seed, the first and the last among them") {
  const Index m = 500, n = 400;
  std::set<std::vector<Index>> drawn;
  for (const std::uint64_t seed : {4u, 5u, 260u}) {  // that draw no number twice
    Case<float> wrong({m, n, 1}, Fill::uniform, seed);
    Verifier<float> verifier(wrong.problem, false);
    const auto differences = [&] { return verifier.check(wrong.c.view()).differences; };
    const auto add = [&](Index i, Index rows, Index j, Index cols, float by) {
      for (Index r = i; r < i + rows; ++r)
        for (Index c = j; c < j + cols; ++c) wrong.c.view()(r, c) += by;
    };
    std::vector<Index> rows,
        cols;  // where all that is wrong is seen, not the elements of drawn columns or rows alone
    for (Index i = 0; i < m; ++i) {
      wrong.multiply(), add(i, 1, 0, n, 100);
      if (differences() == n) rows.push_back(i);
    }
    for (Index j = 0; j < n; ++j) {
      wrong.multiply(), add(0, m, j, 1, 100);
      if (differences() == m) cols.push_back(j);
    }
    for (const auto& [found, count] : {std::pair(rows, m), std::pair(cols, n)}) {
      CHECK(found.size() == 8);
      CHECK(found.front() == 0);
      CHECK(found.back() == count - 1);
      drawn.insert(found);
    }
    wrong.multiply(), add(0, m, 0, n, 100);
    CHECK(differences() == 8 * n + (m - 8) * 8);
  }
  CHECK(drawn.size() == 6);
}

TEST_CASE_TEMPLATE("exact inputs demand equality", T, float, double, std::int32_t, bf16, tf32) {
  Case<T> wrong({40, 50, 60}, Fill::digits);
  wrong.c.view()(39, 49) += 1;
  CHECK_FALSE(wrong.whole().right);
  CHECK_FALSE(wrong.sampled().right);  // the last row and column are always sampled
  CHECK(wrong.whole().differences == 1);
  wrong.c.view()(7, 9) -= 1;
  const Check check = wrong.whole();
  CHECK(check.differences == 2);
  CHECK(check.error_share == std::numeric_limits<double>::infinity());
  CHECK(check.worst_case_share == 0);
  CHECK(check.message ==
        "2 elements differ, the worst is C(7, 9) = " +
            std::to_string(static_cast<double>(wrong.c.view()(7, 9))));  // the first of equals
}

TEST_CASE_TEMPLATE("NaN and infinity are wrong, and stay visible in every figure", T, float, double, bf16,
                   tf32) {
  using Limits = std::numeric_limits<Result<T>>;
  for (const auto bad : {Limits::quiet_NaN(), Limits::infinity()})
    for (const auto& [i, j] : {std::pair{0, 0}, {20, 30}, {39, 49}})
      for (const Fill kind : {Fill::digits, Fill::uniform}) {
        Case<T> wrong({40, 50, 60}, kind);
        wrong.c.view()(i, j) = bad;
        const Check check = wrong.whole();
        CHECK_FALSE(check.right);
        CHECK(check.differences == 1);
        CHECK_FALSE(check.error_share <= 1);
        CHECK_FALSE(check.relative_error <= 1);
        if (kind == Fill::digits) CHECK_FALSE(wrong.sums().right);
      }
}

TEST_CASE_TEMPLATE("a lost last row, a lost last column and a C overwritten are found", T, float, double,
                   std::int32_t, bf16, tf32) {
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
        if (kind == Fill::digits) CHECK_FALSE(wrong->sums().right);
      }
    }
  }
}

TEST_CASE_TEMPLATE("Freivalds accepts what is right and finds one wrong element anywhere", T, float, double,
                   std::int32_t, bf16, tf32) {
  Case<T> product({61, 53, 47}, Fill::digits);
  CHECK(product.sums().right);
  for (const auto& [i, j] : {std::pair{0, 0}, {30, 20}, {60, 52}})
    for (const auto by : {Result<T>{1}, Result<T>{-1}, Result<T>{256}}) {
      product.c.view()(i, j) += by;
      CHECK_FALSE(product.sums().right);
      product.c.view()(i, j) -= by;
    }
  std::swap(product.c.view()(3, 4), product.c.view()(3, 5));  // equal sums: only different weights see it
  CHECK(product.c.view()(3, 4) != product.c.view()(3, 5));
  CHECK_FALSE(product.sums().right);
}

TEST_CASE("Freivalds says how many rows are wrong and which is the first") {
  Case<double> wrong({9, 8, 7}, Fill::digits);
  const Check right = wrong.sums();
  CHECK((right.message == "" && right.error_share == 0 && right.differences == 0));
  wrong.c.view()(1, 2) += 1, wrong.c.view()(5, 0) -= 1, wrong.c.view()(5, 7) -= 2, wrong.c.view()(8, 7) += 3;
  CHECK(wrong.sums().message == "Freivalds: C and A·B differ in 3 rows, the first is 1");
  CHECK(wrong.sums().differences == 3);
  CHECK(wrong.sums().error_share == std::numeric_limits<double>::infinity());
}

TEST_CASE("a result that is not m x n is wrong, and says so") {
  const Case<float> product({11, 13, 17}, Fill::digits);
  const View<const float> c = product.c.view();
  for (const auto& [rows, cols] : {std::pair(10, 13), {11, 12}, {0, 0}}) {
    const View<const float> part = c.block(0, 0, rows, cols);
    const std::string message = "the result is not m x n";
    const Check check = Verifier<float>(product.problem, true).check(part);
    CHECK((!check.right && std::isinf(check.error_share) && check.message == message));
    CHECK((!freivalds(product.problem, part).right && freivalds(product.problem, part).message == message));
  }
}

TEST_CASE("Freivalds refuses fractions and numbers beyond its integers") {
  for (const auto& [value, why] :
       {std::pair(0x1p53, "Freivalds: C and A·B differ in 1 rows, the first is 4"),
        {0x1p53 + 2, "Freivalds: C holds a fraction, NaN or a number beyond 2^53"}}) {
    Case<double> product({9, 9, 9}, Fill::digits);
    product.c.view()(4, 4) = value;
    CHECK(product.sums().message.starts_with(why));
    CHECK(product.sums().differences == 1);
  }
  for (const double bad : {0.5, 1e300, -1e300}) {
    Case<double> product({9, 9, 9}, Fill::digits);
    product.c.view()(4, 4) = bad;
    CHECK_FALSE(product.sums().right);
  }
  // Where 0 is right, a number taken for 0 must not pass.
  Case<double> zero({9, 9, 0}, Fill::digits);
  CHECK(zero.sums().right);
  Index at = 0;
  while (zero.problem.c(4, at) != 0) ++at;
  REQUIRE(at < 9);
  zero.c.view()(4, at) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(zero.sums().right);
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
      CHECK(check.error_share > (wider<T> ? 0 : -1));
      CHECK(check.worst_case_share <= 1);
    }
}

TEST_CASE("inputs rounded to TF32 or BF16 are refused at every k from 8 to 1024, and on to 4096") {
  const Index n = 6;
  for (const int bits : {11, 8})
    for (Index k = 8; k <= 4096; k += k < 1024 ? 1 : 37) {  // the margin grows with k
      Case<float> tensor({n, n, k}, Fill::uniform);
      for (Index i = 0; i < n; ++i)
        for (Index p = 0; p < k; ++p) {
          tensor.a.view()(i, p) = rounded_to(tensor.a.view()(i, p), bits);
          tensor.b.view()(p, i) = rounded_to(tensor.b.view()(p, i), bits);
        }
      tensor.multiply();
      const Check check = tensor.whole();
      INFO(k, ", ", bits);
      CHECK_FALSE(check.right);
      CHECK(check.error_share > 10);
      if (bits == 11 && k > 2000) CHECK(check.worst_case_share <= 1);  // the bound that always holds takes it
    }
}

TEST_CASE("TF32: factors rounded to it are right; cut off, or as they are in memory, they are not") {
  const Index n = 6;
  for (Index k = 16; k <= 4096; k *= 4) {
    CAPTURE(k);
    Case<tf32> tensor({n, n, k}, Fill::uniform);
    const auto check = [&](auto factor) {
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
          tensor.c.view()(i, j) = truncated(tensor.problem.c(i, j), k, [&](Index p) {
            return factor(tensor.a.view()(i, p).stored) * factor(tensor.b.view()(p, j).stored);
          });
      return tensor.whole();
    };
    CHECK(check([](float x) { return rounded_to(x, 11); }).right);
    CHECK_FALSE(check([](float x) { return x; }).right);
    CHECK_FALSE(check([](float x) {
                  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & ~0x1fffu);
                }).right);
    CHECK_FALSE(check([](float x) { return rounded_to(x, 8); }).right);
  }
}

TEST_CASE(
    "BF16: sums cut off to 24 bits are right; a lost step of 16, inputs in FP8 and no C before are not") {
  const Index n = 5;
  for (Index k = 16; k <= 65536; k *= 4) {
    CAPTURE(k);
    Case<bf16> tensor({n, n, k}, Fill::uniform);
    const auto sums = [&](Index from, auto rounded) {
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
          tensor.c.view()(i, j) = truncated(tensor.problem.c(i, j), k - from, [&](Index p) {
            return rounded(tensor.a.view()(i, from + p)) * rounded(tensor.b.view()(from + p, j));
          });
    };
    const auto as_it_is = [](float value) { return value; };
    sums(0, as_it_is);
    CHECK(tensor.whole().right);
    CHECK(tensor.sampled().right);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) tensor.c.view()(i, j) -= tensor.problem.c(i, j);
    CHECK_FALSE(tensor.whole().right);
    sums(16, as_it_is);
    CHECK(tensor.whole().error_share > 2);
    sums(0, [](float value) { return rounded_to(value, 4); });  // of e4m3
    CHECK(tensor.whole().error_share > 10);
  }
}

TEST_CASE("BF16: what a tensor core cuts off stays below the bound, and needs its √k") {
  for (Index k = 16; k <= 65536; k *= 4) {
    double most = 0;
    for (Index i = 0; i < 200; ++i) {
      std::vector<float> a, b;
      double a_norm = 0, b_norm = 0, exact = 0;
      for (Index p = 0; p < k; ++p) {
        a.push_back(element<bf16>(Fill::uniform, 1, 'A', i, p));
        b.push_back(element<bf16>(Fill::uniform, 1, 'B', i, p));
        a_norm += a.back() * a.back(), b_norm += b.back() * b.back(), exact += double(a.back()) * b.back();
      }
      const double u = 0x1p-24,
                   is = truncated(0, k, [&](Index p) {
                     return double(a[static_cast<std::size_t>(p)]) * b[static_cast<std::size_t>(p)];
                   });
      most = std::max(most, std::abs(is - exact) / (u * std::sqrt(a_norm * b_norm)));
    }
    CAPTURE(k);
    CHECK(most < 0.7 * norms_allowed<bf16>(k));
    if (k > 10000) CHECK(most > norms_allowed<float>(k));
  }
}
