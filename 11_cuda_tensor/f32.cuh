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
  if (size == 0 || size >= bits_of_infinity) return 0;
  const bool denormal = size < 1 << 23;  // then it is the integer `size`, times 2^-149
  const int exponent = (denormal ? std::bit_cast<int>(float(size)) >> 23 : size >> 23) - 127;
  return largest_exponent - exponent + (denormal ? 149 : 0);
}
/// 2^n, for n from -126 to 127.
__device__ inline float power_of_two(int n) {
  return std::bit_cast<float>((n + 127) << 23);
}
/// 2^scale as two factors: one float does not hold all that scale_for returns.
struct Power {
  float first, second;
};
__device__ inline Power power_for(int scale) {
  return {power_of_two(scale >> 1), power_of_two(scale - (scale >> 1))};
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

/// Blocks of 256 threads split tiles of tall × wide elements or, of A that is scaled, whole rows.
constexpr int tall = 64, wide = 64, across = wide / 8, down = threads / across;
constexpr int strip = 256;  // so many rows of B are searched by one block
constexpr int held = 2;     // so many eights of a row a thread holds in registers

/// A or B, which is split.
template <class Half>
struct Factor {
  View<const float> from;
  View<Half> to;  // the first parts' matrix, below it the second parts', …; its rows have whole eights
  int* scales;  // of A's rows or B's columns. Of B follow: how many elements lose bits, each strip's largest

  constexpr unsigned tiles_across() const { return unsigned(course::ceil_div(from.cols(), wide)); }
  constexpr Index tiles() const { return course::ceil_div(from.rows(), tall) * tiles_across(); }
  constexpr Index strips() const { return course::ceil_div(from.rows(), strip); }
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
/// The eight from (i, j) on, zeros beyond the matrix. It always reads, there from elsewhere: a branch would
/// make the next load wait for this one.
template <bool fours>
__device__ Eight<float> eight_from(View<const float> from, Index i, Index j) {
  constexpr int step = fours ? 4 : 1;
  struct alignas(4 * step) Some {
    float element[step];
  };
  const Index row = i < from.rows() ? i : 0;
  const int count = row == i ? int(std::min<Index>(from.cols() - j, 8)) : 0;
  Eight<float> eight;
#pragma unroll
  for (int e = 0; e < 8; e += step) {
    const Some some = reinterpret_cast<const Some&>(from(row, e < count ? j + e : 0));
#pragma unroll
    for (int q = 0; q < step; ++q) eight.element[e + q] = e < count ? some.element[q] : 0;
  }
  return eight;
}

// [largest]
/// Finds the largest size_bits of each column in a strip.
template <bool fours, class Half>
__device__ void find_in_strip(const Factor<Half>& b) {
  __shared__ SharedTile<int, 1, wide> largest;
  const int t = int(threadIdx.x), x = t % across;
  const Index n = b.from.cols(), p = blockIdx.x / b.tiles_across(),
              j0 = Index{blockIdx.x % b.tiles_across()} * wide;
  if (t < wide) largest[0][t] = 0;
  __syncthreads();
  int of_column[8] = {};
#pragma unroll
  for (int q = 0; q < strip / down; ++q) {
    const Eight<float> eight = eight_from<fours>(b.from, p * strip + t / across + q * down, j0 + 8 * x);
    for (int e = 0; e < 8; ++e) of_column[e] = std::max(of_column[e], size_bits(eight.element[e]));
  }
  for (int e = 0; e < 8; ++e) raise_to(largest[0] + (8 * x + e), of_column[e]);
  __syncthreads();
  if (t >= wide || j0 + t >= n) return;
  b.scales[(2 + p) * n + j0 + t] = largest[0][t];
  if (p == 0) b.scales[n + j0 + t] = 0;  // none is known to lose bits
}
/// Finds the largest of B's columns, strip by strip.
template <class Half>
__global__ __launch_bounds__(threads) void find_largest(Factor<Half> b) {
  by_fours(b.from) ? find_in_strip<true>(b) : find_in_strip<false>(b);
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
/// Stores eight halves at once; by an assignment nvcc stores them in two to eight pieces.
template <class Half>
__device__ void store(Half* to, const Eight<Half>& eight) {
#ifdef __CUDACC__
  __stwb(reinterpret_cast<uint4*>(to), std::bit_cast<uint4>(eight));
#else
  *reinterpret_cast<Eight<Half>*>(to) = eight;
#endif
}
// [split_eight]
/// Splits eight floats, element e times power[e] if S scales, and stores the parts `apart` elements from
/// each other; counts in `small` which lose bits. Returns what was found.
template <class S>
__device__ unsigned split_eight(const Eight<float>& from, const Power (&power)[8], typename S::Half* to,
                                Index apart, int (&small)[8]) {
  Eight<typename S::Half> of[S::parts];
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
// [/split_eight]

/// Splits some rows, which are read once if they fit into registers. Returns what was found.
template <class S, bool fours>
__device__ unsigned split_rows(const Factor<typename S::Half>& a, Index block) {
  __shared__ SharedTile<int, 2, threads> of_rows;  // the largest; how many lose bits
  const Index m = a.from.rows(), k = a.from.cols();
  const int t = int(threadIdx.x), in_row = a.threads_a_row(), row = t / in_row, x = t % in_row;
  const Index i = block * (threads / in_row) + row, turn = Index{held} * 8 * in_row;
  of_rows[0][t] = of_rows[1][t] = 0;
  __syncthreads();
  Eight<float> eight[held];
  const auto take = [&](Index j0) {
#pragma unroll
    for (int q = 0; q < held; ++q) eight[q] = eight_from<fours>(a.from, i, j0 + 8 * (q * in_row + x));
  };
  int largest = 0, small[8] = {}, all_small = 0;
  for (Index j0 = 0; j0 < k; j0 += turn) {
    take(j0);
#pragma unroll
    for (const Eight<float>& each : eight)
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
  for (Index j0 = (k - 1) / turn * turn; j0 >= 0; j0 -= turn) {  // the last ones are still in registers
#pragma unroll
    for (int q = 0; q < held; ++q)
      if (const Index j = j0 + 8 * (q * in_row + x); i < m && j < k)
        split_eight<S>(eight[q], power, &a.to(i, j), m * a.to.ld(), small);
    if (j0 > 0) take(j0 - turn);
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
  const Index i0 = tile / b.tiles_across() * tall, j0 = tile % b.tiles_across() * wide, j = j0 + 8 * x;
  Eight<float> eight[tall / down];
#pragma unroll
  for (int q = 0; q < tall / down; ++q) eight[q] = eight_from<fours>(b.from, i0 + t / across + q * down, j);
  unsigned found = 0;
  Power power[8];
  int small[8] = {};
  if constexpr (S::scaled) {
    __shared__ SharedTile<int, 1, wide> largest;
    if (t < wide) largest[0][t] = 0;
    __syncthreads();
    if (const Index column = j0 + t % wide; column < n) {
      int most = 0;
      for (Index p = t / wide; p < b.strips(); p += threads / wide)
        most = std::max(most, b.scales[(2 + p) * n + column]);
      raise_to(largest[0] + t % wide, most);
    }
    __syncthreads();
    for (int e = 0; e < 8; ++e) power[e] = power_for(scale_for(largest[0][8 * x + e]));
    if (t < wide && j0 + t < n && i0 == 0) b.scales[j0 + t] = scale_for(largest[0][t]);
    if (t < wide && largest[0][t] >= bits_of_infinity) found = beyond;
  }
#pragma unroll
  for (int q = 0; q < tall / down; ++q)
    if (const Index i = i0 + t / across + q * down; i < rows && j < n)
      found |= split_eight<S>(eight[q], power, &b.to(i, j), rows * b.to.ld(), small);
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
