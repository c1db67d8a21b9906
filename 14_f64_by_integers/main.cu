// 14_f64_by_integers: f64 products by units of 8-bit integers, on the GPU or, by --emulate, on the processor.
#include <cstdio>

#include "by_mma.cuh"
#include "gemm.cuh"
#include "gpu/step.hpp"
#include "runner/run.hpp"

namespace {

using namespace f64_by_integers;
using course::Settings;

const course::Needs tensor_cores{.capability = tensor_capability};

/// As a launch, which says when the f64 units make the product instead.
course::Launch<double> by(F64Variant variant) {
  return [variant, said = variant](View<const double> a, View<const double> b, View<double> c,
                                   const Settings&) mutable {
    const F64Variant made = multiply<ByMma>(a, b, c, variant);
    if (made == std::exchange(said, made) || variant == F64Variant::best) return;
    std::printf("  %s\n",
                made == variant ? "by integers" : "rows or columns that integers do not hold: by f64 units");
  };
}

template <class T>
course::Variants<T> variants() {
  course::Variants<T> list;
  if constexpr (std::is_same_v<T, double>) {
    const auto add = [&](const char* name, const char* idea, F64Variant variant) {
      list.push_back(course::gpu<T>(name, idea, by(variant), {}, tensor_cores));
    };
    add("native", "f64 units: 12's kernel, or 11's", F64Variant::native);
    add("slices", "digits of 7 bits, 36 products of them", F64Variant::slices);
    add("remainders", "remainders by 15 moduli, a product each", F64Variant::remainders);
    add("rounded", "… by 14: rounded, bounded by norms", F64Variant::rounded);
    add("panels", "… without a division, in one launch, a byte a sum", F64Variant::panels);
    add("marching", "… blocks keep together in k, on Hopper", F64Variant::marching);
    add("strassen", "… seven products of quarters for eight", F64Variant::strassen);
    add("best", "… or native where that is faster", F64Variant::best);
    course::add_too_far<T>(list, by(F64Variant::panels), tensor_cores);
  }
  return list;
}

}  // namespace

COURSE_GPU_STEP("f64 by integers")
