// f32 products by parts under the emulator and, compiled by nvcc, on the GPU, from inputs that the recipe
// does not make: which variant makes them, and the error against u ‖a‖ ‖b‖ and against u Σ|ab|.
#include <array>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "13_f32_by_halves/gemm.cuh"
#include "tests/gpu_inputs.hpp"

namespace {

using namespace f32_by_halves;
using enum F32Variant;

constexpr double u = 0x1p-24;

using Case = course::Given<float>;
constexpr auto uniform = course::uniform<float>;

/// Each element becomes change(it).
template <class Change>
void each(View<float> matrix, Change change) {
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j) matrix(i, j) = change(matrix(i, j));
}
void clear(View<float> matrix) {
  each(matrix, [](float) { return 0.f; });
}
/// Multiplies each element by 2^exponent(its row, its column).
template <class Exponent>
void scale(View<float> matrix, Exponent exponent) {
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j) matrix(i, j) = std::ldexp(matrix(i, j), int(exponent(i, j)));
}
void scale(View<float> matrix, int exponent) {
  scale(matrix, [=](Index, Index) { return exponent; });
}

/// Of each row of A and column of B another power of two; C is 0.
Case scaled_wildly(Index m, Index n, Index k) {
  Case made = uniform(m, n, k);
  scale(made.a.view(), [](Index i, Index) { return i * 37 % 81 - 40; });
  scale(made.b.view(), [](Index, Index j) { return j * 29 % 81 - 40; });
  clear(made.c.view());
  return made;
}
/// A·D and D⁻¹·B, D of powers of two.
Case graded_inputs(Index m, Index n, Index k) {
  Case made = uniform(m, n, k);
  scale(made.a.view(), [](Index, Index p) { return p * 31 % 41 - 20; });
  scale(made.b.view(), [](Index p, Index) { return 20 - p * 31 % 41; });
  return made;
}

/// Multiplies, waits until it is done, and returns the variant.
F32Variant variant_of(View<const float> a, View<const float> b, View<float> c, F32Variant first,
                      Gemm&& gemm = Gemm()) {
#ifndef __CUDACC__
  course::emulator::set_order("forward");
#endif
  const auto a_there = there(a), b_there = there(b), c_there = there(c);
  const F32Variant variant = gemm(a_there.view(), b_there.view(), c_there.view(), first);
  Cuda::synchronize();
  CHECK((a_there.guards_intact() && b_there.guards_intact() && c_there.guards_intact()));
  Cuda::transfer<float>(c_there.view(), c);
  return variant;
}

struct Errors {
  double of_norms = 0, of_sums = 0;  // the largest error in units of u ‖a‖ ‖b‖, and of u Σ|ab|
};
/// Multiplies and compares with sums in double (of products that are exact there); C's own rounding is left
/// out of account.
Errors errors(Case& given, F32Variant first, F32Variant expected) {
  const View<float> a = given.a.view(), b = given.b.view(), c = given.c.view();
  course::Matrix<float> before(c.rows(), c.cols());
  course::copy<float>(c, before.view());
  CHECK(variant_of(a, b, c, first) == expected);
  Errors most;
  const auto n = std::size_t(c.cols());
  std::vector<double> b_square(n);
  for (Index p = 0; p < b.rows(); ++p)
    for (std::size_t j = 0; j < n; ++j) b_square[j] += double{b(p, Index(j))} * b(p, Index(j));
  for (Index i = 0; i < c.rows(); ++i) {
    std::vector<double> sum(n), size(n);
    double a_square = 0;
    for (Index p = 0; p < a.cols(); ++p) {
      const double x = a(i, p);
      a_square += x * x;
      for (std::size_t j = 0; j < n; ++j) {
        const double product = x * b(p, Index(j));
        sum[j] += product, size[j] += std::abs(product);
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      const double start = before.view()(i, Index(j)), right = start + sum[j];
      double error = std::abs(c(i, Index(j)) - right) - u * (std::abs(right) + std::abs(start));
      if (error <= 0) continue;
      if (std::isnan(error)) error = std::numeric_limits<double>::infinity();  // max would lose it
      most.of_norms = std::max(error / (u * std::sqrt(a_square) * std::sqrt(b_square[j])), most.of_norms);
      most.of_sums = std::max(error / (u * size[j]), most.of_sums);
    }
  }
  return most;
}

}  // namespace

