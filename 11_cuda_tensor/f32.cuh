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

constexpr unsigned bits_of_infinity = 0x7f800000;

/// The bits of |x|, which are ordered as the numbers are; NaN is above infinity.
__device__ inline unsigned size_bits(float x) {
  return std::bit_cast<unsigned>(x) & 0x7fffffffu;
}
/// By which power of two to scale so that the number with these size_bits gets the exponent 13; 0 if none
/// can.
__device__ inline int scale_for(unsigned size) {
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
__global__ void clear(unsigned* bits) {
  *bits = 0;
}

/// Where eight elements' parts go: `first`, and the next ones `apart` elements further on.
template <class Half>
struct Places {
  Half* first;
  Index apart;
};

// [split]
/// Splits the eight floats from (i, j) on, element e times 2^scale[e] if S scales; counts in `small` which
/// lose bits. Returns what was found.
template <class S>
__device__ unsigned split_eight(View<const float> from, Index i, Index j, const int (&scale)[8],
                                Places<typename S::Half> to, int (&small)[8]) {
  Eight<typename S::Half> of[S::parts];
  unsigned found = 0;
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    const float x = i < from.rows() && j + e < from.cols() ? from(i, j + e) : 0.f;
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
    *reinterpret_cast<Eight<typename S::Half>*>(to.first + part * to.apart) = of[part];
  return found;
}
// [/split]

// [split_rows]
/// Splits A by rows, a warp each, 8 warps a block. `to` holds the first parts' matrix, below it the second
/// parts', …; its rows have whole eights. Adds to `found`.
template <class S>
__global__ void split_rows(View<const float> a, View<typename S::Half> to, int* scales, unsigned* found) {
  const int lane = int(threadIdx.x) % 32;
  const Index i = Index{blockIdx.x} * 8 + threadIdx.x / 32, k = a.cols();
  if (i >= a.rows()) return;
  unsigned most = 0, here = 0;
  for (Index p = lane; S::scaled && p < k; p += 32) most = std::max(most, size_bits(a(i, p)));
  for (int d = 16; S::scaled && d > 0; d /= 2) most = std::max(most, __shfl_xor_sync(~0u, most, d));
  if (most >= bits_of_infinity) here = beyond;
  int scale[8], small[8] = {}, count = 0;
  for (int& s : scale) s = scale_for(most);
  for (Index p = 8 * lane; p < to.cols(); p += 8 * 32)
    here |= split_eight<S>(a, i, p, scale, {&to(i, p), a.rows() * to.ld()}, small);
  for (const int s : small) count += s;
  for (int d = 16; S::scaled && d > 0; d /= 2) count += __shfl_xor_sync(~0u, count, d);
  if (count * Index{64} > k) here |= graded;
  if (lane == 0) scales[i] = scale[0];
  if (here != 0) raise(found, here);
}
// [/split_rows]

/// The same for B, by columns, 64 a block of 8 × 32 threads.
template <class S>
__global__ void split_columns(View<const float> b, View<typename S::Half> to, int* scales, unsigned* found) {
  __shared__ SharedTile<unsigned, 32, 64> of_threads;
  __shared__ SharedTile<int, 1, 64> scale_of;
  const int across = int(threadIdx.x), down = int(threadIdx.y), t = down * 8 + across;
  const Index j0 = Index{blockIdx.x} * 64, j = j0 + 8 * across, k = b.rows();
  unsigned here = 0;
  int scale[8] = {}, small[8] = {};
  if (S::scaled) {
    unsigned largest[8] = {};
    for (Index p = down; p < k; p += 32)
#pragma unroll
      for (int e = 0; e < 8; ++e)
        if (j + e < b.cols()) largest[e] = std::max(largest[e], size_bits(b(p, j + e)));
    for (int e = 0; e < 8; ++e) of_threads[down][8 * across + e] = largest[e];
    __syncthreads();
    if (t < 64) {
      unsigned most = 0;
      for (int d = 0; d < 32; ++d) most = std::max(most, of_threads[d][t]);
      if (most >= bits_of_infinity) here = beyond;
      scale_of[0][t] = scale_for(most);
      if (j0 + t < b.cols()) scales[j0 + t] = scale_for(most);
    }
    __syncthreads();
    for (int e = 0; e < 8; ++e) scale[e] = scale_of[0][8 * across + e];
  }
  for (Index p = down; j < to.cols() && p < k; p += 32)
    here |= split_eight<S>(b, p, j, scale, {&to(p, j), k * to.ld()}, small);
  if (S::scaled) {
    for (int e = 0; e < 8; ++e) of_threads[down][8 * across + e] = unsigned(small[e]);
    __syncthreads();
    Index count = 0;
    for (int d = 0; t < 64 && d < 32; ++d) count += of_threads[d][t];
    if (count * 64 > k) here |= graded;
  }
  if (here != 0) raise(found, here);
}

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
