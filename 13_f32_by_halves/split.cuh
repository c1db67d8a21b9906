// 13: the passes before by_parts: they find the largest of B's columns, and split the floats of A and B into
// halves. Run: build/13_f32_by_halves/13_f32_by_halves --emulate forward --type f32 --size 64
#pragma once

#include <atomic>
#include <cmath>

#include "11_cuda_tensor/tiles.cuh"
#include "parts.cuh"

namespace f32_by_halves {

using cuda_tensor::Chunk;

/// Sets bits of a number that all blocks share.
__device__ inline void raise(unsigned* bits, unsigned more) {
#ifdef __CUDACC__
  atomicOr(bits, more);
#else
  std::atomic_ref<unsigned>(*bits).fetch_or(more);
#endif
}
/// Makes it `size` if it was less.
__device__ inline void raise_to(int* largest, int size) {
#ifdef __CUDACC__
  atomicMax(largest, size);
#else
  const std::atomic_ref<int> here(*largest);
  for (int before = here; before < size && !here.compare_exchange_weak(before, size);) {
  }
#endif
}
/// Adds to it; returns the sum.
__device__ inline int add_to(int* count, int more) {
#ifdef __CUDACC__
  return atomicAdd(count, more) + more;
#else
  return std::atomic_ref<int>(*count) += more;
#endif
}

/// A block of 256 threads splits a tile of tile_rows × tile_cols or, of A that is scaled, whole rows.
constexpr int threads = 256, tile_rows = 64, tile_cols = 64, across = tile_cols / 8, down = threads / across;
constexpr int k_block = 256;  // rows of B that a block of threads searches
constexpr int held = 2;       // chunks of a row that a thread holds in registers

/// A or B, which is split.
template <class Half>
struct Factor {
  View<const float> from;
  View<Half> to;  // the first parts' matrix, below it the second parts', …; its rows have whole chunks
  /// Of A's rows or B's columns. Of B follow: how many elements lose bits, and each k-block's largest.
  int* scales;

