// 13: which variant makes an f32 product: each float as two FP16 (FP16x2), as three BF16 (BF16x3), or 09's
// kernel. Against 09: tensor cores, from parts that a pass before has split.
// Run: build/13_f32_by_halves/13_f32_by_halves --emulate forward --type f32 --size 64
#pragma once

#include "09_cuda_regtile/library.hpp"
#include "by_mma.cuh"
#include "gpu/step.hpp"
#include "split.cuh"
#ifdef COURSE_HOPPER
#include "12_cuda_hopper/library.hpp"
#endif

namespace f32_by_halves {
namespace {  // a program has both the GPU's and the emulator's

using course::ceil_div, course::Cuda, course::grow, course::Memory;

/// A product by parts, and the memory that it needs, S::parts · 2 bytes for each element of A and of B: it
/// grows, and stays for the next product.
template <class S>
class Product {
 public:
  /// C += A·B, unless the pass that splits finds one of `refused`; then C stays as it is. Returns what was
  /// found when the product begins.
  unsigned operator()(View<const float> a, View<const float> b, View<float> c, unsigned refused) {
    const Index m = c.rows(), n = c.cols(), k = a.cols();
    if (m == 0 || n == 0 || k == 0) return 0;
    const Index filled = ceil_div(k, S::step) * S::step * S::parts, wide = ceil_div(n, 4) * 4;
    const int slice = slice_for(S::scaled, k);
    if (!found_.view().data()) found_ = clear_pair(), report_ = {1, 1, 0};
    unsigned* const report = report_.view().data();
    const Index slices = S::scaled ? ceil_div(k, slice) : 0;  // factors: a tile may read beyond the last
    const Parts<S> parts{a,
                         b,
                         buffer(a_, m, filled),
                         buffer(b_, filled, ceil_div(n, 8) * 8),
                         grow(a_scales_, S::scaled ? m : 0),
                         {grow(b_factors_, slices * wide + widest), slices, n, wide},
                         slice,
                         &found_.view()(current_, 0),
                         &found_.view()(1 - current_, 0)};
    SystemWord{*report}.store(0, relaxed);
    current_ = 1 - current_;  // from now on the other one is clear
    launch(parts, c, refused, report);
    // This wait is part of the product's time: which kernel comes next depends on it.
    return course::wait_for(report) & ~unsigned{reported};
  }

 private:
  using Half = typename S::Half;

  static void launch(const Parts<S>& parts, View<float> c, unsigned refused, unsigned* report) {
#ifdef COURSE_HOPPER
    if (cuda_hopper::here()) return launch_on_hopper(parts, c, refused, report);
#endif
    const Shares by = shares(parts);
    course::launch(split_for<S>(by.given), {Index{by.of_b} + by.of_a}, {threads}, parts, by);
    course::tile_by_tile(c.rows(), c.cols(), BM, BN, [&](Index first, course::Grid grid) {
      course::launch(by_mma<S>, grid, {mma_threads}, parts, c, refused, report, first);
    });
  }
  static View<Half> buffer(Cuda::Matrix<bf16>& matrix, Index rows, Index cols) {
    return {reinterpret_cast<Half*>(grow(matrix, rows * cols)), rows, cols, cols};  // two bytes, as a bf16
  }
  static Cuda::Matrix<unsigned> clear_pair() {
    const unsigned clear[2] = {};
    Cuda::Matrix<unsigned> made(2, 1, 0, Memory::device);
    Cuda::transfer<unsigned>({clear, 2, 1, 1}, made.view());
    return made;
  }

  Cuda::Matrix<bf16> a_, b_;
  Cuda::Matrix<int> a_scales_;
  Cuda::Matrix<float> b_factors_;
  Cuda::Matrix<unsigned> found_;  // this product's, and the next one's, which is clear
  int current_ = 0;               // which is this product's
  Cuda::HostMatrix<unsigned> report_;
};

enum class F32Variant { fp16x2, bf16x3, f32 };

/// C += A·B, A m × k, B k × n and C m × n, all in the GPU's memory, by the first variant that holds what A
/// and B contain. It serves one stream, as it keeps its memory for the next product.
class Gemm {
 public:
  /// `first`: the variant to begin with. Returns which one it is; the GPU may still be at work. Throws
  /// if CUDA refuses.
  F32Variant operator()(View<const float> a, View<const float> b, View<float> c, F32Variant first) {
    if (first == F32Variant::fp16x2) {
      const unsigned found = fp16x2_(a, b, c, beyond | graded);
      if (found == 0) return F32Variant::fp16x2;
      if (found & beyond) return by_f32_units(a, b, c);
    }
    return bf16x3_(a, b, c, beyond) == 0 ? F32Variant::bf16x3 : by_f32_units(a, b, c);
  }
  /// The same, but by 09's kernel where splitting would take longer than it saves.
  F32Variant fastest(View<const float> a, View<const float> b, View<float> c, F32Variant first) {
    const bool worth = (first == F32Variant::fp16x2 ? worth_splitting<Fp16x2>
                                                    : worth_splitting<Bf16x3>)(c.rows(), c.cols(), a.cols());
    return worth ? (*this)(a, b, c, first) : by_f32_units(a, b, c);
  }

 private:
  static F32Variant by_f32_units(View<const float> a, View<const float> b, View<float> c) {
    COURSE_REGTILE_MULTIPLY(c.rows(), c.cols(), a.cols(), a.data(), a.ld(), b.data(), b.ld(), c.data(),
                            c.ld());
    return F32Variant::f32;
  }

  Product<Fp16x2> fp16x2_;
  Product<Bf16x3> bf16x3_;
};

}  // namespace
}  // namespace f32_by_halves
