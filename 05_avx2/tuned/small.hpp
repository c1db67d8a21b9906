// Products for which no copy pays: small ones, and thin ones, of which one side is so short that A, B or C is
// read once (SMALL_AND_THIN.md). All stay where they lie, but for columns of B that dot products read; and no
// thread is woken for little.
#pragma once

#include <bit>

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
};

/// For few rows a tile is flat: more of a row of B is read side by side. With 16 registers, for two or one.
template <class Tile>
constexpr bool many_registers = (Tile::mr * Tile::vectors > 16);
template <class Tile>
constexpr int thin_rows = many_registers<Tile> ? 4 : 2;
constexpr int thin_vectors(int rows, bool many) {
  return !many ? 8 / rows : rows == 1 ? 12 : rows == 2 ? 8 : 6;
}
template <class Tile, int rows>
using Thin = avx2::Tile<typename Tile::T,
                        TileShape{rows, thin_vectors(rows, many_registers<Tile>), Tile::shape.bytes}>;

/// Half and half of a vector are added until its lanes fit 16 bytes.
template <class V>
auto folded(V x) {
  if constexpr (V::bytes == 16)
    return x.v;
  else {
    using Half = Vector<typename V::Element, V::bytes / 2>;
    const auto halves = std::bit_cast<std::array<typename Half::Lanes, 2>>(x.v);
    return folded(Half{halves[0] + halves[1]});
  }
}

// [small_kernel]
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
// [/small_kernel]

/// The kernels of 1 … mr rows and 1 … `vectors` vectors, whole and with fewer columns.
template <class Tile>
constexpr auto kernels_of = table<Tile::vectors>([](auto vector) {
  return table<2>([](auto fewer) {
    return table<Tile::mr>([](auto row) {
      return small_kernel<typename Tile::V, row + 1, decltype(vector)::value + 1,
                          decltype(fewer)::value != 0>;
    });
  });
});

/// A tile, by the kernel of its height and width. Uses half-width vectors if n fits: they straddle cache
/// lines less often.
template <class Tile>
COURSE_INLINE void one_tile(const Operands<typename Tile::T>& x) {
  if constexpr (Tile::V::bytes > 16)
    if (x.n <= Tile::V::lanes / 2)
      return one_tile<avx2::Tile<typename Tile::T, TileShape{Tile::mr, 1, Tile::V::bytes / 2}>>(x);
  const auto n = static_cast<std::size_t>(x.n), lanes = std::size_t{Tile::V::lanes};
  kernels_of<Tile>[(n - 1) / lanes][n % lanes > 0][static_cast<std::size_t>(x.m - 1)](
      x.a, x.a_row, x.a_col, x.b, x.b_row, x.c, x.c_row, x.k, x.n);
}
template <class T>
COURSE_INLINE void multiply_C(const Operands<T>& x, T beta) {
  if (beta != T{1})
    for (Index i = 0; i < x.m; ++i)
      for (Index j = 0; j < x.n; ++j)
        x.c[i * x.c_row + j] = beta == T{0} ? T{0} : beta * x.c[i * x.c_row + j];
}
/// All of C, if it is a tile of this height and width.
template <class Tile>
COURSE_INLINE bool is_one_tile(const Operands<typename Tile::T>& x, typename Tile::T beta) {
  if (x.m > Tile::mr || x.n > Tile::nr) return false;
  multiply_C(x, beta);
  one_tile<Tile>(x);
  return true;
}

/// All cut into the fewest pieces of at most `most`, as even as can be: the first ones have one more.
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

// [in_tiles]
/// C in tiles as even as can be, of which this thread has some: by rows if B fits half of L2, so that C
/// comes by in order; else by columns, so that a part of B stays in the caches.
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

