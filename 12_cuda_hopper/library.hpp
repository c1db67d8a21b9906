// 12's kernels for others, in the library 12_cuda_hopper-launch.
#pragma once

#include "common/bf16.hpp"

namespace cuda_hopper {

using course::bf16, course::tf32, course::View;

enum class HopperVariant {
  tma,
  wgmma,
  warp_specialised,
  tma_add,
  persistent,
  ordered,
  ping_pong,
  cluster,
  best
};

/// Whether the variant can multiply these matrices; no side reaches four millions. Of all but `best` and
/// doubles TMA must be able to serve them: they begin at multiples of 16 bytes, and their rows are such
/// multiples apart, those of C as long, too.
bool serves(HopperVariant variant, View<const bf16> a, View<const bf16> b, View<const float> c);
bool serves(View<const tf32> a, View<const tf32> b, View<const float> c);
bool serves(View<const double> a, View<const double> b, View<const double> c);

/// C += A·B, if the variant serves it. `best` keeps memory for the next product, of the same stream.
void gemm(HopperVariant variant, View<const bf16> a, View<const bf16> b, View<float> c);
/// It keeps memory of B's size for the next product, of the same stream.
void gemm(View<const tf32> a, View<const tf32> b, View<float> c);
/// It keeps at most 70 MB, for the sums of parts of k, for the next product, of the same stream.
void gemm(View<const double> a, View<const double> b, View<double> c);

/// Whether this GPU has compute capability 9.0.
bool here();

}  // namespace cuda_hopper
