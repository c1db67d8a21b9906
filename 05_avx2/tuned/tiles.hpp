// Small products in tiles: C in tiles as even as can be, each by a kernel that reads A and B where they lie.
#pragma once

#include "micro_kernel.hpp"

namespace avx2 {
namespace {

/// For few rows a tile is flat: more of a row of B is read side by side.
template <class Tile>
constexpr int thin_rows = Tile::shape.needs_32_registers() ? 4 : 2;
constexpr int thin_vectors(int rows, bool many) {
  return rows == 1 ? 12 : rows == 2 && many ? 8 : 6;
}
template <class Tile, int rows>
using Thin =
    avx2::Tile<typename Tile::T,
               TileShape{rows, thin_vectors(rows, Tile::shape.needs_32_registers()), Tile::shape.bytes}>;

/// The micro-kernel without fetches. Few sums would wait for each other: then each is made of several, which
/// take turns along k. If the last vector would reach beyond C (`fewer`), it starts further left: columns
/// that it shares with its neighbour are computed twice, with the same bits. A vector alone is masked.
template <class V, int rows, int vectors, bool fewer, class T = typename V::Element>
void small_kernel(const T* a, Index a_row, Index a_col, const T* b, Index b_row, T* c, Index c_row, Index k,
                  Index cols) {
  constexpr int sums = rows * vectors, chains = sums > 4 ? 1 : sums > 2 ? 2 : 4;
  constexpr bool masked = fewer && vectors == 1;
  const auto some = V::first(masked ? cols : 0);
  const Index last = fewer && !masked ? cols - V::lanes : (vectors - 1) * V::lanes;
  const auto column = [=](int j) { return j < vectors - 1 ? j * V::lanes : last; };
  const auto load = [=](const T* row, int j) {
    return masked ? V::load(row, some) : V::load(row + column(j));
  };

  V sum[chains][rows][vectors] = {};
  const T* a_p[(rows + 2) / 3];  // in every third row: the others are one and two rows further
#pragma GCC unroll 32
  for (int i = 0; i < rows; i += 3) a_p[i / 3] = a + i * a_row;
  const auto step = [&](int chain) __attribute__((always_inline)) {
    V b_p[vectors];
#pragma GCC unroll 32
    for (int j = 0; j < vectors; ++j) b_p[j] = load(b, j);
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) {
      const auto a_ip = V::broadcast(a_p[i / 3] + i % 3 * a_row);
#pragma GCC unroll 32
      for (int j = 0; j < vectors; ++j) sum[chain][i][j].multiply_add(a_ip, b_p[j]);
    }
#pragma GCC unroll 32
    for (int i = 0; i < rows; i += 3) a_p[i / 3] += a_col;
    b += b_row;
  };
  if constexpr (chains > 1)
    for (; k >= chains; k -= chains)
#pragma GCC unroll 32
      for (int chain = 0; chain < chains; ++chain) step(chain);
  for (; k > 0; --k) step(0);
#pragma GCC unroll 32
  for (int chain = 1; chain < chains; ++chain)
#pragma GCC unroll 32
    for (int i = 0; i < sums; ++i) sum[0][i / vectors][i % vectors].add(sum[chain][i / vectors][i % vectors]);

