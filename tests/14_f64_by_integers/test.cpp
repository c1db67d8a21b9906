// f64 products by integers, under the emulator and, by nvcc, on the GPU, against sums in a wider type.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "14_f64_by_integers/by_mma.cuh"
#include "14_f64_by_integers/gemm.cuh"
#include "tests/gpu_inputs.hpp"

namespace {
using namespace f64_by_integers;
using enum F64Variant;
constexpr F64Variant by_integers[] = {slices, remainders, rounded, panels, strassen};
/// What becomes of an element x in row i, column j.
using Change = std::function<double(double x, Index i, Index j)>;

using Case = course::Given<double>;
void each(View<double> matrix, const Change& change) {
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j) matrix(i, j) = change(matrix(i, j), i, j);
}
/// Uniform; or A and B changed, and C 0.
Case made_of(Index m, Index n, Index k, const Change& change = {}) {
  Case made = course::uniform<double>(m, n, k);
  if (change) each(made.a.view(), change), each(made.b.view(), change);
  if (change) each(made.c.view(), [](double, Index, Index) { return 0; });
  return made;
}
/// Normal · exp(phi · normal).
Change log_normal(double phi) {
  return [phi, random = std::mt19937_64(), normal = std::normal_distribution()](
             double, Index, Index) mutable { return normal(random) * std::exp(phi * normal(random)); };
}

struct LittleMemory : ByMma {  // for one tile's columns
  template <class Out>
  static void multiply(const Products& all, const Out& out) {
    all.b.rows > BN ? throw std::bad_alloc() : ByMma::multiply(all, out);
  }
};
struct Made {
  F64Variant by;
  course::Matrix<double> c;
};
/// C + A·B, in pieces if asked for, and by which variant. Nothing round the matrices is touched.
Made product(Case& given, F64Variant variant, Index longest_k = 0) {
#ifndef __CUDACC__
  course::emulator::set_order("7");
#endif
  Gemm<LittleMemory> in_pieces(longest_k);
  const auto a = there(given.a.view()), b = there(given.b.view()), c = there(given.c.view());
  const auto multiplied = [&](auto&& by) { return by(a.view(), b.view(), c.view(), variant); };
  Made made{longest_k > 0 ? multiplied(in_pieces) : multiplied(multiply<ByMma>),
            {given.c.view().rows(), given.c.view().cols()}};
  Cuda::synchronize();
  CHECK((a.guards_intact() && b.guards_intact() && c.guards_intact()));
  Cuda::transfer<double>(c.view(), made.c.view());
  return made;
}
bool equal(const Made& one, const Made& other) {  // bit by bit
  const View<const double> c = one.c.view();
  return std::memcmp(c.data(), other.c.view().data(), std::size_t(8 * c.rows() * c.cols())) == 0;
}

/// Largest error and rms, in 2^-53 (|C| + |A||B|), of `made` or, without it, of doubles in the order of k.
std::pair<double, double> errors(Case& given, View<double> made) {
  double largest = 0, squares = 0;
  const View<double> a = given.a.view(), b = given.b.view(), c = given.c.view();
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      long double sum = c(i, j), size = std::abs(c(i, j));
      double in_order = c(i, j);
      for (Index p = 0; p < a.cols(); ++p) {
        const long double product = static_cast<long double>(a(i, p)) * b(p, j);
        sum += product, size += std::abs(product), in_order = std::fma(a(i, p), b(p, j), in_order);
      }
      sum -= made.data() ? made(i, j) : in_order;
      const double error = size == 0 ? 0 : double(std::abs(sum) / size) * 0x1p53;
      largest = std::max(largest, std::isnan(error) ? 1e9 : error), squares += error * error;
    }
  return {largest, std::sqrt(squares / double(c.rows() * c.cols()))};
}

}  // namespace

#ifndef __CUDACC__  // the host cannot call these there
TEST_CASE("14: remainders by bytes and by magic numbers are those of a division") {
  std::vector<std::int64_t> numbers{0, 1 << 30, -(1 << 30), 1ll << 61, -(1ll << 61)};
  for (int q = 0; q < 200; ++q)
    numbers.push_back(std::int64_t(course::element_hash(3, 'x', q, 0)) >> (2 + q % 60));
  for (int t = 0; t < most_moduli; ++t)
    for (const std::int64_t x : numbers) {
      const Weights by = Weights::of(modulus(t));
      int wrong = 0;
      for (std::int64_t y = x - modulus(t); y <= x + modulus(t); ++y) {
        const auto wanted = std::int8_t(nearest(y, modulus(t)));
        wrong += std::int8_t(remainder_of(y, by)) != wanted || (y - wanted) % modulus(t) != 0;
        wrong += y == int(y) && std::int8_t(remainder_of(int(y), by)) != wanted;
      }
      CHECK_MESSAGE(wrong == 0, x, " by ", modulus(t));
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
        const double error = std::abs(integer_of(of, high, low) - double(x));
        CHECK(error <= 0x1p-52 * std::abs(double(x)) + 0x1p-76 * double(half));
      }
  }
}

