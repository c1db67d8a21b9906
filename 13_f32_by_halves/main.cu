// 13_f32_by_halves: f32 products by FP16 and BF16 units, on the GPU or, by --emulate, on the processor.
#include <cstdio>

#include "gemm.cuh"
#include "runner/run.hpp"

namespace {

using namespace f32_by_halves;
using course::gpu, course::Settings;

const course::Needs tensor_cores{.capability = tensor_capability};

/// As a launch, which says when another variant than `first` makes the product.
course::Launch<float> starting_with(F32Variant first) {
  return [first, gemm = std::make_shared<Gemm>(), said = first](View<const float> a, View<const float> b,
                                                                View<float> c, const Settings&) mutable {
    const F32Variant variant = (*gemm)(a, b, c, first);
    if (variant != said)
      std::printf("  %s\n", variant == F32Variant::bf16x3 ? "graded rows or columns: by BF16x3"
                            : variant == F32Variant::f32
                                ? "NaN, infinity or a range beyond BF16's: by 09's kernel"
                                : "by FP16x2");
    said = variant;
  };
}

template <class T>
course::Variants<T> variants() {
  course::Variants<T> list;
  if constexpr (std::is_same_v<T, float>) {
    list = {gpu<T>("f32_by_bf16", "BF16x3: a float as three BF16, six products",
                   starting_with(F32Variant::bf16x3), {}, tensor_cores),
            gpu<T>("f32_by_fp16", "FP16x2: a float as two FP16, three products",
                   starting_with(F32Variant::fp16x2), {}, tensor_cores)};
    course::add_too_far<T>(list, starting_with(F32Variant::fp16x2), tensor_cores);
  }
  return list;
}

}  // namespace

COURSE_GPU_STEP("f32 by tensor cores")