#ifdef __CUDACC__  // too large for the emulator: C's rows are 704 apart, where TMA adds to them, and 703
constexpr course::Shape shapes[] = {{33, 18, 96}, {33, 18, 300}, {1000, 702, 3000}, {1000, 701, 3000}};
#else  // 96: the last sum is taken over after half as many products
constexpr course::Shape shapes[] = {{33, 18, 96}, {33, 18, 300}};
#endif
TEST_CASE("13: uniform inputs, and rows and columns of wild scales, are made by the first variant") {
  for (const auto& [m, n, k] : shapes)
    for (const F32Variant variant : {fp16x2, bf16x3}) {
      Case given = uniform(m, n, k), wild = scaled_wildly(m, n, k);
      const Errors most = errors(given, variant, variant);
      CHECK((most.of_norms < (m < 1000 ? 4 : 2) && most.of_norms > 0.001));  // they are not all exact
      CHECK(errors(wild, variant, variant).of_norms < (m < 1000 ? 4 : 2));
    }
}

TEST_CASE("13: a row too long for the registers is split whole") {
  Case given = uniform(3, 5, 9001);  // three passes; its largest element is in the last one, or in the first
  given.a.view()(1, 9000) = given.a.view()(2, 1) = 300;
  CHECK(errors(given, fp16x2, fp16x2).of_norms < 8);
}

TEST_CASE("13: what one product has found is not left to the next ones") {
  Gemm gemm;
  for (const bool nan : {true, false, false, true, true, false}) {
    for (const F32Variant first : {fp16x2, bf16x3}) {
      Case given = uniform(20, 20, 90);
      if (nan) given.b.view()(3, 4) = std::numeric_limits<float>::quiet_NaN();
      CHECK(variant_of(given.a.view(), given.b.view(), given.c.view(), first, std::move(gemm)) ==
            (nan ? f32 : first));
    }
  }
}

TEST_CASE("13: splitting is worth its time from 1024 on, but not where C is small, thin or flat") {
  for (const auto [m, n, k, worth] : {std::array{1024, 1024, 1024, 1},
                                      {1024, 1024, 65536, 1},
                                      {256, 256, 256, 0},
                                      {16, 8192, 8192, 0},
                                      {8192, 16, 8192, 0},
                                      {256, 256, 65536, 0}})
    CHECK((worth_splitting<Fp16x2>(m, n, k) == worth && worth_splitting<Bf16x3>(m, n, k) == worth));
  const Case small = uniform(20, 20, 90);
  const auto a = there(small.a.view()), b = there(small.b.view()), c = there(small.c.view());
  CHECK(Gemm().fastest(a.view(), b.view(), c.view(), fp16x2) == f32);
  Cuda::synchronize();
}

#ifndef __CUDACC__  // the host cannot call these there
TEST_CASE("13: the power of two that scales is found for normal numbers and denormals") {
  for (int n = -149; n <= 127; ++n)
    for (const float x : {std::ldexp(1.f, n), std::ldexp(1.75f, n)}) {
      const int scale = scale_for(size_bits(-x));
      CHECK(scale == 13 - std::ilogb(x));
      CHECK(x * power_for(scale).first * power_for(scale).second == std::ldexp(x, scale));
    }
  CHECK(scale_for(0) == 0);
}
#endif

TEST_CASE("13: what is too wide for two FP16 goes by three BF16 and is right by the sums, too") {
  Case graded = graded_inputs(20, 20, 90), huge = uniform(20, 20, 90), lost = uniform(20, 20, 90);
  huge.a.view()(7, 11) = 0x1p60f;
  scale(lost.a.view(), -45);  // these become zero when their row is scaled
  for (Index i = 0; i < 20; ++i) lost.a.view()(i, 0) = 0x1p120f, lost.b.view()(0, i) = 0;
  clear(lost.c.view());
  for (Case* const given : {&graded, &huge, &lost}) CHECK(errors(*given, fp16x2, bf16x3).of_sums < 6);
}

