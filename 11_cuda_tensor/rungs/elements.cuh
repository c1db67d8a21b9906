// What every rung needs: the sizes of a block's and a warp's part, and a warp's sums.
// `aligned`: A and B begin at multiples of 32 bytes, and their rows are multiples of 16 apart.
#pragma once

#include "gpu/tiles.cuh"

namespace cuda_tensor {

/// A block makes 128 × 128 elements of C by 8 warps of 64 × 32, BK columns of A a step.
constexpr int BM = 128, BN = 128, BK = 32, WM = 64, WN = 32, threads = 256;

/// A warp's part of C: 4 × 4 fragments.
using Sums = FragmentC[WM / 16][WN / 8];

}  // namespace cuda_tensor
