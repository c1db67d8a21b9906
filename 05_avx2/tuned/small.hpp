// Products for which no copy pays: small ones, and thin ones, of which one side is so short that A, B or C is
// read once (SMALL_AND_THIN.md). A, B and C stay where they lie, and no thread is woken for little.
#pragma once

#include <array>

#include "../buffer.hpp"
#include "micro_kernel.hpp"

namespace avx2 {
namespace {

/// C (m × n) += A (m × k) · B (k × n): A's next row is a_row elements further, its next column a_col; B and C
/// lie by rows.
template <class T>
struct Operands {
  Index m, n, k;
  const T* a;
  Index a_row, a_col;
  const T* b;
  Index b_row;
  T* c;
  Index c_row;

  Operands block(Index i, Index j, Index rows, Index cols) const {
    return {rows, cols, k, a + i * a_row, a_row, a_col, b + j, b_row, c + i * c_row + j, c_row};
  }
  Operands steps(Index p, Index some) const {
    return {m, n, some, a + p * a_col, a_row, a_col, b + p * b_row, b_row, c, c_row};
  }
};

/// Half and half of a vector are added until its lanes fit 16 bytes.
template <class V>
auto folded(V x) {
  if constexpr (V::bytes == 16)
    return x.v;
  else {
    using Half = Vector<typename V::Element, V::bytes / 2>;
    using Lanes = typename Half::Lanes;
    return folded(Half{(Lanes)V::Some::template half<0>(x.v) + (Lanes)V::Some::template half<1>(x.v)});
  }
}
/// The first 16 bytes of a vector.
template <class V>
auto front(V x) {
  if constexpr (V::bytes == 16)
    return x.v;
  else {
    using Half = Vector<typename V::Element, V::bytes / 2>;
    return front(Half{(typename Half::Lanes)V::Some::template half<0>(x.v)});
  }
}

// [small_kernel]
/// The micro-kernel without fetches. Few sums would wait for each other: then each is made of several, which
/// take turns along k.
template <class Tile, int rows, bool masked, class T = typename Tile::T>
void small_kernel(const T* a, Index a_row, Index a_col, const T* b, Index b_row, T* c, Index c_row, Index k,
                  Index cols) {
  using V = typename Tile::V;
  constexpr int vectors = Tile::vectors, sums = rows * vectors, chains = sums > 4 ? 1 : sums > 2 ? 2 : 4;
  const auto some = V::first(cols - (vectors - 1) * V::lanes);
  const auto partly = [](int j) { return masked && j == vectors - 1; };
  const auto load = [=](const T* row, int j) {
    return partly(j) ? V::load(row + j * V::lanes, some) : V::load(row + j * V::lanes);
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

  // All of C is loaded before any of it is stored: a masked store is taken for one of a whole vector, and the
  // next row's load would wait for it. Rows of 16 bytes or less are added to number by number.
  if constexpr (masked && vectors == 1) {
    constexpr int few = 16 / sizeof(T);
    if (cols <= few) {
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i, c += c_row) {
        const auto lanes = front(sum[0][i][0]);
#pragma GCC unroll 32
        for (int j = 0; j < few; ++j)
          if (j < cols) c[j] += lanes[j];
      }
      return;
    }
  }
#pragma GCC unroll 32
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 32
    for (int j = 0; j < vectors; ++j) sum[0][i][j].add(load(c + i * c_row, j));
#pragma GCC unroll 32
  for (int i = 0; i < rows; ++i, c += c_row)
#pragma GCC unroll 32
    for (int j = 0; j < vectors; ++j)
      partly(j) ? sum[0][i][j].store(c + j * V::lanes, some) : sum[0][i][j].store(c + j * V::lanes);
}
// [/small_kernel]

/// The kernels for 1 … mr rows, whole and masked.
template <class Tile, int... row>
constexpr auto small_kernels(std::integer_sequence<int, row...>) {
  using Kernel = decltype(&small_kernel<Tile, 1, false>);
  return std::array{std::array<Kernel, Tile::mr>{small_kernel<Tile, row + 1, false>...},
                    std::array<Kernel, Tile::mr>{small_kernel<Tile, row + 1, true>...}};
}
template <class Tile>
constexpr auto kernels_of = small_kernels<Tile>(std::make_integer_sequence<int, Tile::mr>{});

/// A tile, by the kernel of its height and width.
template <class Tile>
COURSE_INLINE void one_tile(const Operands<typename Tile::T>& x) {
  if constexpr (Tile::vectors > 1)
    if (x.n <= Tile::nr - Tile::V::lanes) return one_tile<typename Tile::Narrower>(x);
  const auto kernel = kernels_of<Tile>[x.n < Tile::nr][static_cast<std::size_t>(x.m - 1)];
  kernel(x.a, x.a_row, x.a_col, x.b, x.b_row, x.c, x.c_row, x.k, x.n);
}

/// All cut into the fewest pieces of at most `most`, as even as can be: the first ones have one more.
struct Pieces {
  Index count, each, longer;
  Pieces(Index all, Index most) : count(ceil_div(all, most)), each(all), longer(0) {
    if (count > 1) each = all / count, longer = all % count;
  }
  Index begin(Index i) const { return i * each + std::min(i, longer); }
};

// [in_tiles]
/// C in tiles as even as can be, of which this thread has some: row by row of them if B fits L1, so that C
/// comes by in order; else column by column, so that a part of B stays there.
template <class Tile>
void in_tiles(const Operands<typename Tile::T>& x, const Pieces& down, Part rows, const Pieces& across,
              Part cols, bool by_rows) {
  const Index outer = by_rows ? rows.count : cols.count, inner = by_rows ? cols.count : rows.count;
  for (Index o = 0; o < outer; ++o)
    for (Index q = 0; q < inner; ++q) {
      const Index i = rows.from + (by_rows ? o : q), j = cols.from + (by_rows ? q : o);
      const Index ir = down.begin(i), jr = across.begin(j) * Tile::V::lanes;
      one_tile<Tile>(
          x.block(ir, jr, down.begin(i + 1) - ir, std::min(across.begin(j + 1) * Tile::V::lanes, x.n) - jr));
    }
}
// [/in_tiles]

// [along_k]
/// C (rows × cols) += dot products of rows of A and rows of Bᵀ.
template <class V, int rows, int cols, class T = typename V::Element>
void dots(const T* a, Index a_row, const T* bt, Index bt_row, T* c, Index c_row, Index k) {
  V sum[rows][cols] = {};
  const auto add = [&](Index p, auto... some) __attribute__((always_inline)) {
    V a_p[rows];
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) a_p[i] = V::load(a + i * a_row + p, some...);
#pragma GCC unroll 32
    for (int j = 0; j < cols; ++j) {
      const V b_p = V::load(bt + j * bt_row + p, some...);
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i) sum[i][j].multiply_add(a_p[i], b_p);
    }
  };
  Index p = 0;
  for (; p + V::lanes <= k; p += V::lanes) add(p);
  if (p < k) add(p, V::first(k - p));
#pragma GCC unroll 32
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 32
    for (int j = 0; j < cols; ++j) {
      const auto lanes = folded(sum[i][j]);
      T total = lanes[0];
      for (int lane = 1; lane < 16 / int{sizeof(T)}; ++lane) total += lanes[lane];
      c[i * c_row + j] += total;
    }
}

