// f64 products by integers under the emulator and, compiled by nvcc, on the GPU: remainders, what becomes one
// integer of them, and products of inputs that the recipe does not make, against sums in a wider type.
#ifdef __CUDACC__
#define DOCTEST_CONFIG_IMPLEMENT
#endif
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <vector>

#include "14_f64_by_integers/by_mma.cuh"
#include "14_f64_by_integers/gemm.cuh"
#include "common/fill.hpp"

namespace {

using namespace f64_by_integers;
using enum F64Variant;

constexpr F64Variant by_integers[] = {slices, remainders, rounded, panels};
constexpr double inf = std::numeric_limits<double>::infinity();

struct Case {
  course::Matrix<double> a, b, c;
};
Case uniform(Index m, Index n, Index k) {
  Case made{{m, k, 3}, {k, n, 1}, {m, n, 2}};
  course::fill_matrix(made.a.view(), course::Fill::uniform, 7, 'A');
  course::fill_matrix(made.b.view(), course::Fill::uniform, 7, 'B');
  course::fill_matrix(made.c.view(), course::Fill::uniform, 7, 'C');
  return made;
}
/// Each element becomes change(it, its row, its column).
void each(View<double> matrix, const std::function<double(double, Index, Index)>& change) {
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j) matrix(i, j) = change(matrix(i, j), i, j);
}
/// The same of A and B, C 0.
Case changed(Index m, Index n, Index k, const std::function<double(double, Index, Index)>& change) {
  Case made = uniform(m, n, k);
  each(made.a.view(), change), each(made.b.view(), change);
  each(made.c.view(), [](double, Index, Index) { return 0; });
  return made;
}
/// About normal · exp(phi · normal): twelve hashed numbers make a normal one.
double log_normal(double phi, Index i, Index j) {
  const auto normal = [&](Index s) {
    double sum = -6;
    for (Index q = 0; q < 12; ++q)
      sum += double(course::element_hash(1, 'N', 100 * i + q, 100 * j + s) >> 11) * 0x1p-53;
    return sum;
  };
  return normal(0) * std::exp(phi * normal(1));
}

/// Its copy in the GPU's memory, or in what the emulator takes for it, with guard bands.
Cuda::Matrix<double> there(View<double> matrix) {
  Cuda::Matrix<double> copy(matrix.rows(), matrix.cols(), matrix.ld() - matrix.cols(),
                            course::Memory::device);
  copy.poison();
  Cuda::transfer<double>(matrix, copy.view());
  return copy;
}
struct Made {
  F64Variant by;
  course::Matrix<double> c;
};
/// C + A·B, by which variant, and that nothing round the matrices is touched.
Made product(Case& given, F64Variant variant, Index longest_k = 1 << 17) {
#ifndef __CUDACC__
  course::emulator::set_order("7");
#endif
  static Gemm<ByMma> gemm;  // one for all: what a product finds is not left to the next
  gemm.longest_k = longest_k;
  const auto a = there(given.a.view()), b = there(given.b.view()), c = there(given.c.view());
#ifdef COURSE_HOPPER
  const bool mma = !cuda_hopper::here() || longest_k < 1 << 17;
#else
  const bool mma = true;
#endif
  Made made{mma ? gemm(a.view(), b.view(), c.view(), variant)
                : gemm_on_hopper(a.view(), b.view(), c.view(), variant),
            {given.c.view().rows(), given.c.view().cols()}};
  Cuda::synchronize();
  for (const auto* matrix : {&a, &b, &c}) CHECK(matrix->guards_intact());
  Cuda::transfer<double>(c.view(), made.c.view());
  return made;
}
bool equal(View<double> one, View<double> other) {
  bool same = true;
  for (Index i = 0; i < one.rows(); ++i)
    for (Index j = 0; j < one.cols(); ++j)
      same &= std::bit_cast<std::uint64_t>(one(i, j)) == std::bit_cast<std::uint64_t>(other(i, j));
  return same;
}

struct Errors {
  double largest = 0, rms = 0;  // of the errors in units of 2^-53 (|C| + |A||B|)
};
Errors errors(Case& given, View<double> made) {
  Errors found;
  const View<double> a = given.a.view(), b = given.b.view(), c = given.c.view();
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      long double sum = c(i, j), size = std::abs(c(i, j));
      for (Index p = 0; p < a.cols(); ++p) {
        const long double product = static_cast<long double>(a(i, p)) * b(p, j);
        sum += product, size += std::abs(product);
      }
      const double error = size == 0 ? 0 : double(std::abs(made(i, j) - sum) / size) * 0x1p53;
      found.largest = error <= found.largest ? found.largest : error;  // NaN stays
      found.rms += error * error / double(c.rows() * c.cols());
    }
  return {found.largest, std::sqrt(found.rms)};
}

}  // namespace

