// What kernels for tensor cores share: tiles in shared memory, a warp's fragments from them, adding these to
// C, C's tiles to blocks. Tiles are of elements of two bytes.
#pragma once

#include <algorithm>

#include "gpu/ptx.cuh"

namespace course {

/// A chunk: eight elements of a row, as halves the 16 bytes that one instruction loads or stores.
template <class T>
struct alignas(16) Chunk {
  T element[8];
};

/// The chunk from (i, j) on, by one load if all are there and rows are aligned; zeros beyond the
/// matrix.
template <bool aligned, class T>
__device__ Chunk<T> load_chunk(View<const T> from, Index i, Index j) {
  if (aligned && i < from.rows() && j + 8 <= from.cols())
    return reinterpret_cast<const Chunk<T>&>(from(i, j));
  Chunk<T> chunk;
#pragma unroll
  for (int e = 0; e < 8; ++e)
    chunk.element[e] = i < from.rows() && j + e < from.cols() ? from(i, j + e) : T(0.f);
  return chunk;
}

/// The layout of a tile's row: its chunks one after the other.
struct Plain {
  static constexpr int place(int /*row*/, int chunk, int /*chunks*/) { return chunk; }
};

/// Copies the tile from (i0, j0) on to shared memory, all threads together.
template <bool aligned, class Layout, int threads = 256, class T, int rows, int cols>
__device__ void copy_tile(SharedTile<T, rows, cols>& tile, View<const T> from, Index i0, Index j0) {
  constexpr int chunks = cols / 8;
#pragma unroll
  for (int e = int(threadIdx.x); e < rows * chunks; e += threads) {
    const int row = e / chunks, chunk = e % chunks;
    const auto to = tile[row] + 8 * Layout::place(row, chunk, chunks);
    in_shared<Chunk<T>>(to) = load_chunk<aligned>(from, i0 + row, j0 + 8 * chunk);
  }
}

// [swizzle]
/// Swizzled: chunk e of row r lies at e XOR (r mod 8), so that in eight rows below each other it lies in
/// different banks. The banks hold several rows shorter than 128 bytes; there the layout changes less often.
struct Swizzled {
  static constexpr int place(int row, int chunk, int chunks) {
    return chunks < 8 ? chunk ^ (row / (8 / chunks) % chunks) : chunk ^ row % 8;
  }
};
// [/swizzle]

// [take]
// [take_a]
/// A's fragment from row i and column q on, by ldmatrix: of row l % 16, lane l gives the address of chunk
/// l / 16.
template <class Layout, class T, int rows, int cols>
__device__ ptx::FragmentA take_a(SharedTile<T, rows, cols>& tile, int i, int q) {
  const int lane = int(threadIdx.x) % 32, row = i + lane % 16;
  ptx::FragmentA a;
  ptx::ldmatrix_x4(a.of, tile[row] + 8 * Layout::place(row, q / 8 + lane / 16, cols / 8));
  return a;
}
// [/take_a]
/// B's fragments from row q and column j on, two at a time; transposed, since a fragment's columns are the
/// tile's rows.
template <class Layout, int n, class T, int rows, int cols>
__device__ void take_b(ptx::FragmentB (&b)[n], SharedTile<T, rows, cols>& tile, int q, int j) {
  const int lane = int(threadIdx.x) % 32, row = q + lane % 16;
#pragma unroll
  for (int s = 0; s < n; s += 2) {
    std::uint32_t both[4];
    ptx::ldmatrix_x4_trans(both, tile[row] + 8 * Layout::place(row, j / 8 + s + lane / 16, cols / 8));
    b[s] = {both[0], both[1]}, b[s + 1] = {both[2], both[3]};
  }
}
// [/take]

/// C += n fragments beside each other from (i0, j0) on: lane 4g + t holds columns 2t, 2t + 1 of rows g and
/// g + 8. Where pairs can be loaded all are read before the first is written, so that the reads wait
/// together; elsewhere L2 adds doubles, so that nobody waits.
template <class T, class Fragment, int n>
__device__ void add_row(View<T> c, Index i0, Index j0, const Fragment (&sum)[n]) {
  struct alignas(2 * sizeof(T)) Pair {
    T first, second;
  };
  const int lane = int(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  const bool pairs = reinterpret_cast<std::uintptr_t>(c.data()) % sizeof(Pair) == 0 && c.ld() % 2 == 0;
  if (pairs && i0 + 16 <= c.rows() && j0 + 8 * n <= c.cols()) {
    const auto in_c = [&](int r, int s) -> Pair& {
      return reinterpret_cast<Pair&>(c(i0 + g + 8 * r, j0 + 8 * s + 2 * t));
    };
    Pair before[2][n];
#pragma unroll
    for (int r = 0; r < 2; ++r)
#pragma unroll
      for (int s = 0; s < n; ++s) before[r][s] = in_c(r, s);
#pragma unroll
    for (int r = 0; r < 2; ++r)
#pragma unroll
      for (int s = 0; s < n; ++s)
        in_c(r, s) = {before[r][s].first + sum[s].of[2 * r], before[r][s].second + sum[s].of[2 * r + 1]};
  } else {
#pragma unroll
    for (int s = 0; s < n; ++s)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const Index i = i0 + g + e / 2 * 8, j = j0 + 8 * s + 2 * t + e % 2;
        if (i >= c.rows() || j >= c.cols()) continue;
        if constexpr (std::is_same_v<T, double> && n > 1)  // a single fragment gains nothing
          ptx::add_in_memory(c(i, j), sum[s].of[e]);
        else
          c(i, j) += sum[s].of[e];
      }
  }
}
/// C += all of a warp's fragments.
template <class T, class Fragment, int rows, int cols>
__device__ void add_fragments(View<T> c, Index i0, Index j0, const Fragment (&sum)[rows][cols]) {
#pragma unroll
  for (int r = 0; r < rows; ++r) add_row(c, i0 + 16 * r, j0, sum[r]);
}

/// Calls start(first row, grid) for blocks that make tiles of C, once for each 65,535 rows of them.
template <class Start>
static void tile_by_tile(Index rows, Index cols, Index tile_rows, Index tile_cols, Start start) {
  for (Index i = 0; i < rows; i += most_blocks_in_y * tile_rows) {
    const Index down = std::min(most_blocks_in_y, ceil_div(rows - i, tile_rows));
    start(i, Grid{ceil_div(cols, tile_cols), down});
  }
}

}  // namespace course
