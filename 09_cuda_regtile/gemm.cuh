// Register tiles: a thread makes several elements of C, and uses what it has loaded several times.
#pragma once

#include "gpu/launch.hpp"
#include "ptx.cuh"

namespace cuda_regtile {

using course::Block, course::Grid, course::SharedTile;

/// An element, or a zero beyond the matrix: zeros add nothing.
template <class T>
__device__ T element(View<const T> from, Index i, Index j) {
  return i < from.rows() && j < from.cols() ? from(i, j) : T(0);
}

// [column]
/// C += A·B, a tile of 32 × 32 a block of 32 × 32/TM threads, each of which makes TM elements of a column.
template <class T, int TM>
__global__ void column(View<const T> a, View<const T> b, View<T> c) {
  constexpr int tile = 32;
  __shared__ SharedTile<T, tile, tile> a_tile;
  __shared__ SharedTile<T, tile, tile> b_tile;
  const int x = int(threadIdx.x), y = int(threadIdx.y) * TM;
  const Index i = Index{blockIdx.y} * tile + y, j = Index{blockIdx.x} * tile + x;
  T sum[TM] = {};
  for (Index p = 0; p < a.cols(); p += tile) {
#pragma unroll 8
    for (int r = 0; r < TM; ++r) {
      a_tile[y + r][x] = element(a, i + r, p + x);
      b_tile[y + r][x] = element(b, p + y + r, j);
    }
    __syncthreads();
#pragma unroll 16 / sizeof(T)
    for (int q = 0; q < tile; ++q) {
      const T b_q = b_tile[q][x];  // one load for TM multiply-adds
#pragma unroll
      for (int r = 0; r < TM; ++r) sum[r] += a_tile[y + r][q] * b_q;
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < TM; ++r)
    if (i + r < c.rows() && j < c.cols()) c(i + r, j) += sum[r];
}
// [/column]

// From here on a block of 256 threads makes a tile of BM × BN, and each of them TM × TN elements of it.
constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8, threads = BM * BN / (TM * TN);
/// Blocks a multiprocessor shall take at once: its 65,536 registers are 128 for each thread of two.
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

// [square]
/// C += A·B: for each q a thread takes TM elements of A and TN of B into registers, for TM · TN
/// multiply-adds.
template <class T>
__global__ __launch_bounds__(threads, at_once<T>) void square(View<const T> a, View<const T> b, View<T> c) {
  __shared__ SharedTile<T, BM, BK> a_tile;
  __shared__ SharedTile<T, BK, BN> b_tile;
  const int thread = int(threadIdx.x), row = thread / (BN / TN) * TM, col = thread % (BN / TN) * TN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  T sum[TM][TN] = {};
  for (Index p = 0; p < a.cols(); p += BK) {
#pragma unroll 2
    for (int e = thread; e < BM * BK; e += threads)
      a_tile[e / BK][e % BK] = element(a, i0 + e / BK, p + e % BK);
#pragma unroll 2
    for (int e = thread; e < BK * BN; e += threads)
      b_tile[e / BN][e % BN] = element(b, p + e / BN, j0 + e % BN);
    __syncthreads();
#pragma unroll 2
    for (int q = 0; q < BK; ++q) {
      T a_q[TM], b_q[TN];
      for (int r = 0; r < TM; ++r) a_q[r] = a_tile[row + r][q];
      for (int s = 0; s < TN; ++s) b_q[s] = b_tile[q][col + s];
      multiply_add(sum, a_q, b_q);
    }
    __syncthreads();
  }
  for (int r = 0; r < TM; ++r)
    for (int s = 0; s < TN; ++s)
      if (i0 + row + r < c.rows() && j0 + col + s < c.cols()) c(i0 + row + r, j0 + col + s) += sum[r][s];
}
// [/square]

// [transposed]
/// The same, A's tile transposed: the TM elements of a column lie side by side.
template <class T>
__global__ __launch_bounds__(threads, at_once<T>) void transposed(View<const T> a, View<const T> b,
                                                                  View<T> c) {
  __shared__ SharedTile<T, BK, BM> a_tile;
  __shared__ SharedTile<T, BK, BN> b_tile;
  const int thread = int(threadIdx.x), row = thread / (BN / TN) * TM, col = thread % (BN / TN) * TN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  T sum[TM][TN] = {};
  for (Index p = 0; p < a.cols(); p += BK) {
#pragma unroll 2
    for (int e = thread; e < BM * BK; e += threads)
      a_tile[e % BK][e / BK] = element(a, i0 + e / BK, p + e % BK);
#pragma unroll 2
    for (int e = thread; e < BK * BN; e += threads)
      b_tile[e / BN][e % BN] = element(b, p + e / BN, j0 + e % BN);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      T a_q[TM], b_q[TN];
      for (int r = 0; r < TM; ++r) a_q[r] = a_tile[q][row + r];
      for (int s = 0; s < TN; ++s) b_q[s] = b_tile[q][col + s];
      multiply_add(sum, a_q, b_q);
    }
    __syncthreads();
  }
  for (int r = 0; r < TM; ++r)
    for (int s = 0; s < TN; ++s)
      if (i0 + row + r < c.rows() && j0 + col + s < c.cols()) c(i0 + row + r, j0 + col + s) += sum[r][s];
}
// [/transposed]

/// `count` elements, 16 bytes at a time: from `from` on, `apart`, 2 · apart, … further on.
template <class T, int count>
__device__ void take_from(T (&to)[count], const T* from, int apart) {
#pragma unroll
  for (int v = 0; v < count / width<T>; ++v) {
    const Vector<T> vector = *reinterpret_cast<const Vector<T>*>(from + v * apart);
#pragma unroll
    for (int e = 0; e < width<T>; ++e) to[v * width<T> + e] = vector.element[e];
  }
}
/// The same from a tile's row.
template <class T, int count, class Row>
__device__ void take(T (&to)[count], Row row, int at, int apart = width<T>) {
#pragma unroll
  for (int v = 0; v < count / width<T>; ++v) {
    const Vector<T> vector = in_tile<T>(row, at + v * apart);
#pragma unroll
    for (int e = 0; e < width<T>; ++e) to[v * width<T> + e] = vector.element[e];
  }
}

// [vectorised]
/// The same by loads and stores of 16 bytes, where rows are `aligned`.
template <class T, bool aligned>
__global__ __launch_bounds__(threads, at_once<T>) void vectorised(View<const T> a, View<const T> b,
                                                                  View<T> c) {
  constexpr int W = width<T>;
  alignas(16) __shared__ SharedTile<T, BK, BM> a_tile;
  alignas(16) __shared__ SharedTile<T, BK, BN> b_tile;
  const int thread = int(threadIdx.x), row = thread / (BN / TN) * TM, col = thread % (BN / TN) * TN;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  T sum[TM][TN] = {};
  for (Index p = 0; p < a.cols(); p += BK) {
#pragma unroll
    for (int v = thread; v < BM * BK / W; v += threads) {
      const int i = v / (BK / W), q = v % (BK / W) * W;
      const Vector<T> vector = load<aligned>(a, i0 + i, p + q);
#pragma unroll
      for (int e = 0; e < W; ++e) a_tile[q + e][i] = vector.element[e];
    }
#pragma unroll
    for (int v = thread; v < BK * BN / W; v += threads) {
      const int q = v / (BN / W), j = v % (BN / W) * W;
      in_tile<T>(b_tile[q], j) = load<aligned>(b, p + q, j0 + j);
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      T a_q[TM], b_q[TN];
      take(a_q, a_tile[q], row);
      take(b_q, b_tile[q], col);
      multiply_add(sum, a_q, b_q);
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < TM; ++r)
#pragma unroll
    for (int s = 0; s < TN; s += W) add<aligned>(c, i0 + row + r, j0 + col + s, &sum[r][s]);
}
// [/vectorised]

// [conflict_free]
/// The same without bank conflicts: a warp's loads of 16 bytes are neighbours, since a thread's rows and
/// columns come in runs of 16 bytes, the next run behind those of all other threads; and the rows of A's
/// tile are padded, so that what goes into one column of it goes into different banks.
template <class T, bool aligned>
__global__ __launch_bounds__(threads, at_once<T>) void conflict_free(View<const T> a, View<const T> b,
                                                                     View<T> c) {
  // [runs]
  constexpr int W = width<T>, down = BM / (TM / W), right = BN / (TN / W);  // from run to run
  alignas(16) __shared__ SharedTile<T, BK, BM + W> a_tile;
  alignas(16) __shared__ SharedTile<T, BK, BN> b_tile;
  const int thread = int(threadIdx.x), row = thread / (BN / TN) * W, col = thread % (BN / TN) * W;
  // [/runs]
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  T sum[TM][TN] = {};
  for (Index p = 0; p < a.cols(); p += BK) {
#pragma unroll
    for (int v = thread; v < BM * BK / W; v += threads) {
      const int i = v / (BK / W), q = v % (BK / W) * W;
      const Vector<T> vector = load<aligned>(a, i0 + i, p + q);
#pragma unroll
      for (int e = 0; e < W; ++e) a_tile[q + e][i] = vector.element[e];
    }
#pragma unroll
    for (int v = thread; v < BK * BN / W; v += threads) {
      const int q = v / (BN / W), j = v % (BN / W) * W;
      in_tile<T>(b_tile[q], j) = load<aligned>(b, p + q, j0 + j);
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      T a_q[TM], b_q[TN];
      // [in_runs]
      take(a_q, a_tile[q], row, down);
      take(b_q, b_tile[q], col, right);
      // [/in_runs]
      multiply_add(sum, a_q, b_q);
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < TM; ++r)
#pragma unroll
    for (int s = 0; s < TN; s += W)
      add<aligned>(c, i0 + row + r / W * down + r % W, j0 + col + s / W * right, &sum[r][s]);
}
// [/conflict_free]

// [double_buffered]
/// The same, the next tiles on their way while these are multiplied: by registers into a second pair of
/// tiles. One barrier a step is enough.
template <class T, bool aligned>
__global__ __launch_bounds__(threads, at_once<T>) void double_buffered(View<const T> a, View<const T> b,
                                                                       View<T> c) {
  constexpr int W = width<T>, down = BM / (TM / W), right = BN / (TN / W);
  alignas(16) __shared__ SharedTile<T, BK, BM + W> a_tile[2];
  alignas(16) __shared__ SharedTile<T, BK, BN> b_tile[2];
  const int thread = int(threadIdx.x), row = thread / (BN / TN) * W, col = thread % (BN / TN) * W;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  constexpr int a_loads = BM * BK / W / threads, b_loads = BK * BN / W / threads;
  Vector<T> a_next[a_loads], b_next[b_loads];
  const auto fetch = [&](Index p) {
    const int thread = opaque(int(threadIdx.x));
#pragma unroll
    for (int l = 0; l < a_loads; ++l) {
      const int v = thread + l * threads;
      a_next[l] = load<aligned>(a, i0 + v / (BK / W), p + v % (BK / W) * W);
    }
#pragma unroll
    for (int l = 0; l < b_loads; ++l) {
      const int v = thread + l * threads;
      b_next[l] = load<aligned>(b, p + v / (BN / W), j0 + v % (BN / W) * W);
    }
  };
  const auto put = [&](int stage) {
    const int thread = opaque(int(threadIdx.x));
#pragma unroll
    for (int l = 0; l < a_loads; ++l)
#pragma unroll
      for (int e = 0; e < W; ++e) {
        const int v = thread + l * threads;
        a_tile[stage][v % (BK / W) * W + e][v / (BK / W)] = a_next[l].element[e];
      }
#pragma unroll
    for (int l = 0; l < b_loads; ++l) {
      const int v = thread + l * threads;
      in_tile<T>(b_tile[stage][v / (BN / W)], v % (BN / W) * W) = b_next[l];
    }
  };
  T sum[TM][TN] = {};
  // [buffers]
  fetch(0);
  put(0);
  __syncthreads();
  int stage = 0;
  for (Index p = 0; p < a.cols(); p += BK, stage ^= 1) {
    fetch(p + BK);  // beyond k: zeros, and no load
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      T a_q[TM], b_q[TN];
      take(a_q, a_tile[stage][q], row, down);
      take(b_q, b_tile[stage][q], col, right);
      multiply_add(sum, a_q, b_q);
    }
    put(stage ^ 1);
    __syncthreads();
  }
  // [/buffers]
#pragma unroll
  for (int r = 0; r < TM; ++r)
#pragma unroll
    for (int s = 0; s < TN; s += W)
      add<aligned>(c, i0 + row + r / W * down + r % W, j0 + col + s / W * right, &sum[r][s]);
}
// [/double_buffered]

// [pieces_of_k]
/// The most of k that a kernel with cp.async takes: it counts steps in 32 bits, those of 2,048 tiles
/// together.
constexpr Index most_k = Index{1} << 22;

/// Calls `product` with the matching columns of A and rows of B, at most `most` at a time.
template <class T, class F>
static void pieces_of_k(View<const T> a, View<const T> b, Index most, F product) {
  for (Index p = 0; p < a.cols(); p += most) {
    const Index k = std::min(most, a.cols() - p);
    product(a.block(0, p, a.rows(), k), b.block(p, 0, k, b.cols()));
  }
}
// [/pieces_of_k]

template <class T>
using Kernel = void (*)(View<const T> a, View<const T> b, View<T> c);

// [launch]
/// Starts a kernel whose blocks make tiles of C; what is beyond CUDA's limit in y by another launch.
template <class T>
static void tile_a_block(Kernel<T> kernel, Index BM_, Index BN_, Block block, View<const T> a,
                         View<const T> b, View<T> c) {
  const Index most = course::most_blocks_in_y * BM_;
  for (Index i = 0; i < c.rows(); i += most) {
    const Index m = std::min(most, c.rows() - i);
    const Grid grid{course::ceil_div(c.cols(), BN_), course::ceil_div(m, BM_)};
    course::launch(kernel, grid, block, a.block(i, 0, m, a.cols()), b, c.block(i, 0, m, c.cols()));
  }
}
// [/launch]

}  // namespace cuda_regtile
