// Products for which no copy pays: small ones, and thin ones, of which one side is so short that A, B or C is
// read once (SMALL_AND_THIN.md). All stay where they lie, but for columns of B that dot products read; and no
// thread is woken for little.
#pragma once

#include "dots.hpp"
#include "rows.hpp"

namespace avx2 {
namespace {

/// How a product of more than one tile is computed; a C of one tile has gone to its kernel before.
enum class Variant { five_loops, rows, tiles_and_dots, tiles_of_one_row, tiles_of_two, tiles_of_few, tiles };

/// Does no copy pay? B is small enough to stay in L2, or is read once, or all three fit.
template <class Tile, class T>
COURSE_INLINE bool copies_gain_nothing(const Product<T>& x, const Caches& caches) {
  const Index m = x.m, n = x.n, k = x.k, l2 = caches.l2 / Tile::size;
  return k * n <= l2 / 2 || m * n + k * (m + n) <= l2 || n <= Tile::nr || m <= thin_rows<Tile> ||
         k <= most_steps;
}

/// The first line that holds says which variant. It does not depend on the number of threads: nor do the bits
/// of the result.
template <class Tile, class T>
COURSE_INLINE Variant variant_for(const Product<T>& x, const Caches& caches) {
  return !copies_gain_nothing<Tile>(x, caches) ? Variant::five_loops        // five_loops.hpp
         : rows_pay<Tile>(x.n, x.k)            ? Variant::rows              // rows.hpp: k is short
         : dots_pay<Tile>(x)                   ? Variant::tiles_and_dots    // dots.hpp: n fills no vector
         : x.m == 1                            ? Variant::tiles_of_one_row  // tiles.hpp: flat tiles
         : x.m == 2                            ? Variant::tiles_of_two
         : x.m <= thin_rows<Tile>              ? Variant::tiles_of_few
                                               : Variant::tiles;  // of full height
}

template <class T>
COURSE_INLINE void multiply_C(const Product<T>& x, T beta) {
  if (beta != T{1})
    for (Index i = 0; i < x.m; ++i)
      for (Index j = 0; j < x.n; ++j)
        x.c[i * x.c_row + j] = beta == T{0} ? T{0} : beta * x.c[i * x.c_row + j];
}

/// Computes all of C, if it is a tile of this height and width.
template <class Tile, class T>
COURSE_INLINE bool is_one_tile(const Product<T>& x, T beta) {
  if (x.m > Tile::mr || x.n > Tile::nr) return false;
  multiply_C(x, beta);
  one_tile<Tile>(x);
  return true;
}

/// Computes more than a tile, by this variant.
template <class Tile, class T>
[[gnu::noinline]] void multiply_by(Variant variant, const Product<T>& x, const Caches& caches,
                                   Index threads) {
  // Multiply-adds, a vector of them at a time: a team would cost more than it gains.
  constexpr Index too_little = Tile::V::lanes << 15;
  const Index elements = x.m * x.n + x.k * (x.m + x.n);
  if (x.m * x.n * x.k + 8 * elements < too_little) threads = 1;
  const bool by_rows = x.k * x.n * Tile::size <= caches.l2 / 2;
  switch (variant) {
    case Variant::rows:
      return in_rows<Tile>(x, threads, caches.l1);
    case Variant::tiles_of_one_row:
      return in_tiles<Thin<Tile, 1>>(x, threads, by_rows);
    case Variant::tiles_of_two:
      return in_tiles<Thin<Tile, 2>>(x, threads, by_rows);
    case Variant::tiles_of_few:
      return in_tiles<Thin<Tile, thin_rows<Tile>>>(x, threads, by_rows);
    case Variant::tiles_and_dots:
      if (in_tiles_and_dots<Tile>(x, threads, by_rows)) return;
      [[fallthrough]];  // without memory for a copy
    default:
      return in_tiles<Tile>(x, threads, by_rows);
  }
}

}  // namespace

template <TileShape tile, class T>
bool tiny(const Product<T>& x, T beta) {
  using Whole = Tile<T, tile>;
  if (x.a_col == 1 && dots_pay<Whole>(x.m, x.n, x.k)) return false;
  return is_one_tile<Thin<Whole, 1>>(x, beta) || is_one_tile<Thin<Whole, 2>>(x, beta) ||
         is_one_tile<Thin<Whole, thin_rows<Whole>>>(x, beta) || is_one_tile<Whole>(x, beta);
}
template <TileShape tile, class T>
bool small(const Product<T>& x, T beta, const Caches& caches, int threads) {
  const Variant variant = variant_for<Tile<T, tile>>(x, caches);
  if (variant == Variant::five_loops) return false;
  multiply_C(x, beta);
  multiply_by<Tile<T, tile>>(variant, x, caches, threads);
  return true;
}

}  // namespace avx2