__global__ void add_often(int* sums, int byte) {
  WideC<int> sum{};
  const auto four = std::uint32_t(byte & 0xff) * 0x01010101;
  for (int q = 0; q < 1 << 17; q += 32) mma_sync(sum, BytesA{{four, four, four, four}}, BytesB{{four, four}});
  sums[threadIdx.x] = sum.of[0];
}
TEST_CASE("14: sums of 2^17 products of 127 are no overflow, those of -128 one modulo 256") {
  int sums[32];
  for (const int byte : {127, -127, -128}) {
    course::launch(add_often, {1}, {32}, sums, byte), course::emulator::synchronize();
    for (const int sum : sums) CHECK((byte == -128 ? sum % 256 == 0 : sum == 127 * 127 << 17));
  }
}
#endif

TEST_CASE("14: errors are not above those of f64 in the order of k, whatever the signs, sizes and scales") {
  const std::tuple<std::string, bool, Change> cases[] = {
      {"uniform", false, [](double x, Index, Index) { return x; }},
      {"positive", false, [](double x, Index, Index) { return std::abs(x); }},
      {"phi 0.5", true, log_normal(0.5)},
      {"phi 1", true, log_normal(1)},
      {"constant", false, [](double, Index, Index) { return 0.7; }},
  };
  for (const auto& row : cases) {
    Case given = made_of(33, 18, 200, std::get<Change>(row));
    each(given.a.view(), [](double x, Index i, Index) { return std::ldexp(x, int(i * 37 % 61 - 30)); });
    each(given.b.view(), [](double x, Index, Index j) { return std::ldexp(x, int(j * 29 % 61 - 30)); });
    const auto by_units = errors(given, {});
    for (const F64Variant variant : by_integers) {
      if (std::get<bool>(row) && (variant == slices || variant == remainders)) continue;
      INFO(std::get<std::string>(row), " by ", int(variant));
      Made made = product(given, variant);
      const auto found = errors(given, made.c.view());
      CHECK((made.by == variant && found.first <= by_units.first && found.second <= by_units.second));
    }
  }
}

TEST_CASE("14: rows and columns as long as the bound allows, all elements of one size, do not wrap") {
  for (const Index k : {100, 256, 515})
    for (const auto& [a, b] : {std::pair{1., 1.}, {1., -1.}, {0.6, 0.9}}) {  // 0.6: A may be longer, B less
      const double most = Remainders::longest(14) * 0x1p-54 / std::sqrt(double(k)) * (1 - 0x1p-29);
      Case given = made_of(3, 2, k, [=](double, Index, Index) { return most; });
      each(given.a.view(), [share = a](double x, Index, Index) { return share * x; });
      each(given.b.view(), [share = b](double x, Index, Index) { return share * x; });
      CHECK(errors(given, product(given, panels).c.view()).first < 16);  // all are rounded the same way
    }
}

TEST_CASE("14: f64 units make what integers do not hold, and what was found is not left over") {
  const auto one = [](double odd) {
    return [=](double x, Index i, Index j) { return i == 5 && j == 5 ? odd : x; };
  };
  const std::pair<std::string, Change> cases[] = {
      {"NaN", one(std::nan(""))},
      {"infinity", one(-HUGE_VAL)},
      {"one element 2^300", one(0x1p300)},
      {"denormals", [](double x, Index i, Index j) { return i == 5 || j == 5 ? x * 0x1p-1060 : x; }},
      {"large", one(0x1p520)},
      {"sparse", [](double x, Index i, Index j) { return (i + j) % 64 == 5 ? x : 0; }},
      {"phi 2", log_normal(2)},
      {"phi 4", log_normal(4)},
      {"graded", [](double x, Index i, Index j) { return std::ldexp(x, int(i * 31 % 41 - j * 31 % 41)); }},
  };
  for (const auto& row : cases)
    for (const auto& [variant, in_a] : {std::pair{panels, true}, {panels, false}, {remainders, false}}) {
      Case given = made_of(20, 30, 150), good = made_of(20, 30, 90);
      each(in_a ? given.a.view() : given.b.view(), row.second);
      const Made made = product(given, variant);
      CHECK_MESSAGE((made.by == native && equal(made, product(given, native))), row.first);
      CHECK(product(good, variant).by == variant);
    }
}

TEST_CASE("14: what is too large is made in pieces, each by integers if they hold it") {
  for (const F64Variant variant : {slices, strassen})
    for (const bool held : {true, false}) {
      Case given = made_of(20, 150, 300);
      if (!held) given.b.view()(200, 3) = 0x1p600;
      Made made = product(given, variant, 128);
      CHECK((made.by == (held ? variant : native) && errors(given, made.c.view()).first < 4));
    }
}

TEST_CASE("14: panels gives rounded's bits on every run, and strassen is right in all quarters") {
  for (const auto& [m, n, k] : {course::Shape{1, 1, 1}, {129, 7, 129}, {130, 140, 150}}) {
    Case given = made_of(m, n, k);
    for (int run = 0; run < 2; ++run) CHECK(equal(product(given, panels), product(given, rounded)));
    CHECK(errors(given, product(given, strassen).c.view()).first < 4);
  }
}