      // All of the tile is loaded before any of it is stored: no column is added to twice; and a masked store
      // is taken for one of a whole vector, for which the next row's load would wait.
#pragma GCC unroll 32
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 32
    for (int j = 0; j < vectors; ++j) sum[0][i][j].add(load(c + i * c_row, j));
#pragma GCC unroll 32
  for (int i = 0; i < rows; ++i, c += c_row)
#pragma GCC unroll 32
    for (int j = 0; j < vectors; ++j)
      masked ? sum[0][i][j].store(c, some) : sum[0][i][j].store(c + column(j));
}

/// The kernels of 1 … mr rows and 1 … `vectors` vectors, whole and with fewer columns.
template <class Tile>
constexpr auto small_kernels = table<Tile::vectors>([](auto vector) {
  return table<2>([](auto fewer) {
    return table<Tile::mr>([](auto row) {
      return small_kernel<typename Tile::V, row + 1, decltype(vector)::value + 1,
                          decltype(fewer)::value != 0>;
    });
  });
});

/// Computes a tile by the kernel of its height and width. Uses half-width vectors if n fits: they straddle
/// cache lines less often.
template <class Tile, class T>
COURSE_INLINE void one_tile(const Product<T>& x) {
  if constexpr (Tile::V::bytes > 16)
    if (x.n <= Tile::V::lanes / 2)
      return one_tile<avx2::Tile<T, TileShape{Tile::mr, 1, Tile::V::bytes / 2}>>(x);
  const auto n = static_cast<std::size_t>(x.n), lanes = std::size_t{Tile::V::lanes};
  small_kernels<Tile>[(n - 1) / lanes][n % lanes > 0][static_cast<std::size_t>(x.m - 1)](
      x.a, x.a_row, x.a_col, x.b, x.b_row, x.c, x.c_row, x.k, x.n);
}

/// The fewest pieces of at most `most`, of nearly equal size: the first ones have one more.
struct Pieces {
  Index count, each, longer;
  Pieces(Index all, Index most) : count(ceil_div(all, most)), each(all), longer(0) {
    if (count > 1) each = all / count, longer = all % count;
  }
  /// As many for each thread, if none is then less than `least`.
  Pieces for_threads(Index threads, Index least) const {
    const Index all = count * each + longer, pieces = ceil_div(count, threads) * threads;
    return all / pieces < least ? *this : Pieces(all, ceil_div(all, pieces));
  }
  Index begin(Index i) const { return i * each + std::min(i, longer); }
};

/// Tiles of C, those of this thread: by rows if B fits half of L2, so that C comes by in order; else by
/// columns, so that a part of B stays in the caches.
template <class Tile, class T>
void some_tiles(const Product<T>& x, const Pieces& down, Part rows, const Pieces& across, Part cols,
                bool by_rows) {
  const Index outer = by_rows ? rows.count : cols.count, inner = by_rows ? cols.count : rows.count;
  for (Index o = 0; o < outer; ++o)
    for (Index q = 0; q < inner; ++q) {
      const Index i = rows.from + (by_rows ? o : q), j = cols.from + (by_rows ? q : o);
      const Index ir = down.begin(i), jr = across.begin(j) * Tile::V::lanes;
      one_tile<Tile>(
          x.block(ir, jr, down.begin(i + 1) - ir, std::min(across.begin(j + 1) * Tile::V::lanes, x.n) - jr));
    }
}

/// Runs threads, each of which has its part of so many pieces.
void in_parts(Index threads, Index all, const auto& work) {
  threads = std::min(threads, all);
  if (threads == 1) return work(Part{0, all});
#pragma omp parallel for num_threads(static_cast <int>(threads)) schedule(static, 1)
  for (Index t = 0; t < threads; ++t) work(part(all, threads, t));
}

/// Computes C in tiles, in threads.
template <class Tile, class T>
void in_tiles(const Product<T>& x, Index threads, bool by_rows) {
  constexpr Index least_sums = 5;  // of a tile: with fewer the kernel would add in another order
  Pieces down(x.m, Tile::mr), across(ceil_div(x.n, Tile::V::lanes), Tile::vectors);
  const bool share_rows = down.count >= across.count;
  if (threads > 1 && share_rows)
    down = down.for_threads(threads, ceil_div(least_sums, across.each));
  else if (threads > 1)
    across = across.for_threads(threads, ceil_div(least_sums, down.each));
  const Part all_down{0, down.count}, all_across{0, across.count};
  in_parts(threads, share_rows ? down.count : across.count, [&](Part some) {
    some_tiles<Tile>(x, down, share_rows ? some : all_down, across, share_rows ? all_across : some, by_rows);
  });
}

}  // namespace
}  // namespace avx2
