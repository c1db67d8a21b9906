// 14: products of planes by mma.sync, from compute capability 8.0 on.
#pragma once

#include "gpu/tiles.cuh"
#include "planes.cuh"

namespace f64_by_integers {
namespace {

using course::copy_tile, course::Swizzled, course::take_a;

/// A block makes BM × BN sums by 8 warps of WM × WN, 128 of k a step.
constexpr int BM = 128, BN = 128, WM = 64, WN = 32;
using Pair = course::bf16;  // two integers of a plane, for what moves halves

/// A step's rows of a plane from i0 on.
__device__ inline void copy_step(SharedTile<Pair, 128, 64>& tile, const Planes& from, int plane, Index i0,
                                 int step) {
  const auto first = reinterpret_cast<const Pair*>(from.at(plane, i0, step % from.steps));
  copy_tile<true, Swizzled>(tile, View<const Pair>(first, 128, 64, from.row / 2), 0, 0);
}

/// Makes a tile of one of the products, and stores it.
template <class Out>
__global__ __launch_bounds__(threads) void by_mma(Products all, Out out) {
  alignas(32) __shared__ SharedTile<Pair, BM, 64> a_tile;
  alignas(32) __shared__ SharedTile<Pair, BN, 64> b_tile;
  if (!begin_products(all)) return;
  const int across = int(all.b.rows / BN), tiles = int(all.a.rows / BM) * across;
  const int t = all.first + int(blockIdx.x) / tiles, tile = int(blockIdx.x) % tiles;
  const int warp = int(threadIdx.x) / 32, row = warp / 4 * WM, col = warp % 4 * WN;
  const Index i0 = Index{tile / across} * BM, j0 = Index{tile % across} * BN;
  WideC<int> sum[WM / 16][WN / 8] = {};
  for (int step = 0; step < all.steps(t); ++step) {
    copy_step(a_tile, all.a, all.plane_of_a(t, step), i0, step);
    copy_step(b_tile, all.b, all.plane_of_b(t, step), j0, step);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 64; q += 16) {
      BytesB b[WN / 8];
#pragma unroll
      for (int s = 0; s < WN / 8; s += 2) {  // rows of Bᵀ are B's columns: two fragments lie as one of A does
        const FragmentA both = take_a<Swizzled>(b_tile, col + 8 * s, q);
        b[s] = {both.of[0], both.of[2]}, b[s + 1] = {both.of[1], both.of[3]};
      }
#pragma unroll
      for (int r = 0; r < WM / 16; ++r) {
        const BytesA a = std::bit_cast<BytesA>(take_a<Swizzled>(a_tile, row + 16 * r, q));
#pragma unroll
        for (int s = 0; s < WN / 8; ++s) mma_sync(sum[r][s], a, b[s]);
      }
    }
    __syncthreads();
  }
  store<16>(out, t, i0 + row, j0 + col, sum);
}

/// How products are made here.
struct ByMma {
  static constexpr int rows = BM, cols = BN;
  // Of an A100; where f64 units are slower integers gain at once.
  static constexpr Rates rates{1.4, 300, 17, false};
  template <auto kernel, class... Arguments>
  static void start(Index blocks, int block, const Arguments&... arguments) {
    course::launch(kernel, {blocks}, {block}, arguments...);
  }
  template <class Out>
  static void multiply(const Products& all, const Out& out) {
    start<by_mma<Out>>(all.count * (all.a.rows / BM) * (all.b.rows / BN), threads, all, out);
  }
};

}  // namespace
}  // namespace f64_by_integers
