// 11: f32 products by tensor cores. A float is split into halves, whose products are exact in f32.
#pragma once

#include <atomic>
#include <bit>
#include <cmath>

#include "gemm.cuh"

namespace cuda_tensor {

// [three]
/// x = of[0] + of[1] + of[2], each the rounded rest of those before it: 8 + 8 + 8 bits, all that a float has.
/// Six products; the three that are left out are below 2^-24 of the first.
struct Three {
  using Half = bf16;
  static constexpr bool scaled = false;
  static constexpr int parts = 3, products = 6;
  static constexpr int a_part(int product) {  // the smallest products first
    constexpr int of[products] = {2, 0, 1, 1, 0, 0};
    return of[product];
  }
  static constexpr int b_part(int product) {
    constexpr int of[products] = {0, 2, 1, 0, 1, 0};
    return of[product];
  }
};
// [/three]

// [two]
/// x = of[0] + of[1]: 11 + 11 bits, and the rest's sign. The exponents of FP16 are few, so each row of A and
/// each column of B is scaled by a power of two: the exponent of its largest element becomes 13.
struct Two {
  using Half = f16;
  static constexpr bool scaled = true;
  static constexpr int parts = 2, products = 3;
  static constexpr int a_part(int product) { return product == 0 ? 1 : 0; }
  static constexpr int b_part(int product) { return product == 1 ? 1 : 0; }
};
constexpr int largest_exponent = 13;
// [/two]

/// What the pass that splits finds, by bits. beyond: NaN, infinity, or what three BF16 do not hold to the
/// last bit. graded: of a row or column more than one element in 64 is below 2^-17 of the largest, where the
/// second FP16 is a denormal and loses bits. reported: the product has begun, the others are known.
enum Found : unsigned { beyond = 1, graded = 2, reported = 4 };

constexpr int bits_of_infinity = 0x7f800000;

/// The bits of |x|, which are ordered as the numbers are; NaN is above infinity.
__device__ inline int size_bits(float x) {
  return std::bit_cast<int>(x) & 0x7fffffff;
}
/// By which power of two to scale so that the number with these size_bits gets the exponent 13; 0 if none
/// can.
__device__ inline int scale_for(int size) {
  return size == 0 || size >= bits_of_infinity ? 0 : largest_exponent - ilogbf(std::bit_cast<float>(size));
}

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

constexpr int tall = 128, wide = 64;  // a tile's rows and columns; a block of 8 × 32 threads splits it

/// A or B, which is split, and what is known of its lines, A's rows or B's columns.
template <class Half>
struct Factor {
  View<const float> from;
  View<Half> to;  // the first parts' matrix, below it the second parts', …; its rows have whole eights
  int* lines;     // the largest size_bits of all lines, then how many elements lose bits, then the scales

  constexpr unsigned tiles_across() const { return unsigned(course::ceil_div(from.cols(), wide)); }
  constexpr Index tiles() const { return course::ceil_div(from.rows(), tall) * tiles_across(); }
};
/// Nothing is found yet, and of_a, of_b numbers are 0.
__global__ inline void clear(unsigned* found, int* a_lines, Index of_a, int* b_lines, Index of_b) {
  const Index t = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  if (t == 0) *found = 0;
  if (t < of_a) a_lines[t] = 0;
  if (t < of_b) b_lines[t] = 0;
}

/// The eight from (i, j) on, by loads of 16 bytes if its rows allow that.
__device__ inline Eight<float> load_eight(View<const float> from, Index i, Index j) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(from.data()) % 16 == 0 && from.ld() % 4 == 0;
  return aligned ? load<true>(from, i, j) : load<false>(from, i, j);
}

