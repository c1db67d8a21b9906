// 13's kernels for compute capability 9.0, which a translation unit of their own holds.
#pragma once

#include "parts.cuh"

namespace f32_by_halves {

/// As by_mma, S: Fp16x2 or Bf16x3; any C.
template <class S>
void by_wgmma(View<const typename S::Half> a, View<const typename S::Half> b, View<float> c,
              const int* a_scales, const int* b_scales, const unsigned* found, unsigned refused,
              unsigned* report);

}  // namespace f32_by_halves