/// C += A · (Bᵀ)ᵀ in pieces of 4 × `most`, the last ones smaller.
template <class Tile>
void along_k(const Operands<typename Tile::T>& x, const typename Tile::T* bt, Index bt_row) {
  constexpr int most = Tile::V::bytes == 64 ? 4 : 2;
  static constexpr auto kernels = table<4>([](auto row) {
    return table<most>([](auto col) { return dots<typename Tile::V, decltype(row)::value + 1, col + 1>; });
  });
  for (Index i = 0; i < x.m; i += 4)
    for (Index j = 0; j < x.n; j += most) {
      const auto rows = static_cast<std::size_t>(std::min<Index>(4, x.m - i));
      const auto cols = static_cast<std::size_t>(std::min<Index>(most, x.n - j));
      kernels[rows - 1][cols - 1](x.a + i * x.a_row, x.a_row, bt + j * bt_row, bt_row, x.c + i * x.c_row + j,
                                  x.c_row, x.k);
    }
}
// [/along_k]

// [along_n]
/// C (m × n) += A (m × steps) · B (steps × n), `rows` rows at a time, n at least a vector: A's numbers stay
/// in registers, B and C come by in order. Their last vector ends where the rows do; of C it is read before
/// its neighbour is written. Returns how many rows are done.
template <class V, int rows, int steps, class T = typename V::Element>
Index row_by_row(Index i, Index m, const T* a, Index a_row, Index a_col, const T* b, Index b_row, T* c,
                 Index c_row, Index n) {
  for (; i + rows <= m; i += rows) {
    decltype(V::broadcast(a)) a_i[rows][steps];
#pragma GCC unroll 32
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 32
      for (int p = 0; p < steps; ++p) a_i[r][p] = V::broadcast(a + (i + r) * a_row + p * a_col);
    T* const c_i = c + i * c_row;
    struct Sums {
      V row[rows];
    };
    const auto at = [=](Index j) __attribute__((always_inline)) {
      Sums sum;
#pragma GCC unroll 32
      for (int r = 0; r < rows; ++r) sum.row[r] = V::load(c_i + r * c_row + j);
#pragma GCC unroll 32
      for (int p = 0; p < steps; ++p) {
        V b_p = V::load(b + p * b_row + j);
        keep(b_p.v);
#pragma GCC unroll 32
        for (int r = 0; r < rows; ++r) sum.row[r].multiply_add(a_i[r][p], b_p);
      }
      return sum;
    };
    const auto write = [=](Index j, const Sums& sum) __attribute__((always_inline)) {
#pragma GCC unroll 32
      for (int r = 0; r < rows; ++r) sum.row[r].store(c_i + r * c_row + j);
    };
    const Index last = n - V::lanes;
    const Sums at_last = at(last);
    for (Index j = 0; j < last; j += V::lanes) write(j, at(j));
    write(last, at_last);
  }
  return i;
}

template <class Tile>
constexpr int most_steps = many_registers<Tile> ? 8 : 4;
/// For 1 … most_steps: the kernel of as many rows as there are registers for, and that of one.
template <class Tile>
constexpr auto row_kernels = table<most_steps<Tile>>([](auto step) {
  constexpr int steps = decltype(step)::value + 1, registers = many_registers<Tile> ? 24 : 8;
  return std::array{row_by_row<typename Tile::V, std::clamp(registers / steps, 1, 4), steps>,
                    row_by_row<typename Tile::V, 1, steps>};
});
/// Of B, as many columns at a time as stay in L1.
template <class Tile>
void along_n(const Operands<typename Tile::T>& x, Index l1) {
  const Pieces across(x.n / Tile::V::lanes, std::max<Index>(1, l1 / 2 / (x.k * Tile::V::bytes)));
  for (Index q = 0; q < across.count; ++q) {
    const Index j = across.begin(q) * Tile::V::lanes;
    const Index end = q + 1 < across.count ? across.begin(q + 1) * Tile::V::lanes : x.n;
    Index i = 0;
    for (const auto kernel : row_kernels<Tile>[static_cast<std::size_t>(x.k - 1)])
      i = kernel(i, x.m, x.a, x.a_row, x.a_col, x.b + j, x.b_row, x.c + j, x.c_row, end - j);
  }
}
// [/along_n]

/// Bᵀ, sixteen rows of B at a time, which stay in L1 while they are read column by column.
template <class T>
const T* transposed(const Operands<T>& x, T* to, Index row) {
  for (Index some = 0; some < x.k; some += 16)
    for (Index j = 0; j < x.n; ++j)
      for (Index p = some; p < std::min(some + 16, x.k); ++p) to[j * row + p] = x.b[p * x.b_row + j];
  return to;
}