// [largest]
/// A tile's share: the largest of each line first in shared memory, then among all blocks.
template <bool by_rows, class Half>
__device__ void find_in_tile(const Factor<Half>& x, unsigned tile, unsigned* found) {
  constexpr int lines = by_rows ? tall : wide;
  __shared__ SharedTile<int, 1, lines> largest;
  const int across = int(threadIdx.x), down = int(threadIdx.y), t = down * 8 + across;
  const Index i0 = Index{tile / x.tiles_across()} * tall, j0 = Index{tile % x.tiles_across()} * wide;
  if (t < lines) largest[0][t] = 0;
  __syncthreads();
  int of_column[8] = {};
#pragma unroll
  for (int d = down; d < tall; d += 32) {
    const Eight<float> eight = load_eight(x.from, i0 + d, j0 + 8 * across);
    int of_row = 0;
    for (int e = 0; e < 8; ++e) {
      const int size = size_bits(eight.element[e]);
      of_row = std::max(of_row, size), of_column[e] = std::max(of_column[e], size);
    }
    if (by_rows) raise_to(largest[0] + d, of_row);
  }
  for (int e = 0; e < 8 && !by_rows; ++e) raise_to(largest[0] + (8 * across + e), of_column[e]);
  __syncthreads();
  const Index line = (by_rows ? i0 : j0) + t;
  if (t >= lines || line >= (by_rows ? x.from.rows() : x.from.cols())) return;
  raise_to(x.lines + line, largest[0][t]);
  if (largest[0][t] >= bits_of_infinity) raise(found, beyond);
}
/// Finds the largest size_bits of each of A's rows and of B's columns. Adds to `found`.
template <class Half>
__global__ void find_largest(Factor<Half> a, Factor<Half> b, unsigned* found) {
  if (blockIdx.x < a.tiles())
    find_in_tile<true>(a, blockIdx.x, found);
  else
    find_in_tile<false>(b, unsigned(blockIdx.x - a.tiles()), found);
}
// [/largest]

// [split]
/// Splits eight floats, element e times 2^scale[e] if S scales, and stores the parts `apart` elements from
/// each other; counts in `small` which lose bits. Returns what was found.
template <class S>
__device__ unsigned split_eight(const Eight<float>& from, const int (&scale)[8], typename S::Half* to,
                                Index apart, int (&small)[8]) {
  Eight<typename S::Half> of[S::parts];
  unsigned found = 0;
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    const float x = from.element[e];
    float rest = x;
    if (S::scaled) {
      rest = ldexpf(x, scale[e]);
      small[e] += x != 0 && fabsf(rest) < 0x1p-4f;  // x: scaled down, it may have become 0
    } else if (const float size = fabsf(rest); !(size == 0 || (size >= 0x1p-110f && size < 0x1.ffp127f))) {
      found = beyond;  // NaN comes here, too
    }
#pragma unroll
    for (int part = 0; part < S::parts; ++part) {
      of[part].element[e] = typename S::Half(rest);
      rest -= float(of[part].element[e]);
    }
  }
#pragma unroll
  for (int part = 0; part < S::parts; ++part)
    *reinterpret_cast<Eight<typename S::Half>*>(to + part * apart) = of[part];
  return found;
}

/// Splits a tile, whose lines' largest are known.
template <class S, bool by_rows>
__device__ void split_tile(const Factor<typename S::Half>& x, unsigned tile, unsigned* found) {
  const Index rows = x.from.rows(), cols = x.from.cols(), lines = by_rows ? rows : cols;
  const Index i0 = Index{tile / x.tiles_across()} * tall,
              j = Index{tile % x.tiles_across()} * wide + 8 * threadIdx.x;
  if (j >= cols) return;
  int *const lose_bits = x.lines + lines, *const scales = lose_bits + lines;
  int scale[8] = {}, small[8] = {};
  unsigned here = 0;
  const auto count = [&](Index line, int more) {  // whoever makes it too many says so
    if (more != 0 && add_to(lose_bits + line, more) * Index{64} > (by_rows ? cols : rows)) here |= graded;
  };
  for (int e = 0; S::scaled && !by_rows && e < 8 && j + e < cols; ++e) {
    scale[e] = scale_for(x.lines[j + e]);
    if (i0 + threadIdx.y == 0) scales[j + e] = scale[e];
  }
#pragma unroll
  for (int d = int(threadIdx.y); d < tall; d += 32) {
    const Index i = i0 + d;
    if (i >= rows) break;
    if (S::scaled && by_rows) {
      for (int& s : scale) s = scale_for(x.lines[i]);
      if (j == 0) scales[i] = scale[0];
    }
    here |= split_eight<S>(load_eight(x.from, i, j), scale, &x.to(i, j), rows * x.to.ld(), small);
    int of_row = 0;
    for (int e = 0; S::scaled && by_rows && e < 8; ++e) of_row += small[e], small[e] = 0;
    count(i, of_row);
  }
  for (int e = 0; S::scaled && !by_rows && e < 8; ++e) count(j + e, small[e]);
  if (here != 0) raise(found, here);
}
/// Splits A and B. Adds to `found`.
template <class S>
__global__ void split(Factor<typename S::Half> a, Factor<typename S::Half> b, unsigned* found) {
  if (blockIdx.x < a.tiles())
    split_tile<S, true>(a, blockIdx.x, found);
  else
    split_tile<S, false>(b, unsigned(blockIdx.x - a.tiles()), found);
}
// [/split]

