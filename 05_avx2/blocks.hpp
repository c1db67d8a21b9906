// The plain numbers: the blocks that fit the caches, and what each instruction set needs. The kernels, what
// they cost and the tests have them from here.
#pragma once

#include <algorithm>

#include "gemm.hpp"

namespace avx2 {

using course::ceil_div;

constexpr const char *avx2_needs = "avx2,fma", *avx512_needs = "avx2,fma,avx512f,avx512dq,avx512bw,avx512vl";
#ifdef __aarch64__
constexpr const char *tuned_vector = "neon", *tuned_needs = "neon";
#else
constexpr const char *tuned_vector = "avx2", *tuned_needs = avx2_needs;
#endif

// TUNED.md builds the library once without each of these changes, and sets it against the whole.
#ifndef COURSE_WITHOUT
#define COURSE_WITHOUT nothing
#endif
enum class Change { nothing, prefetches, choice_of_copies, longer_kc };
COURSE_INLINE bool with(Change change) {
  return change != Change::COURSE_WITHOUT;
}

/// One of several parts of nearly equal size.
struct Part {
  Index from, count;
};
COURSE_INLINE Part part(Index all, Index parts, Index i) {
  return {all * i / parts, all * (i + 1) / parts - all * i / parts};
}

/// The piece, a multiple of `step`, when `all` is cut evenly into as few as there can be of `most`; rounded
/// up, so it may be a little more than `most`.
COURSE_INLINE Index even(Index all, Index most, Index step) {
  const Index some = std::max<Index>(1, all), pieces = ceil_div(some, std::max(step, most));
  return ceil_div(ceil_div(some, pieces), step) * step;
}

/// How a product is cut: rows in pieces of mc, k of kc, columns of nc.
struct BlockSizes {
  Index mc, kc, nc;
};

// [textbook]
/// Blocks that fill half a cache each: a micro-panel of B (kc × nr) of L1, a block of A (mc × kc) of L2, a
/// block of B (kc × nc) of L3. Goto and van de Geijn, 2008.
COURSE_INLINE BlockSizes textbook(TileShape tile, int size, const Caches& caches) {
  const Index nr = tile.nr(size), kc = std::max<Index>(1, caches.l1 / 2 / (nr * size));
  const Index mc = std::max<Index>(1, caches.l2 / 2 / (kc * size * tile.mr)) * tile.mr;
  const Index nc = std::max<Index>(1, caches.l3 / 2 / (kc * size * nr)) * nr;
  return {mc, kc, nc};
}
// [/textbook]

/// Of C (m × n) += A·B. A micro-panel of A (mr × kc) may be 5/8 of L1, since a long kc saves trips of C; with
/// 16 registers, whose tile computes longer for each number of C, half of that. Both were found by trial. A
/// block of B (kc × nc) returns for every micro-panel of A: 5/8 of L2. A panel of A (mc × kc)
/// returns for every block of B: the share of L3. Of the product's shape, kc depends on k alone, so that
/// every split of the work adds in the same order.
COURSE_INLINE BlockSizes blocks(TileShape tile, int size, Index m, Index n, Index k, const Caches& caches) {
  const bool longer = with(Change::longer_kc);
  const Index share = caches.l1 * 5 / (tile.needs_32_registers() ? 8 : 16);
  const Index kc = even(k, longer ? share / (tile.mr * size) : textbook(tile, size, caches).kc, 1);
  const Index nc = even(n, caches.l2 * 5 / 8 / (kc * size), tile.nr(size));
  const Index mc = even(m, caches.l3 / (kc * size), tile.mr);
  return {mc, kc, nc};
}

}  // namespace avx2