/// Each of the threads has its part of so many pieces.
void in_parts(Index threads, Index all, const auto& work) {
  threads = std::min(threads, all);
  if (threads == 1) return work(Part{0, all});
#pragma omp parallel for num_threads(static_cast <int>(threads)) schedule(static, 1)
  for (Index t = 0; t < threads; ++t) work(part(all, threads, t));
}

/// C in tiles, in threads.
template <class Tile>
void in_tiles(const Operands<typename Tile::T>& x, Index threads, bool by_rows) {
  Pieces down(x.m, Tile::mr), across(ceil_div(x.n, Tile::V::lanes), Tile::vectors);
  const bool share_rows = down.count >= across.count;
  // At least five sums a tile: with fewer the kernel would add in another order than for one thread.
  if (threads > 1 && share_rows)
    down = down.for_threads(threads, ceil_div(5, across.each));
  else if (threads > 1)
    across = across.for_threads(threads, ceil_div(5, down.each));
  const Part all_down{0, down.count}, all_across{0, across.count};
  in_parts(threads, share_rows ? down.count : across.count, [&](Part some) {
    in_tiles<Tile>(x, down, share_rows ? some : all_down, across, share_rows ? all_across : some, by_rows);
  });
}

/// Do vectors along k need fewer multiply-adds than vectors along n? To add up a vector's lanes costs about
/// as much as six, to transpose a number of B as two.
template <class Tile>
COURSE_INLINE bool dots_pay(Index m, Index n, Index k) {
  constexpr Index lanes = Tile::V::lanes;
  return n < lanes && m * n * (ceil_div(k, lanes) + 6) + (n > 1 ? 2 * k * n : 0) < m * k;
}

/// Are the columns beyond whole vectors, or all of a narrow C, to be computed as dot products?
template <class Tile>
COURSE_INLINE bool dots_pay(const Operands<typename Tile::T>& x) {
  const Index beyond = x.n % Tile::V::lanes;
  const bool narrow = beyond == x.n, high = ceil_div(x.m, Tile::mr) >= ceil_div(x.n, Tile::nr);
  return x.a_col == 1 && beyond > 0 && (narrow || (x.m > Tile::mr && high)) &&
         dots_pay<Tile>(x.m, narrow ? beyond : 2 * beyond, x.k);  // beside tiles A is read twice
}

/// These as dot products, the others in tiles, and each thread has some rows; false, and nothing done, if
/// there is no memory for Bᵀ.
template <class Tile>
[[gnu::noinline]] bool in_tiles_and_dots(const Operands<typename Tile::T>& x, Index threads, bool by_rows) {
  const Index beyond = x.n % Tile::V::lanes, whole = x.n - beyond;
  const Pieces down(x.m, whole > 0 ? Tile::mr : 4), across(whole / Tile::V::lanes, Tile::vectors);
  const auto* bt = x.b;
  Index bt_row = 0;
  if (x.n > 1 || x.b_row > 1) {
    bt_row = (ceil_div(x.k, Tile::line) | 1) * Tile::line;  // odd, in lines: rows meet in no cache set
    static thread_local Buffer buffer;
    auto* const copy = buffer.of<typename Tile::T>(beyond * bt_row);
    if (!copy) return false;
    bt = transposed(x.block(0, whole, x.m, beyond), copy, bt_row);
  }
  in_parts(threads, down.count, [&](Part some) {
    const Index i = down.begin(some.from), rows = down.begin(some.from + some.count) - i;
    if (whole > 0) in_tiles<Tile>(x.block(0, 0, x.m, whole), down, some, across, {0, across.count}, by_rows);
    along_k<Tile>(x.block(i, whole, rows, beyond), bt, bt_row);
  });
  return true;
}

