// split_k: as any_rows, but where C has few tiles k is cut into parts for blocks of their own, and a second
// kernel adds up what they have found.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --shape 512x512x16384 --variant any_rows,split_k
#pragma once

#include "any_rows.cuh"

namespace cuda_regtile {

/// How k is shared out: C has `tiles`, `across` of them side by side. Each takes `steps`, cut into `parts`.
struct Parts {
  int across, tiles, steps, parts;
  bool aligned_c;  // rows of C begin at multiples of 16 bytes

  // In 32 bits: a kernel takes at most most_k of k. A division in 64 bits would cost a block 0.1 us.
  constexpr int begin_of(int part) const { return steps * part / parts; }
};

/// C += A·B, or of parts of k each its share to `sums`, tile by tile: of each thread the first element, then
/// of each the second, …
template <class S, bool aligned, class T = typename S::T>
__global__ __launch_bounds__(S::threads, S::at_once) void split_k(View<const T> a, View<const T> b, View<T> c,
                                                                  Parts cut, T* sums) {
  auto& tiles = course::shared_memory<std::conditional_t<aligned, Tiles<S>, Ring<S>>>();
  // [split_k]
  const int tile = int(blockIdx.x) % cut.tiles, part = int(blockIdx.x) / cut.tiles;
  const Index i0 = Index{tile / cut.across} * S::BM, j0 = Index{tile % cut.across} * S::BN;
  const int first = cut.begin_of(part), end = cut.begin_of(part + 1);
  T sum[TM][TN] = {};
  if constexpr (aligned)
    multiply_steps<S, true>(a, b, i0, j0, first, end, tiles, sum);
  else
    multiply_steps(a, b, i0, j0, first, end, tiles, sum);
  // [/split_k]
  if constexpr (S::slices > 1) reduce_slices<S>(tiles, sum);
  if (cut.parts == 1) {
    if constexpr (S::slices > 1)
      cut.aligned_c ? add_reduced<S, true>(c, i0, j0, sum) : add_reduced<S, false>(c, i0, j0, sum);
    else
      add_tile<S, ByWarps>(c, i0, j0, sum);
    return;
  }
  const int thread = opaque(int(threadIdx.x)), slice = thread / S::per_slice;
  T* const mine = sums + Index{blockIdx.x} * (S::BM * S::BN) + thread % S::per_slice;
#pragma unroll
  for (int e = 0; e < TM * TN; ++e)
    if (e / S::reduced == slice) in_global<T>(mine + e * S::per_slice) = sum[e / TN][e % TN];
}

/// C += all parts' sums, always in the same order: a thread an element.
template <class S, class T = typename S::T>
__global__ __launch_bounds__(256) void add_parts(View<T> c, Parts cut, const T* sums) {
  constexpr int in_tile = S::BM * S::BN, ahead = 16;
  const int tile = int(blockIdx.x) / (in_tile / 256),
            x = int(blockIdx.x) % (in_tile / 256) * 256 + int(threadIdx.x);
  const ByWarps<S> at(x % S::per_slice);
  const int r = x / S::per_slice / TN, s = x / S::per_slice % TN;
  const Index i = Index{tile / cut.across} * S::BM + at.row + r / S::W * at.down + r % S::W;
  const Index j = Index{tile % cut.across} * S::BN + at.col + s / S::W * at.right + s % S::W;
  if (i >= c.rows() || j >= c.cols()) return;
  const Index apart = Index{cut.tiles} * in_tile;
  const T* from = sums + Index{tile} * in_tile + x;
  T sum = 0;
  wait_for_kernels_before();
  for (int part = 0; part < cut.parts; part += ahead, from += ahead * apart) {
    T theirs[ahead];  // all loads first: no addition waits for each of them
#pragma unroll
    for (int u = 0; u < ahead; ++u) theirs[u] = part + u < cut.parts ? ldcg(from + u * apart) : T(0);
#pragma unroll
    for (int u = 0; u < ahead; ++u) sum += theirs[u];
  }
  c(i, j) += sum;
}

}  // namespace cuda_regtile
