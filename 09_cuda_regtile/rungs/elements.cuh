// What every rung needs: elements of a matrix, sizes, multiply-adds, 16 bytes of a tile at a time, and the
// launch of blocks that make tiles of C.
#pragma once

#include <algorithm>

#include "../ptx.cuh"

namespace cuda_regtile {

using course::Block, course::Grid, course::SharedTile;

/// An element, or a zero beyond the matrix: zeros add nothing.
template <class T>
__device__ T element(View<const T> from, Index i, Index j) {
  return i < from.rows() && j < from.cols() ? from(i, j) : T(0);
}

// From here on a block of 256 threads makes a tile of BM × BN, and each of them TM × TN elements of it.
constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8, threads = BM * BN / (TM * TN);
/// Blocks that an SM shall take at once: its 65,536 registers are 128 for each thread of two.
template <class T>
constexpr int at_once = sizeof(T) == 4 ? 2 : 1;

// [multiply_add]
/// sum += a column of A by a row of B.
template <class T, int M, int N>
__device__ void multiply_add(T (&sum)[M][N], const T (&a_q)[M], const T (&b_q)[N]) {
#pragma unroll
  for (int r = 0; r < M; ++r)
#pragma unroll
    for (int s = 0; s < N; ++s) sum[r][s] += a_q[r] * b_q[s];
}
// [/multiply_add]

/// `count` elements, 16 bytes at a time: from `from` on, `apart`, 2 · apart, … further on.
template <class T, int count>
__device__ void take_from(T (&to)[count], const T* from, int apart) {
#pragma unroll
  for (int v = 0; v < count / width<T>; ++v) {
    const Vector<T> vector = in_shared<const Vector<T>>(from + v * apart);
#pragma unroll
    for (int e = 0; e < width<T>; ++e) to[v * width<T> + e] = vector.element[e];
  }
}
/// The same, read from a tile's row.
template <class T, int count, class Row>
__device__ void take(T (&to)[count], Row row, int at, int apart = width<T>) {
#pragma unroll
  for (int v = 0; v < count / width<T>; ++v) {
    const Vector<T> vector = in_tile<T>(row, at + v * apart);
#pragma unroll
    for (int e = 0; e < width<T>; ++e) to[v * width<T> + e] = vector.element[e];
  }
}

/// Adds to column s of sum only. Column by column, nvcc finds registers with which fewer multiply-adds read
/// two of one bank.
template <class T, int M, int N>
__device__ void multiply_add_column(int s, T (&sum)[M][N], const T (&a_q)[M], const T (&b_q)[N]) {
#pragma unroll
  for (int r = 0; r < M; ++r) sum[r][s] += a_q[r] * b_q[s];
}

template <class T>
using Kernel = void (*)(View<const T> a, View<const T> b, View<T> c);

// [launch]
/// Starts a kernel whose blocks make tiles of C; rows beyond CUDA's limit in y have another launch.
template <class T, class... More>
static void tile_a_block(void (*kernel)(View<const T>, View<const T>, View<T>, More...), Index BM_, Index BN_,
                         Block block, View<const T> a, View<const T> b, View<T> c,
                         std::type_identity_t<More>... more) {
  const Index most = course::most_blocks_in_y * BM_;
  for (Index i = 0; i < c.rows(); i += most) {
    const Index m = std::min(most, c.rows() - i);
    const Grid grid{course::ceil_div(c.cols(), BN_), course::ceil_div(m, BM_)};
    course::launch(kernel, grid, block, a.block(i, 0, m, a.cols()), b, c.block(i, 0, m, c.cols()), more...);
  }
}
// [/launch]

}  // namespace cuda_regtile
