// kept_addresses: as stages, but a thread computes its addresses once, then advances them; deep_steps: the
// same in steps of 64 of k, in more shared memory than a kernel can declare.
//   build/11_cuda_tensor/11_cuda_tensor --type bf16 --size 2048 --variant stages,kept_addresses,deep_steps
#pragma once

#include "stages.cuh"

namespace cuda_tensor {

/// The chunks that a thread copies of each step's tile: of one column of chunks, `down` rows apart; the
/// swizzle leaves them in one column.
template <int rows, int cols>
struct Chunks {
  static constexpr int down = threads / (cols / 8);
  static_assert(down % 8 == 0 && rows % down == 0);

  const bf16* from;            // the first one
  int row, at;                 // where it goes to in the tile
  Index rows_left, cols_left;  // of the matrix, from it on
};
template <int rows, int cols>
__device__ Chunks<rows, cols> chunks_from(View<const bf16> matrix, Index i0, Index j0) {
  const int row = int(threadIdx.x) / (cols / 8), chunk = int(threadIdx.x) % (cols / 8);
  const Index i = i0 + row, j = j0 + 8 * chunk;
  return {matrix.data() + i * matrix.ld() + j, row, 8 * Swizzled::place(row, chunk, cols / 8),
          matrix.rows() - i, matrix.cols() - j};
}
/// Begins to copy them; of a chunk that is not there nothing is read, and zeros are written.
template <int rows, int cols>
__device__ void begin(SharedTile<bf16, rows, cols>& tile, const Chunks<rows, cols>& next, Index ld) {
  constexpr int down = Chunks<rows, cols>::down;
  const int bytes = 2 * int(std::clamp(next.cols_left, Index{0}, Index{8}));
#pragma unroll
  for (int r = 0; r < rows; r += down)
    cp_async(tile[next.row + r] + next.at, next.from + r * ld, r < next.rows_left ? bytes : 0);
}

/// The tiles of `depth` steps of BK of k.
template <int BK, int depth>
struct alignas(32) Stages {
  SharedTile<bf16, BM, BK> a[depth];
  SharedTile<bf16, BK, BN> b[depth];
};

/// As stages, for aligned rows.
template <int BK, int depth = 3>
__global__ __launch_bounds__(threads, 2) void kept_addresses(View<const bf16> a, View<const bf16> b,
                                                             View<float> c) {
  auto& tiles = course::shared_memory<Stages<BK, depth>>();
  const int warp = int(threadIdx.x) / 32, row = warp / 4 * WM, col = warp % 4 * WN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  const int steps = int(course::ceil_div(a.cols(), BK));
  auto next_a = chunks_from<BM, BK>(a, i0, 0);
  auto next_b = chunks_from<BK, BN>(b, 0, j0);
  int next = 0, stage = 0;  // of the ring: where copies go to, and what is multiplied
  // [begin_step]
  const auto begin_step = [&](int step) {
    if (step < steps) {
      begin(tiles.a[next], next_a, a.ld()), begin(tiles.b[next], next_b, b.ld());
      next_a.from += BK, next_a.cols_left -= BK;
      next_b.from += BK * b.ld(), next_b.rows_left -= BK;
      next = next + 1 < depth ? next + 1 : 0;
    }
    cp_async_commit();
  };
  for (int step = 0; step < depth - 1; ++step) begin_step(step);
  Sums sum = {};
  for (int step = 0; step < steps; ++step) {
    cp_async_wait<depth - 2>();
    __syncthreads();
    begin_step(step + depth - 1);
    // [/begin_step]
    multiply_tiles<Swizzled>(sum, tiles.a[stage], tiles.b[stage], row, col);
    stage = stage + 1 < depth ? stage + 1 : 0;
  }
  add_fragments(c, i0 + row, j0 + col, sum);
}

}  // namespace cuda_tensor
