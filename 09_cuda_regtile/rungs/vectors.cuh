// vectors: as split_k, but where A has few rows or columns, or B few columns, nothing is shared through
// tiles: each thread takes its elements of the large matrix from memory as they come.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --shape 1x4096x4096 --variant split_k,vectors
#pragma once

#include "elements.cuh"

namespace cuda_regtile {

constexpr int few = 4;    // rows of C that `rows` takes at most, and columns that `columns` does
constexpr int flat = 16;  // columns of A that `outer` does, and half as many if C is larger than L2

/// W elements that lie beside each other, by one load.
template <class T, int W>
struct alignas(W * sizeof(T)) Run {
  T element[W];
};
template <int W, class T>
__device__ Run<T, W> take_run(const T* from) {
  return in_global<const Run<T, W>>(from);
}

// [rows]
/// C of at most M rows: a block takes 256 columns of B, and of k a part; a thread W columns, and of that part
/// each W-th row. Its sums are for `add_rows`.
template <int M, int W, class T>
__global__ __launch_bounds__(256, 4) void rows(View<const T> a, View<const T> b, T* sums) {
  constexpr int columns = 256, ahead = W == 1 ? 16 : M < 4 ? 8 : 4, chunk = 256;
  __shared__ SharedTile<T, M, chunk> a_chunk;
  __shared__ SharedTile<T, M * W, columns> of_slice;
  const int t = int(threadIdx.x), slice = t / (columns / W), col = t % (columns / W) * W;
  const Index j0 = Index{blockIdx.x} * columns, j = j0 + col < b.cols() ? j0 + col : 0;
  const Index part = blockIdx.y, parts = gridDim.y, end = a.cols() * (part + 1) / parts;
  T sum[M][W] = {};
  const auto add = [&](int q, const Run<T, W>& b_q) {
#pragma unroll
    for (int i = 0; i < M; ++i)
#pragma unroll
      for (int s = 0; s < W; ++s) sum[i][s] += a_chunk[i][q] * b_q.element[s];
  };
  for (Index p = a.cols() * part / parts; p < end; p += chunk) {
    const int k = int(std::min<Index>(chunk, end - p));
    __syncthreads();
    for (int e = t; e < M * chunk; e += 256)
      a_chunk[e / chunk][e % chunk] = element(a, e / chunk, p + e % chunk);
    __syncthreads();
    const T* from = b.data() + (p + slice) * b.ld() + j;
    int q = slice;
    for (; q + (ahead - 1) * W < k; q += ahead * W) {
      Run<T, W> b_q[ahead];  // all loads first
#pragma unroll
      for (Run<T, W>& each : b_q) each = take_run<W>(from), from += W * b.ld();
#pragma unroll
      for (int u = 0; u < ahead; ++u) add(q + u * W, b_q[u]);
    }
    for (; q < k; q += W, from += W * b.ld()) add(q, take_run<W>(from));
  }
#pragma unroll
  for (int e = 0; e < M * W; ++e) of_slice[slice * M + e / W][col + e % W] = sum[e / W][e % W];
  __syncthreads();
  for (int i = 0; i < M; ++i) {  // from here on a thread has a column
    T total = 0;
    for (int s = 0; s < W; ++s) total += of_slice[s * M + i][t];
    sums[((part * M + i) * gridDim.x + blockIdx.x) * columns + t] = total;
  }
}

/// C += all parts' sums, in the parts' order: a thread a column.
template <int M, class T>
__global__ __launch_bounds__(256) void add_rows(View<T> c, int parts, const T* sums) {
  const Index apart = Index{gridDim.x} * 256, j = Index{blockIdx.x} * 256 + int(threadIdx.x);
  T total[M] = {};
  wait_for_kernels_before();
#pragma unroll 16
  for (int part = 0; part < parts; ++part)
#pragma unroll
    for (int i = 0; i < M; ++i) total[i] += ldcg(sums + (Index{part} * M + i) * apart + j);
  for (int i = 0; i < M && i < c.rows() && j < c.cols(); ++i) c(i, j) += total[i];
}
// [/rows]

// [columns]
/// C of at most N columns: `lanes` threads, a warp's or a block's, share out the k of four rows of A, W
/// elements at a time.
template <int N, int W, int lanes, class T>
__global__ __launch_bounds__(256) void columns(View<const T> a, View<const T> b, View<T> c) {
  constexpr int R = 4, ahead = 4, warps = lanes / 32;
  __shared__ SharedTile<T, R * N, 256 / 32> of_warp;
  const int t = int(threadIdx.x), first = t % lanes, k = int(a.cols());
  const Index i = (Index{blockIdx.x} * (256 / lanes) + t / lanes) * R;
  const T* from[R];
#pragma unroll
  for (int r = 0; r < R; ++r) from[r] = a.data() + (i + r < a.rows() ? i + r : 0) * a.ld();
  T sum[R][N] = {};
  const auto add = [&](int p, const Run<T, W>(&a_p)[R]) {
#pragma unroll
    for (int w = 0; w < W; ++w)
#pragma unroll
      for (int s = 0; s < N; ++s) {
        const T b_p = b(p + w, s < b.cols() ? s : 0);
#pragma unroll
        for (int r = 0; r < R; ++r) sum[r][s] += a_p[r].element[w] * b_p;
      }
  };
  int p = first * W;
  for (; p + (ahead - 1) * lanes * W < k; p += ahead * lanes * W) {
    Run<T, W> a_p[ahead][R];  // all loads first
#pragma unroll
    for (int e = 0; e < ahead * R; ++e) a_p[e / R][e % R] = take_run<W>(from[e % R] + p + e / R * lanes * W);
#pragma unroll
    for (int u = 0; u < ahead; ++u) add(p + u * lanes * W, a_p[u]);
  }
  for (; p < k; p += lanes * W) {
    Run<T, W> a_p[R];
#pragma unroll
    for (int r = 0; r < R; ++r) a_p[r] = take_run<W>(from[r] + p);
    add(p, a_p);
  }
#pragma unroll
  for (int e = 0; e < R * N; ++e) {
    T all = sum[e / N][e % N];
#pragma unroll
    for (int half = 16; half > 0; half /= 2) all += __shfl_xor_sync(0xffffffff, all, half);
    if (t % 32 == 0) of_warp[e][t / 32] = all;
  }
  __syncthreads();
  const Index row = i + first / N;
  if (first >= R * N || row >= c.rows() || first % N >= c.cols()) return;
  T total = 0;
  for (int w = 0; w < warps; ++w) total += of_warp[first][t / lanes * warps + w];
  c(row, first % N) += total;
}
// [/columns]

/// A of K columns at most: a thread makes 16 elements of W of C's columns, `across` threads side by side.
template <int K, int W, class T>
__global__ __launch_bounds__(256) void outer(View<const T> a, View<const T> b, View<T> c, int across) {
  constexpr int R = 16 / W;
  __shared__ SharedTile<T, 8 * R, K> a_tile;  // of 256 / 32 threads below each other, at most
  const int t = int(threadIdx.x), y = t / across * R, rows = 256 / across * R;
  const Index i0 = Index{blockIdx.y} * rows, j = (Index{blockIdx.x} * across + t % across) * W;
  const auto inside = [&](int r) { return i0 + y + r < c.rows() && j < c.cols(); };
  Run<T, W> sum[R] = {}, b_j[K] = {};
#pragma unroll
  for (int r = 0; r < R; ++r)
    if (inside(r)) sum[r] = take_run<W>(&c(i0 + y + r, j));
#pragma unroll
  for (int q = 0; q < K; ++q)
    if (q < b.rows() && j < b.cols()) b_j[q] = take_run<W>(&b(q, j));
  for (int e = t; e < rows * K; e += 256) a_tile[e / K][e % K] = element(a, i0 + e / K, e % K);
  __syncthreads();
#pragma unroll
  for (int r = 0; r < R; ++r) {
#pragma unroll
    for (int q = 0; q < K; ++q)
#pragma unroll
      for (int w = 0; w < W; ++w) sum[r].element[w] += a_tile[y + r][q] * b_j[q].element[w];
    if (inside(r)) in_global<Run<T, W>>(&c(i0 + y + r, j)) = sum[r];
  }
}

}  // namespace cuda_regtile
