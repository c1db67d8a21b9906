// stages: as swizzled, but cp.async copies the tiles of later steps while one is multiplied.
//   build/11_cuda_tensor/11_cuda_tensor --type bf16 --size 2048 --variant swizzled,stages
#pragma once

#include "ldmatrix.cuh"

namespace cuda_tensor {

/// As copy_tile; by cp.async where rows are aligned, and then it does not wait.
template <bool aligned, class Layout, int rows, int cols>
__device__ void begin_tile(SharedTile<bf16, rows, cols>& tile, View<const bf16> from, Index i0, Index j0) {
  constexpr int chunks = cols / 8;
#pragma unroll 1  // unrolled, it would need address registers that the sums use
  for (int e = int(threadIdx.x); e < rows * chunks; e += threads) {
    const int row = e / chunks, chunk = e % chunks;
    const Index i = i0 + row, j = j0 + 8 * chunk;
    const auto to = tile[row] + 8 * Layout::place(row, chunk, chunks);
    if (aligned) {
      const int there = i < from.rows() ? int(std::clamp(from.cols() - j, Index{0}, Index{8})) : 0;
      cp_async(to, there > 0 ? from.block(i, j, 1, there).data() : from.data(),
               2 * there);  // the rest becomes zeros
    } else {
      course::in_shared<Chunk<bf16>>(to) = course::load_chunk<false>(from, i, j);
    }
  }
}

/// As ldmatrix, with `depth` pairs of swizzled tiles: while one is multiplied, those of the next steps are on
/// their way, of each thread at most `under_way` groups when a step begins.
template <bool aligned, int depth = 3, int under_way = depth - 2>
__global__ __launch_bounds__(threads, 2) void stages(View<const bf16> a, View<const bf16> b, View<float> c) {
  alignas(32) __shared__ SharedTile<bf16, BM, BK> a_tile[depth];
  alignas(32) __shared__ SharedTile<bf16, BK, BN> b_tile[depth];
  const int warp = int(threadIdx.x) / 32, row = warp / 4 * WM, col = warp % 4 * WN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  const int steps = int(course::ceil_div(a.cols(), BK));
  // [stages]
  // [begin_step]
  const auto begin = [&](int step) {
    if (step < steps) {
      begin_tile<aligned, Swizzled>(a_tile[step % depth], a, i0, Index{step} * BK);
      begin_tile<aligned, Swizzled>(b_tile[step % depth], b, Index{step} * BK, j0);
    }
    cp_async_commit();
  };
  for (int step = 0; step < depth - 1; ++step) begin(step);
  Sums sum = {};
  for (int step = 0; step < steps; ++step) {
    cp_async_wait<under_way>();  // this step's tiles are there, of this thread …
    __syncthreads();             // … and of all; and nobody reads those of the step before any more
    begin(step + depth - 1);
    // [/begin_step]
    multiply_tiles<Swizzled>(sum, a_tile[step % depth], b_tile[step % depth], row, col);
  }
  // [/stages]
  add_fragments(c, i0 + row, j0 + col, sum);
}

}  // namespace cuda_tensor
