// The kernels for compute capability 9.0, which a translation unit of their own holds.
#pragma once

#include "../f32/parts.cuh"

namespace cuda_tensor::hopper {

enum class Rung { tma, wgmma, warp_specialised, persistent, ordered, ping_pong, cluster, best };

/// Whether TMA can serve these matrices: they begin at multiples of 16 bytes, and their rows are such
/// multiples apart, those of C as long, too; no side reaches four millions.
bool serves(View<const bf16> a, View<const bf16> b, View<const float> c);

/// C += A·B, if served.
void multiply(Rung rung, View<const bf16> a, View<const bf16> b, View<float> c);

/// Whether this GPU has compute capability 9.0.
bool here();

/// As by_parts of f32/by_parts.cuh, S: Fp16x2 or Bf16x3; any C.
template <class S>
void by_parts(View<const typename S::Half> a, View<const typename S::Half> b, View<float> c,
              const int* a_scales, const int* b_scales, const unsigned* found, unsigned refused,
              unsigned* report);

}  // namespace cuda_tensor::hopper
