// 13: the product of parts by mma.sync, from compute capability 8.0 on. Against stages: tiles of all parts,
// several products of each, and sums of a slice of k. Run:
// build/13_f32_by_halves/13_f32_by_halves --emulate forward --type f32 --size 64
#pragma once

#include "gpu/tiles.cuh"
#include "parts.cuh"

namespace f32_by_halves {

using namespace course::ptx;
using course::copy_tile, course::Swizzled, course::take_a, course::take_b;

/// As in stages: a block makes BM × BN elements of C by 8 warps of WM × WN, BK columns of A a step.
constexpr int BM = 128, BN = 128, BK = 32, WM = 64, WN = 32, mma_threads = 256;
using Sums = FragmentC[WM / 16][WN / 8];

/// Adds a slice's sums, those of column j times factors[j], to those of all; they begin anew at 0.
__device__ inline void promote(Sums& sum, Sums& recent, const float* factors, Index cols) {
  const int t = int(threadIdx.x) % 4;
#pragma unroll
  for (int s = 0; s < WN / 8; ++s)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int j = 8 * s + 2 * t + e % 2;
      const float factor = !factors ? 1 : j < cols ? factors[j] : 0;
#pragma unroll
      for (int r = 0; r < WM / 16; ++r)
        sum[r][s].of[e] = fmaf(recent[r][s].of[e], factor, sum[r][s].of[e]), recent[r][s].of[e] = 0;
    }
}

/// C += the sums, scaled back if there are scales.
__device__ inline void add_scaled(View<float> c, Index i0, Index j0, Sums& sum, const int* a_scales) {
  const int lane = int(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int r = 0; r < WM / 16; ++r)
#pragma unroll
    for (int s = 0; s < WN / 8; ++s)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const Index i = i0 + 16 * r + g + e / 2 * 8, j = j0 + 8 * s + 2 * t + e % 2;
        if (i >= c.rows() || j >= c.cols()) continue;
        const Power back = a_scales ? unscale(a_scales[i]) : Power{1, 1};
        c(i, j) += sum[r][s].of[e] * back.first * back.second;
      }
}

/// C += A·B of the parts that the pass before has split: all products of a step of k from tiles that are
/// loaded once. A tensor core cuts off what it adds, and the longer the sum, the more: after each slice of k
/// the sum is promoted. Does nothing if the pass that split found one of `refused`; says in `report` what
/// it found. The grid begins at row `first` of C.
template <class S>
__global__ __launch_bounds__(mma_threads) void by_mma(Parts<S> parts, View<float> c, unsigned refused,
                                                      unsigned* report, Index first) {
  using Half = typename S::Half;
  alignas(32) __shared__ SharedTile<Half, BM, BK> a_tile[S::parts];
  alignas(32) __shared__ SharedTile<Half, BK, BN> b_tile[S::parts];
  const unsigned found = *parts.found;
  if (first == 0 && blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0)
    SystemWord{*report}.store(found | reported, relaxed);
  if ((found & refused) != 0) return;
  const int warp = int(threadIdx.x) / 32, row = warp / 4 * WM, col = warp % 4 * WN;
  const Index i0 = first + Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  const Index k = parts.a.cols(), j = j0 + col;
  Sums sum = {}, recent = {};
  for (Index p = 0; p < k; p += BK) {
    for (int part = 0; part < S::parts; ++part) {
      const Index at = place_in_parts<S>(p) + part * S::step;
      copy_tile<true, Swizzled>(a_tile[part], View<const Half>(parts.of_a), i0, at);
      copy_tile<true, Swizzled>(b_tile[part], View<const Half>(parts.of_b), at, j0);
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
    if ((p + BK) % parts.slice == 0 || p + BK >= k)
      promote(sum, recent,
              S::scaled ? parts.b_factors.data() + p / parts.slice * parts.b_factors.ld() + j : nullptr,
              c.cols() - j);
  }
  add_scaled(c, i0 + row, j, sum, S::scaled ? parts.a_scales : nullptr);
}

}  // namespace f32_by_halves
