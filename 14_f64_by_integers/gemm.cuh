// 14: C += A·B in f64 by products of 8-bit integers, which `Multiply` makes: ByMma or, on Hopper, ByWgmma;
// what integers do not hold goes to the f64 units.
#pragma once

#include "11_cuda_tensor/library.hpp"
#include "gpu/cuda.hpp"
#include "library.hpp"
#ifdef COURSE_HOPPER
#include "12_cuda_hopper/library.hpp"
#endif
// clang-format off
#include "rungs/slices.cuh"
#include "rungs/remainders.cuh"
// clang-format on

namespace f64_by_integers {
namespace {  // a program has both the GPU's and the emulator's

using course::Cuda, course::grow, course::wait_for;

/// C += A·B by f64 units: 12's kernel or, where it cannot serve, 11's.
void by_f64_units(View<const double> a, View<const double> b, View<double> c) {
#ifdef COURSE_HOPPER
  if (cuda_hopper::here() && cuda_hopper::serves(a, b, c)) return cuda_hopper::gemm(a, b, c);
#endif
  cuda_tensor::by_stages(a, b, c);
}

template <class Multiply>
class Gemm {
 public:
  Index longest_k = 1 << 17;  // of a piece: more of k would overflow the sums

  /// C += A·B by this variant. Returns which one it is; the GPU may still be at work.
  F64Variant operator()(View<const double> a, View<const double> b, View<double> c, F64Variant variant) {
    if (c.rows() == 0 || c.cols() == 0) return variant;
    for (Index p = 0, k = 0; p < a.cols(); p += k) {
      k = std::min({a.cols() - p, longest_k, variant == F64Variant::slices ? Slices::longest_k : longest_k});
      const View<const double> a_piece = a.block(0, p, a.rows(), k), b_piece = b.block(p, 0, k, b.cols());
      const bool served = variant == F64Variant::slices ? product<Slices>(a_piece, b_piece, c)
                          : variant == F64Variant::remainders
                              ? product<ByRemainders<false>>(a_piece, b_piece, c)
                          : variant == F64Variant::rounded ? product<ByRemainders<true>>(a_piece, b_piece, c)
                                                           : false;
      if (served) continue;
      variant = F64Variant::native;
      by_f64_units(a_piece, b_piece, c);
    }
    return variant;
  }

 private:
  /// Returns whether integers serve; else C is as it was.
  template <class Way>
  bool product(View<const double> a, View<const double> b, View<double> c) {
    const Way way;
    const Matrices all = matrices(a, b, c, Way::planes, Way::rule(a.cols()));
    const Sums sums{grow(sums_, Way::planes * all.of_a.rows * all.of_b.rows), all.of_b.rows,
                    all.of_a.rows * all.of_b.rows};
    begin();
    Multiply::start(measure, blocks_that_measure(all), all);
    Multiply::start(split<Way>, blocks_that_split(all), all, way);
    for (int t = 0; t < Way::planes; ++t)
      Multiply::multiply({all.of_a, all.of_b, Way::digits, t, 1, all.found, report_.view().data()}, sums);
    Multiply::start(combine<Way>, blocks_that_combine(c), all, sums, way);
    return wait_for(report_.view().data()) == reported;
  }

  void begin() { SystemWord{report_.view()(0, 0)}.store(0, relaxed); }

  Matrices matrices(View<const double> a, View<const double> b, View<double> c, int planes, Rule rule) {
    if (!found_.view().data()) {
      const unsigned clear[2] = {};
      found_ = {2, 1, 0, course::Memory::device}, report_ = {1, 1, 0};
      Cuda::transfer<unsigned>({clear, 2, 1, 1}, found_.view());
    }
    current_ = 1 - current_;
    const Index m = a.rows(), n = b.cols(), k = a.cols(), part = std::max<Index>(together, ceil_div(k, 8));
    const auto of = [&](Cuda::Matrix<std::int8_t>& memory, Index rows) {
      const int steps = int(ceil_div(k, together));
      return Planes{grow(memory, planes * rows * steps * together), rows, steps, steps * Index{together},
                    together};
    };
    return {a,
            b,
            c,
            rule,
            grow(a_scales_, m),
            grow(b_scales_, n),
            reinterpret_cast<Size*>(grow(parts_, 3 * ceil_div(k, part) * n)),
            part,
            of(a_, ceil_div(m, Multiply::rows) * Multiply::rows),
            of(b_, ceil_div(n, Multiply::cols) * Multiply::cols),
            &found_.view()(current_, 0),
            &found_.view()(1 - current_, 0)};
  }

  Cuda::Matrix<std::int8_t> a_, b_;
  Cuda::Matrix<double> a_scales_, b_scales_, parts_;
  Cuda::Matrix<int> sums_;
  Cuda::Matrix<unsigned> found_;  // this product's, and the next one's, which is clear
  int current_ = 0;               // which is this product's
  Cuda::HostMatrix<unsigned> report_;
};

}  // namespace
}  // namespace f64_by_integers