TEST_CASE("13: of a row one element in 64 may lose bits, wherever they are, but not one more") {
  for (const int count : {4, 5}) {
    Case given = uniform(130, 83, 317);  // rows are aligned; several tiles each way
    for (int q = 0; q < count; ++q)
      for (const Index line : {33, 65}) given.a.view()(line, 75 * q) = 0x1p-20f;
    CHECK(errors(given, fp16x2, count == 4 ? fp16x2 : bf16x3).of_norms < 4);
  }
}

TEST_CASE("13: of a column so may one in 64 of each slice of k, the last and shorter one, too") {
  // k, its slices, and which of them has one more.
  for (const auto [k, slice, refused] :
       {std::array{317, 64, -1}, {317, 64, 0}, {317, 64, 4}, {2100, 128, -1}, {2100, 128, 1}}) {
    Case given = uniform(5, 71, k);
    CHECK(slice_for(true, k) == slice);
    for (int q = 0; q * slice < k; ++q)
      for (int p = 0; p < slice / 64 + (q == refused); ++p)
        for (const Index column : {33, 70}) given.b.view()(q * slice + 19 * p, column) = 0x1p-20f;
    CHECK(errors(given, fp16x2, refused < 0 ? fp16x2 : bf16x3).of_norms < 4);
  }
}

TEST_CASE("13: each slice of B has its own powers of two, unless they are no floats") {
  for (const int most : {60, 89, 98, 110}) {
    Case given = uniform(33, 18, 317);
    clear(given.c.view());
    scale(given.a.view(), -30);
    scale(given.b.view(), [=](Index p, Index) { return p < 64 ? most : p < 128 ? 40 : -most; });
    const bool served = most == 60 || most == 89;
    CHECK(errors(given, fp16x2, served ? fp16x2 : most == 98 ? bf16x3 : f32).of_sums < 6);
  }
}

TEST_CASE("13: with all positive numbers the sum that is cut off stays near, too") {
  for (const F32Variant variant : {fp16x2, bf16x3}) {
    Case given = uniform(16, 16, 2000);
    for (const View<float> view : {given.a.view(), given.b.view()}) each(view, fabsf);
    CHECK(errors(given, variant, variant).of_sums < 16);
  }
}

TEST_CASE("13: denormals are scaled by two FP16, and are beyond three BF16") {
  for (const F32Variant variant : {fp16x2, bf16x3}) {
    Case given = uniform(17, 9, 40);
    scale(given.a.view(), -126), scale(given.b.view(), 100), clear(given.c.view());
    CHECK(errors(given, variant, variant == fp16x2 ? fp16x2 : f32).of_norms < 8);
  }
}

TEST_CASE("13: NaN and infinity in either factor, and what rounds to infinity, go to 09's kernel") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), inf, -inf})
    for (const bool in_a : {true, false})
      for (const F32Variant variant : {fp16x2, bf16x3}) {
        Case given = uniform(18, 19, 40);
        for (const View<float> view : {given.a.view(), given.b.view()})
          each(view, [](float x) { return x + std::copysign(1.f, x); });  // not graded
        (in_a ? given.a : given.b).view()(5, 6) = value;
        CHECK(variant_of(given.a.view(), given.b.view(), given.c.view(), variant) == f32);
        const View<float> c = given.c.view();
        for (Index i = 0; i < 18; ++i)
          for (Index j = 0; j < 19; ++j) CHECK(std::isfinite(c(i, j)) == (in_a ? i != 5 : j != 6));
      }
  Case given = uniform(3, 3, 3);
  given.a.view()(1, 1) = std::numeric_limits<float>::max();  // as BF16 it is infinite
  given.b.view()(1, 0) = given.b.view()(1, 1) = given.b.view()(1, 2) = 0x1p-20f;
  CHECK(errors(given, bf16x3, f32).of_norms < 8);
}

#ifndef __CUDACC__
TEST_CASE("13: what a thread keeps for the next product is its own, and a device's") {
  const auto kept = [] { return &course::workspace<Gemm>(); };
  const Gemm* const first = kept();
  CHECK(kept() == first);
  course::cudaSetDevice(1);
  CHECK(kept() != first);
  course::cudaSetDevice(0);
  std::thread([&] { CHECK(kept() != first); }).join();
}
#endif