/// C += A · (Bᵀ)ᵀ in pieces of 4 × 4, or 4 × 2 with fewer registers.
template <class Tile>
void along_k(const Operands<typename Tile::T>& x, const typename Tile::T* bt, Index bt_row) {
  using V = typename Tile::V;
  constexpr Index most = V::bytes == 64 ? 4 : 2;
  const auto with = [&](auto rows, Index i) {
    for (Index j = 0; j < x.n;) {
      const auto piece = [&](auto cols) {
        dots<V, rows.value, cols.value>(x.a + i * x.a_row, x.a_row, bt + j * bt_row, bt_row,
                                        x.c + i * x.c_row + j, x.c_row, x.k);
        j += cols.value;
      };
      if (most == 4 && j + 4 <= x.n)
        piece(std::integral_constant<int, most>{});
      else if (j + 2 <= x.n)
        piece(std::integral_constant<int, 2>{});
      else
        piece(std::integral_constant<int, 1>{});
    }
    return i + rows.value;
  };
  Index i = 0;
  while (i + 4 <= x.m) i = with(std::integral_constant<int, 4>{}, i);
  while (i < x.m) i = with(std::integral_constant<int, 1>{}, i);
}
// [/along_k]

/// Bᵀ, sixteen rows of B at a time, which stay in L1 while they are read column by column.
template <class T>
const T* transposed(const Operands<T>& x, T* to) {
  for (Index some = 0; some < x.k; some += 16)
    for (Index j = 0; j < x.n; ++j)
      for (Index p = some; p < std::min(some + 16, x.k); ++p) to[j * x.k + p] = x.b[p * x.b_row + j];
  return to;
}

/// Each of the threads has its part of so many pieces.
void in_parts(Index threads, Index all, const auto& work) {
  if (threads == 1) return work(Part{0, all});
#pragma omp parallel for num_threads(static_cast <int>(threads)) schedule(static, 1)
  for (Index t = 0; t < threads; ++t) work(part(all, threads, t));
}