  constexpr unsigned tiles_across() const { return unsigned(course::ceil_div(from.cols(), tile_cols)); }
  constexpr Index tiles() const { return course::ceil_div(from.rows(), tile_rows) * tiles_across(); }
  constexpr Index k_blocks() const { return course::ceil_div(from.rows(), k_block); }
  /// How many threads split a row: a power of two.
  constexpr int threads_a_row() const {
    int count = 1;  // nvcc 13.0 compiles std::bit_ceil to 1 on the GPU
    while (count < threads && 8 * held * count < from.cols()) count *= 2;
    return count;
  }
  /// How many blocks split this as A.
  template <class S>
  constexpr Index blocks_as_a() const {
    return S::scaled ? course::ceil_div(from.rows(), threads / threads_a_row()) : tiles();
  }
};

/// Whether the matrix consists of whole, aligned 16 bytes.
__device__ inline bool by_fours(View<const float> x) {
  return reinterpret_cast<std::uintptr_t>(x.data()) % 16 == 0 && x.ld() % 4 == 0 && x.cols() % 4 == 0;
}
/// The chunk from (i, j) on, zeros beyond the matrix. It always reads, there from elsewhere: a branch would
/// make the next load wait for this one.
template <bool fours>
__device__ Chunk<float> chunk_from(View<const float> from, Index i, Index j) {
  constexpr int step = fours ? 4 : 1;
  struct alignas(4 * step) Some {
    float element[step];
  };
  const Index row = i < from.rows() ? i : 0;
  const int count = row == i ? int(std::min<Index>(from.cols() - j, 8)) : 0;
  Chunk<float> chunk;
#pragma unroll
  for (int e = 0; e < 8; e += step) {
    const Some some = reinterpret_cast<const Some&>(from(row, e < count ? j + e : 0));
#pragma unroll
    for (int q = 0; q < step; ++q) chunk.element[e + q] = e < count ? some.element[q] : 0;
  }
  return chunk;
}

// [largest]
/// Finds the largest size_bits of each column in a k-block, k_block rows of B.
template <bool fours, class Half>
__device__ void find_in_k_block(const Factor<Half>& b) {
  __shared__ SharedTile<int, 1, tile_cols> largest;
  const int t = int(threadIdx.x), x = t % across;
  const Index n = b.from.cols(), p = blockIdx.x / b.tiles_across(),
              j0 = Index{blockIdx.x % b.tiles_across()} * tile_cols;
  if (t < tile_cols) largest[0][t] = 0;
  __syncthreads();
  int of_column[8] = {};
#pragma unroll
  for (int q = 0; q < k_block / down; ++q) {
    const Chunk<float> chunk = chunk_from<fours>(b.from, p * k_block + t / across + q * down, j0 + 8 * x);
    for (int e = 0; e < 8; ++e) of_column[e] = std::max(of_column[e], size_bits(chunk.element[e]));
  }
  for (int e = 0; e < 8; ++e) raise_to(largest[0] + (8 * x + e), of_column[e]);
  __syncthreads();
  if (t >= tile_cols || j0 + t >= n) return;
  b.scales[(2 + p) * n + j0 + t] = largest[0][t];
  if (p == 0) b.scales[n + j0 + t] = 0;  // none is known to lose bits
}
/// Finds the largest of B's columns, k-block by k-block.
template <class Half>
__global__ __launch_bounds__(threads) void find_largest(Factor<Half> b) {
  by_fours(b.from) ? find_in_k_block<true>(b) : find_in_k_block<false>(b);
}
// [/largest]

// [split]
/// x rounded to a half, by one instruction: bf16's own rounding takes seven.
template <class Half>
__device__ Half rounded(float x) {
#ifdef __CUDACC__
  if constexpr (std::is_same_v<Half, bf16>) return std::bit_cast<bf16>(__float2bfloat16_rn(x));
#endif
  return Half(x);
}
/// Stores eight halves at once; by an assignment nvcc takes two to eight instructions.
template <class Half>
__device__ void store(Half* to, const Chunk<Half>& chunk) {
#ifdef __CUDACC__
  __stwb(reinterpret_cast<uint4*>(to), std::bit_cast<uint4>(chunk));
#else
  *reinterpret_cast<Chunk<Half>*>(to) = chunk;
#endif
}
// [split_chunk]
/// Splits a chunk of floats, element e times power[e] if S scales, and stores the parts `apart` elements from
/// each other; counts in `small` which lose three bits or more. Returns what was found.
template <class S>
__device__ unsigned split_chunk(const Chunk<float>& from, const Power (&power)[8], typename S::Half* to,
                                Index apart, int (&small)[8]) {
  Chunk<typename S::Half> of[S::parts];
  bool outside = false;
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    const float x = from.element[e], size = fabsf(x);
    float rest = x;
    if (S::scaled) {
      rest = x * power[e].first * power[e].second;
      const bool loses = fabsf(rest) < 0x1p-4f;
      small[e] += loses && x != 0;  // x: scaled down, it may have become 0
    } else {
      outside |= !(size == 0 || (size >= 0x1p-110f && size < 0x1.ffp127f));  // NaN, too
    }
#pragma unroll
    for (int part = 0; part < S::parts; ++part) {
      of[part].element[e] = rounded<typename S::Half>(rest);
      rest -= float(of[part].element[e]);
    }
  }
#pragma unroll
  for (int part = 0; part < S::parts; ++part) store(to + part * apart, of[part]);
  return outside ? beyond : 0u;
}
// [/split_chunk]