#ifndef __CUDACC__  // the host cannot call these there
TEST_CASE("14: remainders by bytes and by magic numbers are those of a division") {
  std::vector<std::int64_t> numbers{0,       1,         -1,           127,        128,          -128,
                                    1 << 30, 1ll << 62, -(1ll << 62), 0x7fffffff, -0x80000000ll};
  for (Index q = 0; q < 200; ++q)
    numbers.push_back(std::int64_t(course::element_hash(3, 'x', q, 0)) >> q % 62);
  for (int t = 0; t < most_moduli; ++t) {
    const Weights by = Weights::of(modulus(t));
    for (const std::int64_t x : numbers) {
      int wrong = 0;
      for (int near = -modulus(t); near <= modulus(t); ++near) {
        const std::int64_t y = std::abs(x) < 1ll << 62 ? x + near : x;
        const auto wanted = std::int8_t(nearest(y, modulus(t)));
        wrong += std::int8_t(remainder_of(y, by)) != wanted || (y - wanted) % modulus(t) != 0;
        wrong += y == int(y) && std::int8_t(remainder_of(int(y), by)) != wanted;
      }
      CHECK_MESSAGE(wrong == 0, x, " by ", modulus(t));
    }
  }
}

TEST_CASE("14: the Chinese remainder theorem gives every integer below P / 2 back, of either sign") {
  for (int n = 8; n <= most_moduli; ++n) {
    const Remainders of(n);
    const Wide half = Remainders::product(n) / 2, most = half - (half >> 10);  // 0.999 of it
    for (const Wide c : {Wide{0}, Wide{1}, Wide{12345678901}, half / 3, most - 1, most})
      for (const Wide x : {c, -c}) {
        double high = 0, low = 0;
        for (int t = 0; t < n; ++t) {
          const auto r = double(nearest(x, modulus(t)));
          high = fma(r, of.high[t], high), low = fma(r, of.low[t], low);
        }
        CHECK(std::abs(integer_of(of, high, low) - double(x)) <=
              0x1p-52 * std::abs(double(x)) + 0x1p-76 * double(half));
      }
  }
}

__global__ void add_often(int* sums, int byte) {
  WideC<int> sum{};
  const auto four = std::uint32_t(byte & 0xff) * 0x01010101;
  for (int q = 0; q < 1 << 17; q += 32) mma_sync(sum, BytesA{{four, four, four, four}}, BytesB{{four, four}});
  sums[threadIdx.x] = sum.of[0];
}
TEST_CASE(
    "14: sums of 2^17 products of 127 are no overflow, and what -128 makes of them is right modulo 256") {
  int sums[32];
  for (const int byte : {127, -127, -128}) {
    course::launch(add_often, {1}, {32}, sums, byte), course::emulator::synchronize();
    for (const int sum : sums) CHECK((byte == -128 ? sum % 256 == 0 : sum == 127 * 127 << 17));
  }
}
#endif

TEST_CASE("14: errors are not above those of f64 units, whatever the signs, sizes and scales") {
  struct {
    const char* what;
    bool spread;  // too widely for eight digits
    std::function<double(double, Index, Index)> change;
  } const cases[] = {
      {"uniform", false, [](double x, Index, Index) { return x; }},
      {"positive", false, [](double x, Index, Index) { return std::abs(x); }},
      {"phi 0.5", true, [](double, Index i, Index j) { return log_normal(0.5, i, j); }},
      {"phi 1", true, [](double, Index i, Index j) { return log_normal(1, i, j); }},
      {"constant", false, [](double, Index, Index) { return 0.7; }},
  };
  for (const auto& [what, spread, change] : cases) {
    Case given = changed(33, 18, 400, change), wild = changed(33, 18, 400, change);
    each(wild.a.view(), [](double x, Index i, Index) { return std::ldexp(x, int(i * 37 % 61 - 30)); });
    each(wild.b.view(), [](double x, Index, Index j) { return std::ldexp(x, int(j * 29 % 61 - 30)); });
    const Errors by_units = errors(given, product(given, native).c.view());
    for (const F64Variant variant : by_integers) {
      if (spread && variant == slices) continue;
      INFO(what, " by ", int(variant));
      Made made = product(given, variant), made_wild = product(wild, variant);
      CHECK((made.by == variant && made_wild.by == variant));
      const Errors found = errors(given, made.c.view()), found_wild = errors(wild, made_wild.c.view());
      CHECK(found.largest <= by_units.largest);
      CHECK(found.rms <= by_units.rms);
      CHECK((found_wild.largest == found.largest && found_wild.rms == found.rms));
    }
  }
}

