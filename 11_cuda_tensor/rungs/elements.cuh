// What every rung needs: the sizes of a block's and a warp's part, a warp's sums, a kernel's start.
// `aligned`: A and B begin at multiples of 32 bytes, and their rows are multiples of 16 apart.
#pragma once

#include "gpu/tiles.cuh"

namespace cuda_tensor {

using namespace course::ptx;
using course::add_fragments, course::add_row, course::bf16, course::Chunk, course::copy_tile, course::Index,
    course::Plain, course::SharedTile, course::Swizzled, course::take_a, course::take_b, course::View;

/// A block makes 128 × 128 elements of C by 8 warps of 64 × 32, BK columns of A a step.
constexpr int BM = 128, BN = 128, BK = 32, WM = 64, WN = 32, threads = 256;

/// A warp's part of C: 4 × 4 fragments.
using Sums = FragmentC[WM / 16][WN / 8];

/// Whether fragments and chunks can be loaded where they lie: WMMA asks for a matrix at a multiple of 32
/// bytes, and all for rows at multiples of 16.
static inline bool is_aligned(View<const bf16> view) {
  return reinterpret_cast<std::uintptr_t>(view.data()) % 32 == 0 && view.ld() % 8 == 0;
}

template <class T>
using Kernel = void (*)(View<const T> a, View<const T> b, View<course::Result<T>> c);

/// Starts a kernel that makes a tile of C a block.
template <class T>
static void tile_a_block(Kernel<T> kernel, Index tile_rows, Index tile_cols, Index block_threads,
                         View<const T> a, View<const T> b, View<course::Result<T>> c, Index shared = 0) {
  course::tile_by_tile(c.rows(), c.cols(), tile_rows, tile_cols, [&](Index i, course::Grid grid) {
    const Index m = std::min(grid.y * tile_rows, c.rows() - i);
    course::launch(kernel, grid, course::Block{block_threads, 1, shared}, a.block(i, 0, m, a.cols()), b,
                   c.block(i, 0, m, c.cols()));
  });
}

}  // namespace cuda_tensor
