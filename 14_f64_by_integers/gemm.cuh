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
#include "rungs/panels.cuh"
#include "rungs/strassen.cuh"
// clang-format on

namespace f64_by_integers {
namespace {  // a program has both the GPU's and the emulator's

using course::Cuda, course::grow, course::wait_for;

/// C += A·B by f64 units: by 12's kernel or, where it cannot serve, by 11's.
void by_f64_units(View<const double> a, View<const double> b, View<double> c) {
#ifdef COURSE_HOPPER
  if (cuda_hopper::here() && cuda_hopper::serves(a, b, c)) return cuda_hopper::gemm(a, b, c);
#endif
  cuda_tensor::by_stages(a, b, c);
}

/// Panels, marching where k is long, strassen where all sides are, or native where f64 units take less time:
/// by the bytes that each element of A, B and C moves, by rounds of tiles on all multiprocessors, rows × cols
/// a product's and 64 × 128 native's (whose few tiles are cut into parts of k), and by what launches take.
F64Variant best_of(Index m, Index n, Index k, const Rates& rates, int rows, int cols, int multiprocessors) {
  constexpr int planes = ByPanels<>::planes;
  const auto product = [&](int products, int tile_rows, int tile_cols, bool in_parts) {
    const Index tiles = products * ceil_div(m, tile_rows) * ceil_div(n, tile_cols);
    const Index rounds = ceil_div(tiles, multiprocessors) * multiprocessors;
    return 2.0 *
           double((in_parts && tiles < 2 * multiprocessors ? tiles : rounds) * tile_rows * tile_cols * k);
  };
  const double inputs = double(m + n) * double(k), outputs = double(m) * double(n);
  const double passes = (inputs * (16 + planes) + outputs * (16 + 2 * planes)) / rates.bytes;
  if (passes + product(planes, rows, cols, false) / rates.integers + 30e6 >
      product(1, 64, 128, rates.in_parts) / rates.f64)
    return F64Variant::native;
  if (std::min({m, n, k}) >= 12288) return F64Variant::strassen;
  return k < 4096 ? F64Variant::panels : F64Variant::marching;
}

template <class Multiply>
class Gemm {
 public:
  /// `longest_k` of a piece: sums hold four times as much, but shorter ones lose fewer bits to the bound.
  explicit Gemm(Index longest_k = 1 << 15) : longest_k_(longest_k) {}

  /// C += A·B by this variant. Returns which one it is; the GPU may still be at work.
  F64Variant operator()(View<const double> a, View<const double> b, View<double> c, F64Variant variant) {
    if (c.rows() == 0 || c.cols() == 0) return variant;
    if (variant == F64Variant::best)
      variant = best_of(c.rows(), c.cols(), a.cols(), Multiply::rates, Multiply::rows, Multiply::cols,
                        Cuda::multiprocessors());
    if (variant == F64Variant::native) return by_f64_units(a, b, c), variant;
    for (Index p = 0, k = 0; p < a.cols(); p += k) {
      k = std::min(
          {a.cols() - p, longest_k_, variant == F64Variant::slices ? Slices::longest_k : longest_k_});
      const View<const double> a_piece = a.block(0, p, a.rows(), k), b_piece = b.block(p, 0, k, b.cols());
      if (!in_columns(a_piece, b_piece, c, variant)) variant = F64Variant::native;
    }
    return variant;
  }

 private:
  /// As many columns of C at once as there is memory for. What integers do not hold is made by f64 units;
  /// returns whether there was none.
  bool in_columns(View<const double> a, View<const double> b, View<double> c, F64Variant variant) {
    const Index m = c.rows(), n = c.cols(), k = a.cols();
    bool all_served = true;
    for (Index j = 0, width = n; j < n;) {
      const Index w = std::min(width, n - j);
      const View<const double> b_part = b.block(0, j, k, w);
      const View<double> c_part = c.block(0, j, m, w);
      bool served = false;
      try {
        served = by_integers(a, b_part, c_part, variant);
      } catch (const std::bad_alloc&) {
        width = ceil_div(w, 2 * Multiply::cols) * Multiply::cols;
        if (width < w) continue;
      }
      if (!served) by_f64_units(a, b_part, c_part), all_served = false;
      j += w;
    }
    return all_served;
  }
  bool by_integers(View<const double> a, View<const double> b, View<double> c, F64Variant variant) {
    if (variant == F64Variant::slices) return product<Slices>(a, b, c);
    if (variant == F64Variant::remainders) return product<ByRemainders<false>>(a, b, c);
    if (variant == F64Variant::rounded) return product<ByRemainders<true>>(a, b, c);
    if (variant == F64Variant::strassen) return in_panels<Strassen>(a, b, c, true);
    return variant != F64Variant::native && in_panels<Whole>(a, b, c, variant == F64Variant::marching);
  }

