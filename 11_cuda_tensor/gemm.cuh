// 11: C += A·B by tensor cores, A (m × k) and B (k × n) in BF16, C (m × n) in f32, all of any size. Against
// 09: a warp's instruction multiplies 16 × 16 elements; each kernel says what it changes against the one
// before. From compute capability 8.0 on. Run:
// build/11_cuda_tensor/11_cuda_tensor --emulate forward --type bf16 --size 64
// `aligned`: A and B begin at multiples of 32 bytes, and their rows are multiples of 16 apart.
#pragma once

#include <algorithm>

#include "ptx.cuh"

namespace cuda_tensor {

using course::Index, course::SharedTile, course::View;

/// A block makes 128 × 128 elements of C by 8 warps of 64 × 32, BK columns of A a step.
constexpr int BM = 128, BN = 128, BK = 32, WM = 64, WN = 32, threads = 256;

/// A chunk: eight elements of a row, as halves the 16 bytes that one instruction loads or stores.
template <class T>
struct alignas(16) Chunk {
  T element[8];
};

// [load]
/// The chunk from (i, j) on, by one load if all are there and rows are aligned; zeros beyond the
/// matrix.
template <bool aligned, class T>
__device__ Chunk<T> load(View<const T> from, Index i, Index j) {
  if (aligned && i < from.rows() && j + 8 <= from.cols())
    return reinterpret_cast<const Chunk<T>&>(from(i, j));
  Chunk<T> chunk;
#pragma unroll
  for (int e = 0; e < 8; ++e)
    chunk.element[e] = i < from.rows() && j + e < from.cols() ? from(i, j + e) : T(0.f);
  return chunk;
}
// [/load]

// [wmma_parts]
/// 16 × 16 elements in memory, whose rows lie `ld` apart.
struct Tile16 {
  const bf16* first;
  int ld;
};

/// The 16 × 16 elements from (i0, j0) on where they lie; at an edge copied to `edge`, with zeros round them.
template <bool aligned>
__device__ Tile16 tile_16(View<const bf16> from, Index i0, Index j0, bf16* edge) {
  if (aligned && i0 + 16 <= from.rows() && j0 + 16 <= from.cols()) return {&from(i0, j0), int(from.ld())};
  __syncwarp();  // no lane writes before all have read
  for (int e = int(threadIdx.x) % 32; e < 256; e += 32) {
    const Index i = i0 + e / 16, j = j0 + e % 16;
    edge[e] = i < from.rows() && j < from.cols() ? from(i, j) : bf16(0.f);
  }
  __syncwarp();  // no lane reads before all have written
  return {edge, 16};
}

/// C += a fragment, from (i0, j0) on. Which lane holds which element is not told: it is stored in `scratch`
/// first.
__device__ inline void add_fragment(View<float> c, Index i0, Index j0, const WmmaC& sum, float* scratch) {
  wmma_store_c(scratch, sum, 16);
  __syncwarp();
  for (int e = int(threadIdx.x) % 32; e < 256; e += 32) {
    const Index i = i0 + e / 16, j = j0 + e % 16;
    if (i < c.rows() && j < c.cols()) c(i, j) += scratch[e];
  }
  __syncwarp();  // the next fragment is stored in the same place
}
// [/wmma_parts]

// [wmma]
/// A warp makes 16 × 16 elements of C, its fragments from global memory; a block of 4 warps 32 × 32.
template <bool aligned>
__global__ void wmma(View<const bf16> a, View<const bf16> b, View<float> c) {
  alignas(32) __shared__ SharedTile<bf16, 4, 256> a_edge;
  alignas(32) __shared__ SharedTile<bf16, 4, 256> b_edge;
  alignas(32) __shared__ SharedTile<float, 4, 256> scratch;
  const int warp = int(threadIdx.x) / 32;
  const Index i0 = Index{blockIdx.y} * 32 + warp / 2 * 16, j0 = Index{blockIdx.x} * 32 + warp % 2 * 16;
  if (i0 >= c.rows() || j0 >= c.cols()) return;
  WmmaC sum;
  wmma_fill(sum, 0);
  for (Index p = 0; p < a.cols(); p += 16) {
    const Tile16 a_tile = tile_16<aligned>(a, i0, p, &a_edge[warp][0]);
    const Tile16 b_tile = tile_16<aligned>(b, p, j0, &b_edge[warp][0]);
    WmmaA a_p;
    WmmaB b_p;
    wmma_load_a(a_p, a_tile.first, a_tile.ld), wmma_load_b(b_p, b_tile.first, b_tile.ld);
    wmma_mma(sum, a_p, b_p);
  }
  add_fragment(c, i0, j0, sum, &scratch[warp][0]);
}
// [/wmma]

// [tiles]
/// The layout of a tile's row: its chunks one after the other.
struct Plain {
  static constexpr int place(int /*row*/, int chunk, int /*chunks*/) { return chunk; }
};

/// Copies the tile from (i0, j0) on to shared memory, all threads together.
template <bool aligned, class Layout, class T, int rows, int cols>
__device__ void copy_tile(SharedTile<T, rows, cols>& tile, View<const T> from, Index i0, Index j0) {
  constexpr int chunks = cols / 8;
#pragma unroll
  for (int e = int(threadIdx.x); e < rows * chunks; e += threads) {
    const int row = e / chunks, chunk = e % chunks;
    const auto to = &tile[row][8 * Layout::place(row, chunk, chunks)];
    reinterpret_cast<Chunk<T>&>(*to) = load<aligned>(from, i0 + row, j0 + 8 * chunk);
  }
}
// [/tiles]

// [shared]
/// As wmma, but a block brings tiles of A and B to shared memory, for BK of k a step, and a warp makes 4 × 2
/// fragments of C from them.
template <bool aligned>
__global__ __launch_bounds__(threads) void shared(View<const bf16> a, View<const bf16> b, View<float> c) {
  alignas(32) __shared__ SharedTile<bf16, BM, BK> a_tile;
  alignas(32) __shared__ SharedTile<bf16, BK, BN> b_tile;
  alignas(32) __shared__ SharedTile<float, 8, 256> scratch;
  const int warp = int(threadIdx.x) / 32, row = warp / 4 * WM, col = warp % 4 * WN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  WmmaC sum[WM / 16][WN / 16];
  for (auto& in_row : sum)
    for (WmmaC& fragment : in_row) wmma_fill(fragment, 0);
  for (Index p = 0; p < a.cols(); p += BK) {
    copy_tile<aligned, Plain>(a_tile, a, i0, p), copy_tile<aligned, Plain>(b_tile, b, p, j0);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < BK; q += 16) {
      WmmaA a_q[WM / 16];
      WmmaB b_q[WN / 16];
      for (int r = 0; r < WM / 16; ++r) wmma_load_a(a_q[r], a_tile[row + 16 * r] + q, BK);
      for (int s = 0; s < WN / 16; ++s) wmma_load_b(b_q[s], b_tile[q] + (col + 16 * s), BN);
      for (int r = 0; r < WM / 16; ++r)
        for (int s = 0; s < WN / 16; ++s) wmma_mma(sum[r][s], a_q[r], b_q[s]);
    }
    __syncthreads();
  }
  for (int r = 0; r < WM / 16; ++r)
    for (int s = 0; s < WN / 16; ++s)
      add_fragment(c, i0 + row + 16 * r, j0 + col + 16 * s, sum[r][s], &scratch[warp][0]);
}
// [/shared]

