// The tensor cores' peaks by wgmma, whose kernels run on compute capability 9.0 only.
#pragma once

#include <cstdint>

namespace machine {

constexpr int wgmma_steps = 4;  // instructions of a warpgroup in a round, as many as 128 bytes of k need

/// `rounds` times wgmma_steps products of 64 x k by k x 256 in each warpgroup of a block of 256 threads; k:
/// 16 in BF16, 8 in TF32. `from`: 12288 words of numbers; a sum for each thread goes to `sums`.
using Wgmma = void (*)(const std::uint32_t* from, int rounds, float* sums);

/// With BF16 or TF32, and A from registers or, as B, from shared memory.
Wgmma wgmma_of(bool bf16, bool from_registers);

}  // namespace machine
