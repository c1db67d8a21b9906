// The kernels for compute capability 9.0, which a translation unit of their own holds.
#pragma once

#include "../f16.hpp"
#include "common/bf16.hpp"
#include "common/view.hpp"

namespace cuda_tensor::hopper {

using course::bf16, course::Index, course::View;

enum class Rung { tma, wgmma, roles, persistent, best };

/// Whether TMA can serve these matrices: they begin at multiples of 16 bytes, and their rows are such
/// multiples apart; no side reaches 2^31.
bool serves(View<const bf16> a, View<const bf16> b, View<const float> c);

/// C += A·B, if served. `width` of tiles and `high` strips: 0 for those that fit the shape (`best` alone).
void multiply(Rung rung, View<const bf16> a, View<const bf16> b, View<float> c, int width = 0, int high = 0);

}  // namespace cuda_tensor::hopper