/// C in tiles, in threads.
template <class Tile>
void in_tiles(const Operands<typename Tile::T>& x, Index threads, bool row_by_row) {
  const Pieces down(x.m, Tile::mr), across(ceil_div(x.n, Tile::V::lanes), Tile::vectors);
  const Part all_down{0, down.count}, all_across{0, across.count};
  const bool share_rows = down.count >= across.count;
  in_parts(threads, share_rows ? down.count : across.count, [&](Part some) {
    in_tiles<Tile>(x, down, share_rows ? some : all_down, across, share_rows ? all_across : some, row_by_row);
  });
}

/// C += A·B as dot products, in threads; false if there is no memory for Bᵀ.
template <class Tile>
bool in_dots(const Operands<typename Tile::T>& x, Index threads) {
  static thread_local Buffer buffer;
  const auto* bt = x.b;
  if (x.n > 1 || x.b_row > 1) {
    auto* const copy = buffer.of<typename Tile::T>(x.n * x.k);
    if (!copy) return false;
    bt = transposed(x, copy);
  }
  in_parts(threads, ceil_div(x.m, 4), [&](Part fours) {
    const Index i = 4 * fours.from;
    along_k<Tile>(x.block(i, 0, std::min(4 * fours.count, x.m - i), x.n), bt, x.k);
  });
  return true;
}

/// For four rows or fewer a tile is flat: more of a row of B lies side by side. With 16 registers, for two.
constexpr TileShape flat(TileShape tile) {
  const bool many = tile.mr * tile.vectors > 16;
  return many ? TileShape{4, 6, tile.bytes} : TileShape{2, 4, tile.bytes};
}
template <class Tile>
using Flat = avx2::Tile<typename Tile::T, flat(Tile::shape)>;

// [choice]
/// Do vectors along k need fewer multiply-adds than vectors along n? To add up a vector's lanes costs about
/// as much as six, to transpose a number of B as two.
template <class Tile>
COURSE_INLINE bool dots_pay(Index m, Index n, Index k) {
  constexpr Index lanes = Tile::V::lanes;
  return n < lanes && m * n * (ceil_div(k, lanes) + 6) + (n > 1 ? 2 * k * n : 0) < m * k;
}

/// Does no copy pay? B is small enough to stay in L2, or is read once, or all three fit.
template <class Tile>
COURSE_INLINE bool copies_gain_nothing(Index m, Index n, Index k, const Caches& caches) {
  const Index l2 = caches.l2 / Tile::size;
  return k * n <= l2 / 2 || m * n + k * (m + n) <= l2 || n <= Tile::nr || m <= Flat<Tile>::mr;
}
// [/choice]

/// More than a tile. The way depends on the shape alone: the result is the same for any number of threads.
template <class Tile>
[[gnu::noinline]] void small_or_thin(const Operands<typename Tile::T>& x, const Caches& caches,
                                     Index threads) {
  const Index elements = x.m * x.n + x.k * (x.m + x.n);
  if (x.m * x.n * x.k + 8 * elements < 1 << 19) threads = 1;  // a team would cost more than it gains
  if (x.a_col == 1 && dots_pay<Tile>(x.m, x.n, x.k) && in_dots<Tile>(x, threads)) return;
  const bool row_by_row = x.k * x.n * Tile::size <= caches.l2 / 2;
  x.m <= Flat<Tile>::mr ? in_tiles<Flat<Tile>>(x, threads, row_by_row)
                        : in_tiles<Tile>(x, threads, row_by_row);
}

}  // namespace

template <TileShape tile, class T>
bool small(const T* a, Index a_row, Index a_col, const T* b, Index b_row, T* c, Index c_row, Index m, Index n,
           Index k, T beta, const Caches& caches, int threads) {
  using Chosen = Tile<T, tile>;
  if (!copies_gain_nothing<Chosen>(m, n, k, caches)) return false;
  if (m == 0 || n == 0) return true;
  if (beta != T{1})
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) c[i * c_row + j] = beta == T{0} ? T{0} : beta * c[i * c_row + j];
  const Operands<T> x{m, n, k, a, a_row, a_col, b, b_row, c, c_row};
  const bool in_tile = a_col != 1 || !dots_pay<Chosen>(m, n, k);
  if (in_tile && m <= Flat<Chosen>::mr && n <= Flat<Chosen>::nr)
    one_tile<Flat<Chosen>>(x);
  else if (in_tile && m <= Chosen::mr && n <= Chosen::nr)
    one_tile<Chosen>(x);
  else
    small_or_thin<Chosen>(x, caches, threads);
  return true;
}

}  // namespace avx2