TEST_CASE("14: rows and columns as long as the bound allows, all elements of one size, do not wrap") {
  for (const Index k : {100, 256, 515})
    for (const double sign : {1., -1.}) {
      // Just so long that the next power of two would be too much.
      const double most = Remainders::longest(14) * 0x1p-54 / std::sqrt(double(k)) * (1 - 0x1p-29);
      Case given = changed(3, 2, k, [=](double, Index, Index) { return most; });
      each(given.b.view(), [=](double x, Index, Index) { return sign * x; });
      for (const F64Variant variant : {rounded, panels})
        CHECK(errors(given, product(given, variant).c.view()).largest < 16);  // all are rounded the same way
    }
}

TEST_CASE(
    "14: what integers do not hold is made by f64 units, and of the next product nothing is left over") {
  const double nan = std::nan("");
  struct {
    const char* what;
    std::function<double(double, Index, Index)> change;
  } const cases[] = {
      {"NaN", [=](double x, Index i, Index j) { return i == 5 && j == 5 ? nan : x; }},
      {"infinity", [](double x, Index i, Index j) { return i == 5 && j == 5 ? -inf : x; }},
      {"one element 2^300", [](double x, Index i, Index j) { return i == 5 && j == 5 ? 0x1p300 : x; }},
      {"denormals", [](double x, Index i, Index j) { return i == 5 || j == 5 ? x * 0x1p-1060 : x; }},
      {"large", [](double x, Index i, Index) { return i == 5 ? x * 0x1p501 : x; }},
      {"phi 2", [](double, Index i, Index j) { return log_normal(2, i, j); }},
      {"phi 4", [](double, Index i, Index j) { return log_normal(4, i, j); }},
      {"graded", [](double x, Index i, Index j) { return std::ldexp(x, int(i * 31 % 41 - j * 31 % 41)); }},
  };
  for (const auto& [what, change] : cases)
    for (const F64Variant variant : {remainders, panels})
      for (const bool in_a : {true, false}) {
        INFO(what, " in ", in_a ? "A" : "B");
        Case given = uniform(20, 30, 90), good = uniform(20, 30, 90);
        each(in_a ? given.a.view() : given.b.view(), change);
        Made made = product(given, variant), units = product(given, native);
        CHECK(made.by == native);
        CHECK(equal(made.c.view(), units.c.view()));
        CHECK(product(good, variant).by == variant);
      }
}

TEST_CASE("14: a long k is made in pieces, each by integers if they hold it") {
  for (const F64Variant variant : by_integers) {
    Case given = uniform(20, 30, 300), bad = uniform(20, 30, 300);
    Made made = product(given, variant, 128);
    CHECK(made.by == variant);
    CHECK(errors(given, made.c.view()).largest < 4);
    bad.b.view()(200, 3) = 0x1p600;
    Made native_after = product(bad, variant, 128);
    CHECK(native_after.by == native);
    CHECK(errors(bad, native_after.c.view()).largest < 4);
  }
}

TEST_CASE("14: panels gives the bits of rounded, on every run and on every shape") {
  for (const auto& [m, n, k] : {course::Shape{1, 1, 1}, {129, 7, 129}, {5, 200, 60}, {16, 130, 257}}) {
    Case given = uniform(m, n, k);
    Made first = product(given, rounded);
    for (int run = 0; run < 2; ++run) CHECK(equal(product(given, panels).c.view(), first.c.view()));
    CHECK(errors(given, first.c.view()).largest < 4);
  }
}

#ifdef __CUDACC__
TEST_CASE("14: k at the limit of the sums, and beyond it") {
  for (const Index k : {131072, 131073, 300000}) {
    Case given = uniform(33, 18, k);
    for (const F64Variant variant : by_integers)
      CHECK(errors(given, product(given, variant).c.view()).largest < 4);
  }
}
int main(int argc, char** argv) {
  if (const std::string missing = Cuda::missing(course::ptx::tensor_capability); !missing.empty()) {
    std::printf("skipped: %s\n", missing.c_str());
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
#endif