/// Adds the sums of the last 64 of k to those of all; they begin anew at 0.
__device__ inline void take_over(Sums& sum, Sums& recent) {
#pragma unroll
  for (int r = 0; r < WM / 16; ++r)
#pragma unroll
    for (int s = 0; s < WN / 8; ++s)
#pragma unroll
      for (int e = 0; e < 4; ++e) sum[r][s].of[e] += recent[r][s].of[e], recent[r][s].of[e] = 0;
}

/// C += the sums, scaled back if there are scales.
__device__ inline void add_scaled(View<float> c, Index i0, Index j0, Sums& sum, const int* a_scales,
                                  const int* b_scales) {
  const int lane = int(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int r = 0; r < WM / 16; ++r)
#pragma unroll
    for (int s = 0; s < WN / 8; ++s)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const Index i = i0 + 16 * r + g + e / 2 * 8, j = j0 + 8 * s + 2 * t + e % 2;
        if (i >= c.rows() || j >= c.cols()) continue;
        c(i, j) += a_scales ? ldexpf(sum[r][s].of[e], -a_scales[i] - b_scales[j]) : sum[r][s].of[e];
      }
}

// [by_parts]
/// C += A·B of the parts that the pass before has split: all products of a step of k from tiles that are
/// loaded once. A tensor core cuts off what it adds, and the longer the sum, the more: after each 64 of k the
/// part's sum is taken over. Does nothing if the pass that split found one of `refused`; says in `report`
/// what it found. The grid begins at row `first` of C.
template <class S>
__global__ __launch_bounds__(threads) void by_parts(View<const typename S::Half> a,
                                                    View<const typename S::Half> b, View<float> c,
                                                    const int* a_scales, const int* b_scales,
                                                    const unsigned* found, unsigned refused, unsigned* report,
                                                    Index first) {
  using Half = typename S::Half;
  alignas(32) __shared__ SharedTile<Half, BM, BK> a_tile[S::parts];
  alignas(32) __shared__ SharedTile<Half, BK, BN> b_tile[S::parts];
  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0) *report = *found | reported;
  if ((*found & refused) != 0) return;
  const int warp = int(threadIdx.x) / 32, row = warp / 4 * WM, col = warp % 4 * WN;
  const Index i0 = first + Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  const Index m = c.rows(), k = b.rows() / S::parts;
  Sums sum = {}, recent = {};
  for (Index p = 0; p < k; p += BK) {
    for (int part = 0; part < S::parts; ++part) {
      copy_tile<true, Swizzled>(a_tile[part], a.block(part * m, 0, m, a.cols()), i0, p);
      copy_tile<true, Swizzled>(b_tile[part], b.block(part * k, 0, k, b.cols()), p, j0);
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < BK; q += 16) {
      FragmentB b_q[S::parts][WN / 8];
#pragma unroll
      for (int part = 0; part < S::parts; ++part) take_b<Swizzled>(b_q[part], b_tile[part], q, col);
#pragma unroll
      for (int r = 0; r < WM / 16; ++r) {
        FragmentA a_q[S::parts];
#pragma unroll
        for (int part = 0; part < S::parts; ++part)
          a_q[part] = take_a<Swizzled>(a_tile[part], row + 16 * r, q);
#pragma unroll
        for (int product = 0; product < S::products; ++product)
#pragma unroll
          for (int s = 0; s < WN / 8; ++s)
            mma_sync<Half>(recent[r][s], a_q[S::a_part(product)], b_q[S::b_part(product)][s]);
      }
    }
    __syncthreads();
    if (p / BK % 2 == 1 || p + BK >= k) take_over(sum, recent);
  }
  add_scaled(c, i0 + row, j0 + col, sum, S::scaled ? a_scales : nullptr, b_scales);
}
// [/by_parts]

}  // namespace cuda_tensor
