// 08: C += A·B from tiles in shared memory. Against 07's coalesced: a block copies tiles of A and B there,
// and uses each number as often as the tile is wide; so threads wait for each other. Run:
// build/08_cuda_shared/08_cuda_shared --emulate forward --tile 16 --size 200
#pragma once

#include "common/view.hpp"
#include "gpu/launch.hpp"

namespace cuda_shared {

using course::Block, course::Grid, course::Index, course::SharedTile, course::View;

// [shared]
/// C += A·B, started with blocks of tile × tile threads, each of which makes one tile of C.
template <class T, int tile>
__global__ void shared(View<const T> a, View<const T> b, View<T> c) {
  __shared__ SharedTile<T, tile, tile> a_tile;
  __shared__ SharedTile<T, tile, tile> b_tile;
  const int x = int(threadIdx.x), y = int(threadIdx.y);
  const Index i = Index{blockIdx.y} * tile + y, j = Index{blockIdx.x} * tile + x;
  const bool inside = i < c.rows() && j < c.cols();
  T sum = inside ? c(i, j) : T(0);
  for (Index p = 0; p < a.cols(); p += tile) {
    a_tile[y][x] = i < a.rows() && p + x < a.cols() ? a(i, p + x) : T(0);
    b_tile[y][x] = p + y < b.rows() && j < b.cols() ? b(p + y, j) : T(0);
    __syncthreads();  // nobody reads before all have written
    // [multiply]
    for (int q = 0; q < tile; ++q) sum += a_tile[y][q] * b_tile[q][x];
    // [/multiply]
    __syncthreads();  // nobody writes before all have read
  }
  if (inside) c(i, j) = sum;
}
// [/shared]

template <class T>
using Kernel = void (*)(View<const T> a, View<const T> b, View<T> c);

// [launch]
/// Starts a kernel whose blocks make a tile of C each; rows beyond CUDA's limit in y have another launch.
template <class T>
static void tile_a_block(Kernel<T> kernel, Index tile, View<const T> a, View<const T> b, View<T> c) {
  const Index most = course::most_blocks_in_y * tile;
  for (Index i = 0; i < c.rows(); i += most) {
    const Index m = std::min(most, c.rows() - i);
    const Grid grid{course::ceil_div(c.cols(), tile), course::ceil_div(m, tile)};
    course::launch(kernel, grid, Block{tile, tile}, a.block(i, 0, m, a.cols()), b,
                   c.block(i, 0, m, c.cols()));
  }
}
// [/launch]

}  // namespace cuda_shared
