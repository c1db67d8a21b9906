// For compute capability 9.0 only: the tensor cores' peaks by wgmma, and L2 as tiles are read from it, by
// bulk copies (TMA), which several multiprocessors make of the same lines.
#pragma once

#include <cstdint>

namespace machine {

constexpr int wgmma_steps = 4;  // instructions of a warpgroup in a round, as many as 128 bytes of k need

/// `rounds` times wgmma_steps products of 64 x k by k x 256 in each warpgroup of a block of 256 threads; k:
/// 16 in BF16, 8 in TF32, 32 in INT8. `from`: 12288 words of numbers; a sum for each thread goes to `sums`.
template <class Sum>
using Wgmma = void (*)(const std::uint32_t* from, int rounds, Sum* sums);

/// With BF16 or TF32, and A from registers or, as B, from shared memory.
Wgmma<float> wgmma_of(bool bf16, bool from_registers);
/// With INT8, A from shared memory.
Wgmma<int> wgmma_of_bytes();

constexpr int piece_bytes = 8192;

/// Copies of a block's pieces, `rounds` times over, from their place in `from` to shared memory. There are
/// `pieces` of piece_bytes; `together` neighbouring blocks copy the same ones, at about the same time.
using Bulk = void (*)(const void* from, int pieces, int rounds, int together);

Bulk bulk();

}  // namespace machine