/// Splits some rows, which are read once if they fit into registers. Returns what was found.
template <class S, bool fours>
__device__ unsigned split_rows(const Factor<typename S::Half>& a, Index block) {
  __shared__ SharedTile<int, 2, threads> of_rows;  // the largest; how many lose bits
  const Index m = a.from.rows(), k = a.from.cols();
  const int t = int(threadIdx.x), in_row = a.threads_a_row(), row = t / in_row, x = t % in_row;
  const Index i = block * (threads / in_row) + row, pass = Index{held} * 8 * in_row;
  of_rows[0][t] = of_rows[1][t] = 0;
  __syncthreads();
  Chunk<float> chunk[held];
  const auto take = [&](Index j0) {
#pragma unroll
    for (int q = 0; q < held; ++q) chunk[q] = chunk_from<fours>(a.from, i, j0 + 8 * (q * in_row + x));
  };
  int largest = 0, small[8] = {}, all_small = 0;
  for (Index j0 = 0; j0 < k; j0 += pass) {
    take(j0);
#pragma unroll
    for (const Chunk<float>& each : chunk)
      for (const float element : each.element) largest = std::max(largest, size_bits(element));
  }
  for (int lanes = std::min(in_row, 32) / 2; lanes > 0; lanes /= 2)
    largest = std::max(largest, __shfl_xor_sync(0xffffffff, largest, lanes));
  if (x % 32 == 0) raise_to(of_rows[0] + row, largest);
  __syncthreads();
  largest = of_rows[0][row];
  const int scale = scale_for(largest);
  Power power[8];
  for (Power& each : power) each = power_for(scale);
  for (Index j0 = (k - 1) / pass * pass; j0 >= 0; j0 -= pass) {  // the last ones are still in registers
#pragma unroll
    for (int q = 0; q < held; ++q)
      if (const Index j = j0 + 8 * (q * in_row + x); i < m && j < k)
        split_chunk<S>(chunk[q], power, &a.to(i, j), m * a.to.ld(), small);
    if (j0 > 0) take(j0 - pass);
  }
  for (const int each : small) all_small += each;
  if (all_small != 0) add_to(of_rows[1] + row, all_small);
  __syncthreads();
  if (x != 0 || i >= m) return 0;
  a.scales[i] = scale;
  return (largest >= bits_of_infinity ? beyond : 0u) | (of_rows[1][row] * Index{64} > k ? graded : 0u);
}

/// Splits a tile, scaled by columns if S scales. Returns what was found.
template <class S, bool fours>
__device__ unsigned split_tile(const Factor<typename S::Half>& b, Index tile) {
  const Index rows = b.from.rows(), n = b.from.cols();
  const int t = int(threadIdx.x), x = t % across;
  const Index i0 = tile / b.tiles_across() * tile_rows, j0 = tile % b.tiles_across() * tile_cols,
              j = j0 + 8 * x;
  Chunk<float> chunk[tile_rows / down];
#pragma unroll
  for (int q = 0; q < tile_rows / down; ++q)
    chunk[q] = chunk_from<fours>(b.from, i0 + t / across + q * down, j);
  unsigned found = 0;
  Power power[8];
  int small[8] = {};
  if constexpr (S::scaled) {
    __shared__ SharedTile<int, 1, tile_cols> largest;
    if (t < tile_cols) largest[0][t] = 0;
    __syncthreads();
    if (const Index column = j0 + t % tile_cols; column < n) {
      int most = 0;
      for (Index p = t / tile_cols; p < b.k_blocks(); p += threads / tile_cols)
        most = std::max(most, b.scales[(2 + p) * n + column]);
      raise_to(largest[0] + t % tile_cols, most);
    }
    __syncthreads();
    for (int e = 0; e < 8; ++e) power[e] = power_for(scale_for(largest[0][8 * x + e]));
    if (t < tile_cols && j0 + t < n && i0 == 0) b.scales[j0 + t] = scale_for(largest[0][t]);
    if (t < tile_cols && largest[0][t] >= bits_of_infinity) found = beyond;
  }
#pragma unroll
  for (int q = 0; q < tile_rows / down; ++q)
    if (const Index i = i0 + t / across + q * down; i < rows && j < n)
      found |= split_chunk<S>(chunk[q], power, &b.to(i, j), rows * b.to.ld(), small);
  for (int e = 0; e < 8; ++e)  // whoever makes it too many says so
    if (small[e] != 0 && add_to(b.scales + (n + j + e), small[e]) * Index{64} > rows) found |= graded;
  return found;
}

/// Splits A and B: B's tiles begin with those that find_largest read last, which are in the L2 cache. Adds to
/// `found`, which is 0 before, and makes it 0 for the next product.
template <class S>
__global__ __launch_bounds__(threads, 4) void split(Factor<typename S::Half> a, Factor<typename S::Half> b,
                                                    unsigned* found, unsigned* next_found) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *next_found = 0;
  const Index tile = b.tiles() - 1 - blockIdx.x;
  unsigned here = 0;
  if (tile >= 0)
    here = by_fours(b.from) ? split_tile<S, true>(b, tile) : split_tile<S, false>(b, tile);
  else if constexpr (S::scaled)
    here = by_fours(a.from) ? split_rows<S, true>(a, ~tile) : split_rows<S, false>(a, ~tile);
  else
    here = by_fours(a.from) ? split_tile<S, true>(a, ~tile) : split_tile<S, false>(a, ~tile);
  if (here != 0) raise(found, here);
}
// [/split]

}  // namespace f32_by_halves