 public:
  /// Returns whether integers serve; else C is as it was.
  template <class Way>
  bool product(View<const double> a, View<const double> b, View<double> c) {
    const Way way;
    const Matrices all = measured(a, b, c, Way::planes, Way::rule(a.cols()), 0);
    const Sums sums{grow(sums_, Way::planes * all.of_a.rows * all.of_b.rows), all.of_b.rows,
                    all.of_a.rows * all.of_b.rows};
    Multiply::template start<split<Way>>(blocks_that_split(all), threads, all, way);
    for (int t = 0; t < Way::planes; ++t)
      Multiply::multiply({all.of_a, all.of_b, Way::digits, t, 1, &all.state->found, report_.view().data()},
                         sums);
    Multiply::template start<combine<Way>>(blocks_that_combine(c), threads, all, sums, way);
    return wait_for(report_.view().data()) == reported;
  }

 private:
  template <class Cut>
  bool in_panels(View<const double> a, View<const double> b, View<double> c, bool marching) {
    const ByPanels<Cut> way;
    const Matrices all = measured(a, b, c, way.planes, way.rule(a.cols()), Cut::side);
    const Index sums = all.of_a.rows * all.of_b.rows;  // of a product
    const Bytes<Cut> bytes{reinterpret_cast<Eight*>(grow(bytes_, way.planes * sums)), all.of_b.rows / 16,
                           sums / 8, way};
    Multiply::template start<split_into_panels<Cut>>(blocks_that_split_into_panels<Cut>(all), threads, all,
                                                     way);
    Multiply::multiply({all.of_a, all.of_b, false, 0, way.planes, &all.state->found, report_.view().data(),
                        marching ? &all.state->marches : nullptr},
                       bytes);
    Multiply::template start<combine_bytes<Cut>>(blocks_that_combine_bytes<Cut>(all), threads, all, bytes);
    return wait_for(report_.view().data()) == reported;
  }

  /// The matrices with their scales, and planes: plain, or in panels, of matrices cut into side · side parts.
  Matrices measured(View<const double> a, View<const double> b, View<double> c, int planes, Rule rule,
                    int side) {
    if (!states_.view().data()) {
      const int clear[6] = {};
      states_ = {2, 3, 0, course::Memory::device}, report_ = {1, 1, 0};
      Cuda::transfer<int>({clear, 2, 3, 3}, states_.view());
    }
    current_ = 1 - current_;
    const Index m = a.rows(), n = b.cols(), k = a.cols(), part = std::max<Index>(together, ceil_div(k, 8));
    const auto of = [&](Cuda::Matrix<std::int8_t>& memory, Index side_rows, Index tile) {
      const Index cuts = std::max(side, 1), rows = ceil_div(side_rows, cuts * tile) * tile;
      const int steps = int(ceil_div(k, cuts * together));
      const Index whole = steps * Index{together};
      std::int8_t* const data = grow(memory, planes * rows * whole);
      return side > 0 ? Planes{data, planes, rows, steps, together, rows * together}
                      : Planes{data, planes, rows, steps, whole, together};
    };
    const Matrices all{a,
                       b,
                       c,
                       rule,
                       grow(a_scales_, m),
                       grow(b_scales_, n),
                       reinterpret_cast<Size*>(grow(parts_, 3 * ceil_div(k, part) * n)),
                       part,
                       of(a_, m, Multiply::rows),
                       of(b_, n, Multiply::cols),
                       reinterpret_cast<State*>(&states_.view()(current_, 0)),
                       reinterpret_cast<State*>(&states_.view()(1 - current_, 0))};
    SystemWord{report_.view()(0, 0)}.store(0, relaxed);
    if (rule.by_norm)
      Multiply::template start<measure<true>>(blocks_that_measure(all), threads, all);
    else
      Multiply::template start<measure<false>>(blocks_that_measure(all), threads, all);
    Multiply::template start<scale>(ceil_div(std::max(m, n), threads), threads, all);
    return all;
  }

  Index longest_k_;
  Cuda::Matrix<std::int8_t> a_, b_, bytes_;
  Cuda::Matrix<double> a_scales_, b_scales_, parts_;
  Cuda::Matrix<int> sums_;
  Cuda::Matrix<int> states_;  // this product's, and the next one's, which is clear
  int current_ = 0;           // which is this product's
  Cuda::HostMatrix<unsigned> report_;
};

/// The same with memory of this thread's, on Hopper by wgmma.
template <class Multiply>
F64Variant multiply(View<const double> a, View<const double> b, View<double> c, F64Variant variant) {
#ifdef COURSE_HOPPER
  if (cuda_hopper::here()) return gemm_on_hopper(a, b, c, variant);
#endif
  return course::workspace<Gemm<Multiply>>()(a, b, c, variant);
}

}  // namespace
}  // namespace f64_by_integers