/// C row by row, in threads: each has rows or, where these are few, columns, a vector of them at least.
template <class Tile>
[[gnu::noinline]] void in_rows(const Operands<typename Tile::T>& x, Index threads, Index l1) {
  const Index vectors = x.n / Tile::V::lanes;
  const bool share_rows = x.m >= vectors;
  in_parts(threads, share_rows ? x.m : vectors, [&](Part some) {
    const Index j = share_rows ? 0 : some.from * Tile::V::lanes;
    const Index cols =
        share_rows || some.from + some.count == vectors ? x.n - j : some.count * Tile::V::lanes;
    if (some.count > 0)
      along_n<Tile>(share_rows ? x.block(some.from, 0, some.count, x.n) : x.block(0, j, x.m, cols), l1);
  });
}

// [choice]
/// Are C's rows to be walked from end to end? With few steps along k a tile of C is
/// loaded and stored for few sums.
template <class Tile>
COURSE_INLINE bool rows_pay(Index n, Index k) {
  return n > 4 * Tile::V::lanes && k <= most_steps<Tile>;
}

/// Does no copy pay? B is small enough to stay in L2, or is read once, or all three fit.
template <class Tile>
COURSE_INLINE bool copies_gain_nothing(Index m, Index n, Index k, const Caches& caches) {
  const Index l2 = caches.l2 / Tile::size;
  return k * n <= l2 / 2 || m * n + k * (m + n) <= l2 || n <= Tile::nr || m <= thin_rows<Tile> ||
         k <= most_steps<Tile>;
}
// [/choice]

/// More than a tile. The way does not depend on the number of threads: nor do the bits of the result.
template <class Tile>
[[gnu::noinline]] void small_or_thin(const Operands<typename Tile::T>& x, const Caches& caches,
                                     Index threads) {
  const Index elements = x.m * x.n + x.k * (x.m + x.n);
  if (x.m * x.n * x.k + 8 * elements < 1 << 19) threads = 1;  // a team would cost more than it gains
  if (rows_pay<Tile>(x.n, x.k)) return in_rows<Tile>(x, threads, caches.l1);
  const bool by_rows = x.k * x.n * Tile::size <= caches.l2 / 2;
  if (dots_pay<Tile>(x) && in_tiles_and_dots<Tile>(x, threads, by_rows)) return;
  x.m == 1                 ? in_tiles<Thin<Tile, 1>>(x, threads, by_rows)
  : x.m == 2               ? in_tiles<Thin<Tile, 2>>(x, threads, by_rows)
  : x.m <= thin_rows<Tile> ? in_tiles<Thin<Tile, thin_rows<Tile>>>(x, threads, by_rows)
                           : in_tiles<Tile>(x, threads, by_rows);
}

/// All of C, if it is one tile.
template <class Tile>
COURSE_INLINE bool tiny(const Operands<typename Tile::T>& x, typename Tile::T beta) {
  if (x.a_col == 1 && dots_pay<Tile>(x.m, x.n, x.k)) return false;
  return is_one_tile<Thin<Tile, 1>>(x, beta) || is_one_tile<Thin<Tile, 2>>(x, beta) ||
         is_one_tile<Thin<Tile, thin_rows<Tile>>>(x, beta) || is_one_tile<Tile>(x, beta);
}
/// All of C, if copies of A and B would gain nothing.
template <class Tile>
COURSE_INLINE bool small(const Operands<typename Tile::T>& x, typename Tile::T beta, const Caches& caches,
                         int threads) {
  if (!copies_gain_nothing<Tile>(x.m, x.n, x.k, caches)) return false;
  multiply_C(x, beta);
  small_or_thin<Tile>(x, caches, threads);
  return true;
}

}  // namespace

template <TileShape tile, class T>
bool tiny(const T* a, Index a_row, Index a_col, const T* b, Index b_row, T* c, Index c_row, Index m, Index n,
          Index k, T beta) {
  return tiny<Tile<T, tile>>({m, n, k, a, a_row, a_col, b, b_row, c, c_row}, beta);
}
template <TileShape tile, class T>
bool small(const T* a, Index a_row, Index a_col, const T* b, Index b_row, T* c, Index c_row, Index m, Index n,
           Index k, T beta, const Caches& caches, int threads) {
  return small<Tile<T, tile>>({m, n, k, a, a_row, a_col, b, b_row, c, c_row}, beta, caches, threads);
}

}  // namespace avx2
