// Errors by data and by number of moduli, as lines of CSV: of 4096 elements of C, which was 0, against sums
// of twice the precision.
//   build/14_f64_by_integers/14_f64_by_integers_errors --size 1024,4096 --shape 512x512x131072
#ifdef COURSE_CUBLAS
#include <cublas_v2.h>
#endif

#include <cstdio>
#include <functional>
#include <numbers>

#include "by_mma.cuh"
#include "common/fill.hpp"
#include "gemm.cuh"
#include "runner/options.hpp"
#include "runner/run.hpp"

namespace {

using namespace f64_by_integers;
using namespace course;

/// The draw-th random number of element (i, j): uniform in (0, 1); and normal, of two.
double unit(char matrix, Index i, Index j, std::uint64_t draw) {
  return (double(element_hash(draw, matrix, i, j) >> 11) + 0.5) * 0x1p-53;
}
double normal(char matrix, Index i, Index j, std::uint64_t draw) {
  return std::sqrt(-2 * std::log(unit(matrix, i, j, draw))) *
         std::cos(2 * std::numbers::pi * unit(matrix, i, j, draw + 1));
}
double uniform(char matrix, Index i, Index j) {
  return 2 * unit(matrix, i, j, 0) - 1;
}
template <int halves>
double log_normal(char matrix, Index i, Index j) {
  return normal(matrix, i, j, 0) * std::exp(0.5 * halves * normal(matrix, i, j, 2));
}
/// Rows of A and columns of B times powers of two, from 2^-30 to 2^30.
double scaled(char matrix, Index i, Index j) {
  const double power = 61 * unit(matrix, matrix == 'A' ? i : j, -1, 1);
  return std::ldexp(uniform(matrix, i, j), int(power) - 30);
}
const struct {
  const char* name;
  double (*element)(char matrix, Index i, Index j);
} all_data[] = {
    {"uniform", uniform},
    {"positive", [](char matrix, Index i, Index j) { return unit(matrix, i, j, 0); }},
    {"phi 0.5", log_normal<1>},
    {"phi 1", log_normal<2>},
    {"phi 2", log_normal<4>},
    {"phi 4", log_normal<8>},
    {"scaled", scaled},
    {"constant", [](char, Index, Index) { return 0.7; }},
};

/// C += A·B, all in the GPU's memory; returns what has made it.
using Product = std::function<const char*(View<const double> a, View<const double> b, View<double> c)>;
Product by(F64Variant variant) {
  return [variant](View<const double> a, View<const double> b, View<double> c) {
    constexpr const char* names[] = {"native", "slices",   "remainders", "rounded",
                                     "panels", "marching", "strassen"};
    return names[int(multiply<ByMma>(a, b, c, variant))];
  };
}
/// As `rounded`, by so many moduli.
template <int moduli>
const char* by_moduli(View<const double> a, View<const double> b, View<double> c) {
  auto& gemm = workspace<Gemm<ByMma>>();
  constexpr Index piece = 1 << 15;
  const char* made = "rounded";
  for (Index p = 0; p < a.cols(); p += piece) {
    const Index k = std::min(piece, a.cols() - p);
    const View<const double> a_piece = a.block(0, p, a.rows(), k), b_piece = b.block(p, 0, k, b.cols());
    if (!gemm.product<ByRemainders<true, moduli>>(a_piece, b_piece, c))
      by_f64_units(a_piece, b_piece, c), made = "native";
  }
  return made;
}
#ifdef COURSE_CUBLAS
void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(status));
}
const char* by_cublas(View<const double> a, View<const double> b, View<double> c) {
  static const cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    return check(cublasCreate(&made)), made;
  }();
  const double one = 1;
  check(cublasDgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, c.cols(), c.rows(), a.cols(), &one, b.data(), b.ld(),
                       a.data(), a.ld(), &one, c.data(), c.ld()));  // by columns: the transposes
  return "cuBLAS";
}
#endif
const std::pair<const char*, Product> variants[] = {
#ifdef COURSE_CUBLAS
    {"cuBLAS", by_cublas},
#endif
    {"native", by(F64Variant::native)},
    {"remainders", by(F64Variant::remainders)},
    {"rounded 13", by_moduli<13>},
    {"rounded 14", by_moduli<14>},
    {"rounded 15", by_moduli<15>},
    {"best", by(F64Variant::best)},
};

/// An element of C: where it is, as high + low, and that of |A||B|.
struct Sample {
  Index i, j;
  double high = 0, low = 0, size = 0;

