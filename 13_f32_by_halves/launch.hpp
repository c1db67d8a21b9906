// 13's kernels for compute capability 9.0, which a translation unit of their own holds.
#pragma once

#include "parts.cuh"

namespace f32_by_halves {

/// Splits, and multiplies as by_mma does, S: Fp16x2 or Bf16x3; any C.
template <class S>
void by_wgmma(const Parts<S>& parts, View<float> c, unsigned refused, unsigned* report);

}  // namespace f32_by_halves