/// A warp's part of C: 4 × 4 fragments.
using Sums = FragmentC[WM / 16][WN / 8];

// [fragments]
/// Two elements in one register, the first in its lower half.
__device__ inline std::uint32_t pack(bf16 first, bf16 second) {
  return first.bits | std::uint32_t(second.bits) << 16;
}

/// A's fragment from row i and column q on: lane 4g + t holds columns 2t, 2t + 1, then these + 8, of rows g
/// and g + 8.
template <class Tile>
__device__ FragmentA fragment_a(Tile& tile, int i, int q) {
  const int lane = int(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  FragmentA a;
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const auto at = &tile[i + g + r % 2 * 8][q + 2 * t + r / 2 * 8];
    a.of[r] = pack(at[0], at[1]);
  }
  return a;
}
/// B's from row q and column j on: lane 4g + t holds rows 2t, 2t + 1, then these + 8, of column g.
template <class Tile>
__device__ FragmentB fragment_b(Tile& tile, int q, int j) {
  const int lane = int(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  FragmentB b;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int row = q + 2 * t + r * 8;
    b.of[r] = pack(tile[row][j + g], tile[row + 1][j + g]);
  }
  return b;
}
// [/fragments]

// [add]
/// C += a fragment from (i0, j0) on: lane 4g + t holds columns 2t, 2t + 1 of rows g and g + 8.
__device__ inline void add_fragment(View<float> c, Index i0, Index j0, const FragmentC& sum) {
  const int lane = int(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const Index i = i0 + g + e / 2 * 8, j = j0 + 2 * t + e % 2;
    if (i < c.rows() && j < c.cols()) c(i, j) += sum.of[e];
  }
}
// [/add]

