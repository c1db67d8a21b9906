// The plain numbers: the tile of each instruction set, and the blocks that fit the caches. The kernels, what
// they cost and the tests have them from here.
#pragma once

#include "gemm.hpp"

namespace avx2 {

using course::ceil_div;

/// A tile of C in registers: mr rows of so many vectors, each of so many bytes.
struct TileShape {
  int mr, vectors, bytes;
  COURSE_INLINE int nr(int size) const { return vectors * bytes / size; }  // columns, of `size` bytes each
};
// 16 registers: 6 × 2 sums, 2 of B, one of A. Two units with a latency of four cycles need 8 sums in flight.
constexpr TileShape avx2_tile{6, 2, 32};
// The same with vectors twice as wide.
constexpr TileShape wide_tile{6, 2, 64};
// 32 registers: 9 × 3 sums, 3 of B, one of A; 12 loads to 27 multiply-adds.
constexpr TileShape avx512_tile{9, 3, 64};
constexpr const char *avx2_needs = "avx2,fma", *avx512_needs = "avx2,fma,avx512f,avx512dq,avx512bw,avx512vl";

COURSE_INLINE Index smaller(Index a, Index b) {
  return a < b ? a : b;
}

COURSE_INLINE Index larger(Index a, Index b) {
  return a > b ? a : b;
}

/// One of several parts, as even as can be.
struct Part {
  Index from, count;
};
COURSE_INLINE Part part(Index all, Index parts, Index i) {
  return {all * i / parts, all * (i + 1) / parts - all * i / parts};
}

/// The piece, a multiple of `step`, when `all` is cut evenly into as few as there can be of `most`; rounded
/// up, so it may be a little more than `most`.
COURSE_INLINE Index even(Index all, Index most, Index step) {
  const Index some = larger(1, all), pieces = ceil_div(some, larger(step, most));
  return ceil_div(ceil_div(some, pieces), step) * step;
}

/// How a product is cut: rows in pieces of mc, k of kc, columns of nc.
struct Blocks {
  Index mc, kc, nc;
};

// [textbook]
/// Half a cache each: of L1 for a strip of B (kc × nr), of L2 for a block of A (mc × kc), of L3 for a block
/// of B (kc × nc). Goto and van de Geijn, 2008.
COURSE_INLINE Blocks textbook(TileShape tile, int size, const Caches& caches) {
  const Index nr = tile.nr(size), kc = larger(1, caches.l1 / 2 / (nr * size));
  const Index mc = larger(1, caches.l2 / 2 / (kc * size * tile.mr)) * tile.mr;
  const Index nc = larger(1, caches.l3 / 2 / (kc * size * nr)) * nr;
  return {mc, kc, nc};
}
// [/textbook]

// [blocks]

/// Of C (m × n) += A·B. A strip of A (mr × kc) may be 5/8 of L1: found by trial, since a long kc saves trips
/// of C. A block of B (kc × nc) returns for every strip of A: 5/8 of L2. A panel of A (mc × kc) returns for
/// every block of B: the share of L3. Of the product's shape, kc depends on k alone, so that every split of
/// the work adds in the same order.
COURSE_INLINE Blocks blocks(TileShape tile, int size, Index m, Index n, Index k, const Caches& caches) {
  const Index kc = even(k, caches.l1 * 5 / 8 / (tile.mr * size), 1);
  const Index nc = even(n, caches.l2 * 5 / 8 / (kc * size), tile.nr(size));
  const Index mc = even(m, caches.l3 / (kc * size), tile.mr);
  return {mc, kc, nc};
}
// [/blocks]

}  // namespace avx2