  /// Adds x·y; `low` gets what is rounded off (Ogita, Rump and Oishi, Dot2).
  void add(double x, double y) {
    const double product = x * y, sum = high + product, added = sum - high;
    low += (high - (sum - added)) + (product - added) + std::fma(x, y, -product);
    high = sum, size += std::abs(product);
  }
};

/// The matrix in the host's memory and, a copy, in the GPU's.
struct Filled {
  Matrix<double> here;
  Cuda::Matrix<double> there;
  Filled(Index rows, Index cols, int threads, const std::function<double(Index i, Index j)>& element)
      : here(rows, cols, 0, threads), there(rows, cols, 0, Memory::device) {
    share_rows(rows, threads, [&](Index i) {
      for (Index j = 0; j < cols; ++j) here.view()(i, j) = element(i, j);
    });
    Cuda::transfer<double>(here.view(), there.view());
  }
};

/// Prints a line for each kind of data and variant; returns whether no result is wrong.
bool print_errors(const Shape& shape, int threads) {
  const Index m = shape.m, n = shape.n, k = shape.k;  // lambdas of clang 14 capture no bindings
  constexpr int middle = 2048;                        // of the samples
  bool right = true;
  for (const auto& data : all_data) {
    const Filled a(m, k, threads, [&](Index i, Index p) { return data.element('A', i, p); });
    const Filled b(k, n, threads, [&](Index p, Index j) { return data.element('B', p, j); });
    std::vector<Sample> samples;
    for (Index s = 0; s < 2 * middle; ++s)
      samples.push_back({Index(unit('C', s, 0, 0) * double(m)), Index(unit('C', s, 1, 0) * double(n))});
    share_rows(Index(samples.size()), threads, [&](Index s) {
      Sample sample = samples[std::size_t(s)];
      for (Index p = 0; p < k; ++p) sample.add(a.here.view()(sample.i, p), b.here.view()(p, sample.j));
      samples[std::size_t(s)] = sample;
    });
    const Cuda::Matrix<double> c(m, n, 0, Memory::device);
    for (const auto& [name, product] : variants) {
      course::check(cudaMemset(c.view().data(), 0, std::size_t(8 * m * n)));
      const char* const made = product(a.there.view(), b.there.view(), c.view());
      Cuda::synchronize();
      double largest = 0, squares = 0;
      std::vector<double> relative;
      for (const Sample& sample : samples) {
        double found = 0;
        Cuda::transfer<double>(c.view().block(sample.i, sample.j, 1, 1), {&found, 1, 1, 1});
        const double error = std::abs(found - sample.high - sample.low);
        const double share = error / (0x1p-53 * sample.size);
        largest = std::max(largest, share), squares += share * share;
        relative.push_back(error / std::abs(sample.high));
      }
      const double rms = std::sqrt(squares / double(samples.size()));
      std::nth_element(relative.begin(), relative.begin() + middle, relative.end());
      std::printf("%s,%s,%lld,%lld,%lld,%.4g,%.4g,%.4g,%s\n", data.name, name, static_cast<long long>(m),
                  static_cast<long long>(n), static_cast<long long>(k), largest, rms, relative[middle], made);
      std::fflush(stdout);
      right = right && rms < 1e6;  // 13 moduli may lose some digits; what is wrong, or NaN, has none
    }
  }
  return right;
}

int run(int argc, char** argv) {
  Options options;
#ifndef __CUDACC__
  options.emulation = true;
#endif
  options.threads = {usable_cpus()};
  if (!parse(options, "Errors by data and variant; of the options --size, --shape, --threads count", argc,
             argv))
    return 0;
#ifndef __CUDACC__
  if (!options.emulate.empty()) emulator::set_order(options.emulate);
#endif
  if (const std::string missing = Cuda::missing(tensor_capability); !missing.empty())
    return std::fprintf(stderr, "%s: skipped: %s\n", COURSE_PROGRAM, missing.c_str()), 77;
  for (const Shape& shape : options.shapes)
    if (shape.flops() == 0)
      return std::fprintf(stderr, "%s: --shape: a side is 0; give at least 1\n", COURSE_PROGRAM), 2;
  std::puts("data,variant,m,n,k,largest,rms,median,by");
  bool right = true;
  for (const Shape& shape : options.shapes) right = print_errors(shape, options.threads[0]) && right;
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return exit_status(COURSE_PROGRAM, [&] { return run(argc, argv); });
}