/// C += all of a warp's fragments.
__device__ inline void add_fragments(View<float> c, Index i0, Index j0, const Sums& sum) {
#pragma unroll
  for (int r = 0; r < WM / 16; ++r)
#pragma unroll
    for (int s = 0; s < WN / 8; ++s) add_fragment(c, i0 + 16 * r, j0 + 8 * s, sum[r][s]);
}

// [mma]
/// As shared, but by mma.sync, whose fragments the kernel itself puts together.
template <bool aligned>
__global__ __launch_bounds__(threads) void mma(View<const bf16> a, View<const bf16> b, View<float> c) {
  alignas(32) __shared__ SharedTile<bf16, BM, BK> a_tile;
  alignas(32) __shared__ SharedTile<bf16, BK, BN> b_tile;
  const int warp = int(threadIdx.x) / 32, row = warp / 4 * WM, col = warp % 4 * WN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  Sums sum = {};
  for (Index p = 0; p < a.cols(); p += BK) {
    copy_tile<aligned, Plain>(a_tile, a, i0, p), copy_tile<aligned, Plain>(b_tile, b, p, j0);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < BK; q += 16) {
      FragmentA a_q[WM / 16];
      FragmentB b_q[WN / 8];
#pragma unroll
      for (int r = 0; r < WM / 16; ++r) a_q[r] = fragment_a(a_tile, row + 16 * r, q);
#pragma unroll
      for (int s = 0; s < WN / 8; ++s) b_q[s] = fragment_b(b_tile, q, col + 8 * s);
#pragma unroll
      for (int r = 0; r < WM / 16; ++r)
#pragma unroll
        for (int s = 0; s < WN / 8; ++s) mma_sync<bf16>(sum[r][s], a_q[r], b_q[s]);
    }
    __syncthreads();
  }
  add_fragments(c, i0 + row, j0 + col, sum);
}
// [/mma]

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
/// A's fragment from row i and column q on, by ldmatrix: of row l % 16, lane l gives the address of chunk
/// l / 16.
template <class Layout, class Tile>
__device__ FragmentA take_a(Tile& tile, int i, int q) {
  const int lane = int(threadIdx.x) % 32, row = i + lane % 16;
  FragmentA a;
  ldmatrix_x4(a.of, tile[row] + 8 * Layout::place(row, q / 8 + lane / 16, BK / 8));
  return a;
}
/// B's fragments from row q and column j on, two at a time; transposed, since a fragment's columns are the
/// tile's rows.
template <class Layout, class Tile>
__device__ void take_b(FragmentB (&b)[WN / 8], Tile& tile, int q, int j) {
  const int lane = int(threadIdx.x) % 32, row = q + lane % 16;
#pragma unroll
  for (int s = 0; s < WN / 8; s += 2) {
    std::uint32_t both[4];
    ldmatrix_x4_trans(both, tile[row] + 8 * Layout::place(row, j / 8 + s + lane / 16, BN / 8));
    b[s] = {both[0], both[1]}, b[s + 1] = {both[2], both[3]};
  }
}
// [/take]

/// A warp's sums += its rows of A's tile times its columns of B's.
template <class Layout, class TileA, class TileB>
__device__ void multiply_tiles(Sums& sum, TileA& a_tile, TileB& b_tile, int row, int col) {
#pragma unroll
  for (int q = 0; q < BK; q += 16) {
    FragmentB b_q[WN / 8];
    take_b<Layout>(b_q, b_tile, q, col);
#pragma unroll
    for (int r = 0; r < WM / 16; ++r) {
      const FragmentA a_q = take_a<Layout>(a_tile, row + 16 * r, q);
#pragma unroll
      for (int s = 0; s < WN / 8; ++s) mma_sync<bf16>(sum[r][s], a_q, b_q[s]);
    }
  }
}

