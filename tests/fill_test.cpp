#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "common/fill.hpp"
#include "common/matrix.hpp"

using namespace course;

TEST_CASE("the values are the same on every machine") {  // pinned: results elsewhere are compared with these
  static_assert(element_hash(987654, 'A', 0, 0) == 0xe4aa6882a83fa1c6);
  CHECK(element<std::int32_t>(Fill::digits, 987654, 'A', 0, 0) == 8);
  CHECK(element<float>(Fill::uniform, 987654, 'A', 1, 2) == 0.555649698f);
}

TEST_CASE_TEMPLATE("digits are 0..9, all of them", T, float, double, std::int32_t, bf16, tf32) {
  std::set<T> seen;
  for (Index j = 0; j < 1000; ++j) seen.insert(element<T>(Fill::digits, 1, 'B', 3, j));
  CHECK(seen.size() == 10);
  CHECK(*seen.begin() == 0);
  CHECK(*seen.rbegin() == 9);
}

TEST_CASE_TEMPLATE("uniform is symmetric in (-1, 1), integers in -9..9", T, float, double, std::int32_t, bf16,
                   tf32) {
  const double range = std::is_integral_v<T> ? 9 : 1;
  const int count = 100000;
  double sum = 0, squares = 0, most = 0;
  for (Index j = 0; j < count; ++j) {
    const auto value = static_cast<double>(element<T>(Fill::uniform, 5, 'C', j, 2 * j));
    sum += value, squares += value * value, most = std::max(most, std::abs(value));
  }
  const double variance = std::is_integral_v<T> ? 30 : 1.0 / 3;  // (19² - 1)/12 and 2²/12
  CHECK(std::abs(sum / count) < 5 * std::sqrt(variance / count));
  CHECK(squares / count == doctest::Approx(variance).epsilon(0.02));
  CHECK(most <= range);
  CHECK(most > 0.99 * range);
}

TEST_CASE("matrices, seeds, rows and columns differ") {
  std::set<std::uint64_t> seen;
  for (const std::uint64_t seed : {1u, 2u})
    for (const char matrix : {'A', 'B', 'C'})
      for (Index i = 0; i < 10; ++i)
        for (Index j = 0; j < 10; ++j) seen.insert(element_hash(seed, matrix, i, j));
  CHECK(seen.size() == 600);
}

TEST_CASE("digits are exact as far as exact_k says") {
  CHECK(exact_k<float>() == ((1 << 24) - 10) / 81);
  CHECK(exact_k<bf16>() == exact_k<float>());  // of a sum in f32
  CHECK(exact_k<double>() == ((Index{1} << 53) - 10) / 81);
  CHECK(exact_k<std::int32_t>() == ((Index{1} << 31) - 11) / 81);
  CHECK(81 * exact_k<float>() + 9 < 1 << 24);
  CHECK(81 * exact_k<std::int32_t>() + 9 <= std::numeric_limits<std::int32_t>::max());
}

TEST_CASE("a float becomes the nearest BF16, of two the even one; NaN stays NaN") {
  const auto bits = [](float value) { return bf16(value).bits; };
  static_assert(bf16(1.0f).bits == 0x3f80 && float(bf16(-2.5f)) == -2.5f);
  CHECK(bits(0x1.01p0f) == 0x3f80);  // half way between 1 and its neighbour: 1 is even
  CHECK(bits(0x1.010002p0f) == 0x3f81);
  CHECK(bits(-0x1.03p0f) == 0xbf82);
  CHECK(bits(-0x1.02fffep0f) == 0xbf81);
  CHECK(bits(-0.0f) == 0x8000);
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(bits(infinity) == 0x7f80);
  CHECK(bits(-infinity) == 0xff80);
  CHECK(bits(0x1.fefffep127f) == 0x7f7f);  // the largest BF16
  CHECK(bits(0x1.ffp127f) == 0x7f80);
  CHECK(bits(0x1p-133f) == 1);  // the least denormal
  CHECK(bits(0x1p-134f) == 0);
  CHECK(bits(0x1.8p-133f) == 2);
  CHECK(bits(0x1.fep-127f) == 0x80);  // up to the least normal number
  for (const std::uint32_t nan : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xffffffffu})
    CHECK(std::isnan(float(bf16(std::bit_cast<float>(nan)))));
  CHECK(std::isnan(float(poison<bf16>())));
  for (std::uint32_t all = 0; all < 0x10000; ++all)
    if (const auto value = std::bit_cast<float>(all << 16); !std::isnan(value) && bits(value) != all)
      FAIL(all);
}

TEST_CASE("TF32 keeps a float, and counts as the nearest with 11 bits, of two the larger; NaN stays NaN") {
  const auto rounded = [](float value) { return float(tf32(value)); };
  static_assert(tf32(0x1.001p0f).stored == 0x1.001p0f);
  CHECK(rounded(0x1.002p0f) == 0x1.004p0f);
  CHECK(rounded(-0x1.002p0f) == -0x1.004p0f);
  CHECK(rounded(0x1.006p0f) == 0x1.008p0f);
  CHECK(rounded(0x1.001ffep0f) == 1);
  CHECK(rounded(0x1.fffp-1f) == 1);
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(rounded(infinity) == infinity);
  CHECK(rounded(-std::numeric_limits<float>::max()) == -infinity);
  for (const std::uint32_t nan : {0x7fc00000u, 0xffffffffu, 0x7fffffffu, 0x7f800001u})
    CHECK(std::isnan(rounded(std::bit_cast<float>(nan))));
  CHECK(std::isnan(float(poison<tf32>())));
  CHECK(element<tf32>(Fill::uniform, 5, 'A', 1, 2).stored == element<float>(Fill::uniform, 5, 'A', 1, 2));
}
