// L2 as tiles are read from it: bulk copies (TMA), which several multiprocessors make of the same lines.
#pragma once

namespace machine {

constexpr int piece_bytes = 8192;

/// Copies of a block's pieces, `rounds` times over, from their place in `from` to shared memory. There are
/// `pieces` of piece_bytes; `together` neighbouring blocks copy the same ones, at about the same time.
using Bulk = void (*)(const void* from, int pieces, int rounds, int together);

/// For compute capability 9.0.
Bulk bulk();

}  // namespace machine