// [ldmatrix]
/// As mma, but ldmatrix loads the fragments, from tiles of this layout (Read: another on purpose is wrong).
template <bool aligned, class Layout, class Read = Layout>
__global__ __launch_bounds__(threads) void ldmatrix(View<const bf16> a, View<const bf16> b, View<float> c) {
  alignas(32) __shared__ SharedTile<bf16, BM, BK> a_tile;
  alignas(32) __shared__ SharedTile<bf16, BK, BN> b_tile;
  const int warp = int(threadIdx.x) / 32, row = warp / 4 * WM, col = warp % 4 * WN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  Sums sum = {};
  for (Index p = 0; p < a.cols(); p += BK) {
    copy_tile<aligned, Layout>(a_tile, a, i0, p), copy_tile<aligned, Layout>(b_tile, b, p, j0);
    __syncthreads();
    multiply_tiles<Read>(sum, a_tile, b_tile, row, col);
    __syncthreads();
  }
  add_fragments(c, i0 + row, j0 + col, sum);
}
// [/ldmatrix]

// [begin_tile]
/// As copy_tile; by cp.async where rows are aligned, and then it does not wait.
template <bool aligned, class Layout, int rows, int cols>
__device__ void begin_tile(SharedTile<bf16, rows, cols>& tile, View<const bf16> from, Index i0, Index j0) {
  constexpr int chunks = cols / 8;
#pragma unroll 1  // addresses of more would take registers from the sums
  for (int e = int(threadIdx.x); e < rows * chunks; e += threads) {
    const int row = e / chunks, chunk = e % chunks;
    const Index i = i0 + row, j = j0 + 8 * chunk;
    const auto to = tile[row] + 8 * Layout::place(row, chunk, chunks);
    if (aligned) {
      const int there = i < from.rows() ? int(std::clamp(from.cols() - j, Index{0}, Index{8})) : 0;
      cp_async(to, there > 0 ? &from(i, j) : from.data(), 2 * there);  // the rest becomes zeros
    } else {
      reinterpret_cast<Chunk<bf16>&>(*to) = load<false>(from, i, j);
    }
  }
}
// [/begin_tile]

// [stages]
/// As ldmatrix, with `depth` pairs of swizzled tiles: while one is multiplied, those of the next steps are on
/// their way, of each thread at most `under_way` groups when a step begins.
template <bool aligned, int depth = 3, int under_way = depth - 2>
__global__ __launch_bounds__(threads, 2) void stages(View<const bf16> a, View<const bf16> b, View<float> c) {
  alignas(32) __shared__ SharedTile<bf16, BM, BK> a_tile[depth];
  alignas(32) __shared__ SharedTile<bf16, BK, BN> b_tile[depth];
  const int warp = int(threadIdx.x) / 32, row = warp / 4 * WM, col = warp % 4 * WN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  const int steps = int(course::ceil_div(a.cols(), BK));
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
    multiply_tiles<Swizzled>(sum, a_tile[step % depth], b_tile[step % depth], row, col);
  }
  add_fragments(c, i0 + row, j0 + col, sum);
}
// [/stages]

using Kernel = void (*)(View<const bf16> a, View<const bf16> b, View<float> c);

/// Whether fragments and chunks can be loaded where they lie: rows that begin at multiples of 16 bytes.
static inline bool is_aligned(View<const bf16> view) {
  return reinterpret_cast<std::uintptr_t>(view.data()) % 32 == 0 && view.ld() % 8 == 0;
}

/// Starts a kernel that makes a tile of C a block; what is beyond CUDA's limit in y by another launch.
static inline void tile_a_block(Kernel kernel, Index tile_rows, Index tile_cols, Index block_threads,
                                View<const bf16> a, View<const bf16> b, View<float> c) {
  const Index most = course::most_blocks_in_y * tile_rows;
  for (Index i = 0; i < c.rows(); i += most) {
    const Index m = std::min(most, c.rows() - i);
    const course::Grid grid{course::ceil_div(c.cols(), tile_cols), course::ceil_div(m, tile_rows)};
    course::launch(kernel, grid, course::Block{block_threads, 1}, a.block(i, 0, m, a.cols()), b,
                   c.block(i, 0, m, c.cols()));
  }
}

/// By stages, in its fast way where rows are aligned.
static inline void by_stages(View<const bf16> a, View<const bf16> b, View<float> c) {
  tile_a_block(is_aligned(a) && is_aligned(b) ? stages<true> : stages<false>, BM, BN, threads, a, b, c);
}

}  // namespace cuda_tensor
