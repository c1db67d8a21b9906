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
      const V a_ip = V::broadcast(a_p[i / 3] + i % 3 * a_row);
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

// [along_rows]
/// Some rows of C += as many of A · B, all of their columns one after the other: B, or C, comes by in order.
template <class V, int rows, int steps, class T = typename V::Element>
void add_rows(const Operands<T>& x) {
  V factor[rows][steps];
#pragma GCC unroll 32
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 32
    for (int p = 0; p < steps; ++p) factor[i][p] = V::broadcast(x.a + i * x.a_row + p * x.a_col);
  const auto columns = [&](Index j, auto... some) __attribute__((always_inline)) {
    V sum[rows];
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) sum[i] = V::load(x.c + i * x.c_row + j, some...);
#pragma GCC unroll 32
    for (int p = 0; p < steps; ++p) {
      const V b_p = V::load(x.b + p * x.b_row + j, some...);
#ifdef PFB
      _mm_prefetch(reinterpret_cast<const char*>(x.b + (p + PFB) * x.b_row + j), _MM_HINT_T0);
#endif
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i) sum[i].multiply_add(factor[i][p], b_p);
    }
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) sum[i].store(x.c + i * x.c_row + j, some...);
  };
  Index j = 0;
  for (; j + V::lanes <= x.n; j += V::lanes) columns(j);
  if (j < x.n) columns(j, V::first(x.n - j));
}

/// C += A·B, a row or two at a time.
template <class Tile>
void along_rows(const Operands<typename Tile::T>& x) {
  using V = typename Tile::V;
  constexpr int steps = 8;
  for (Index i = 0; i < x.m; i += 2) {
    const bool two = i + 1 < x.m && V::bytes == 64;
    const auto rows = x.block(i, 0, two ? 2 : 1, x.n);
    Index p = 0;
    for (; p + steps <= x.k; p += steps)
      two ? add_rows<V, 2, steps>(rows.steps(p, steps)) : add_rows<V, 1, steps>(rows.steps(p, steps));
    for (; p < x.k; ++p) two ? add_rows<V, 2, 1>(rows.steps(p, 1)) : add_rows<V, 1, 1>(rows.steps(p, 1));
    if (!two) --i;
  }
}
// [/along_rows]

// [along_k]
/// C (rows × cols) += dot products of rows of A and rows of Bᵀ.
template <class V, int rows, int cols, class T = typename V::Element>
void dots(const T* a, Index a_row, const T* bt, Index bt_row, T* c, Index c_row, Index k) {
  V sum[rows][cols] = {};
  const auto add = [&](Index p, auto... some) __attribute__((always_inline)) {
    V a_p[rows];
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) {
      a_p[i] = V::load(a + i * a_row + p, some...);
#ifdef PFA
      _mm_prefetch(reinterpret_cast<const char*>(a + (i + PFA) * a_row + p), _MM_HINT_T0);
#endif
    }
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

/// Bᵀ.
template <class T>
const T* transposed(const Operands<T>& x, T* to) {
  for (Index j = 0; j < x.n; ++j)
    for (Index p = 0; p < x.k; ++p) to[j * x.k + p] = x.b[p * x.b_row + j];
  return to;
}

/// Each of the threads has its part of so many pieces.
void in_parts(Index threads, Index all, const auto& work) {
  if (threads == 1) return work(Part{0, all});
#pragma omp parallel for num_threads(static_cast <int>(threads)) schedule(static, 1)
  for (Index t = 0; t < threads; ++t) work(part(all, threads, t));
}

/// Do vectors along k need fewer multiply-adds than vectors along n? To add up a vector's lanes costs about
/// six, to transpose a number of B two.
template <class Tile>
COURSE_INLINE bool dots_pay(const Operands<typename Tile::T>& x) {
  constexpr Index lanes = Tile::V::lanes;
  return x.n < lanes && x.a_col == 1 &&
         x.m * x.n * (ceil_div(x.k, lanes) + 6) + 2 * x.k * (x.n > 1 ? x.n : 0) < x.m * x.k;
}

// [thin]
/// C += A·B if no copy pays, else false. The way depends on the shape alone, so that the result is the same
/// for any number of threads.
template <class Tile>
[[gnu::noinline]] bool without_copies(const Operands<typename Tile::T>& x, const Caches& caches,
                                      Index threads) {
  using T = typename Tile::T;
  constexpr Index lanes = Tile::V::lanes;
  const Index work = x.m * x.n * x.k, elements = x.m * x.n + x.k * (x.m + x.n),
              vectors = ceil_div(x.n, lanes);
  if (work == 0) return true;
  if (work + 8 * elements < 1 << 19) threads = 1;

  if (dots_pay<Tile>(x)) {
    static thread_local Buffer buffer;
    const bool lies_so = x.n == 1 && x.b_row == 1;
    T* const copy = lies_so ? nullptr : buffer.of<T>(x.n * x.k);
    if (lies_so || copy) {
      const T* const bt = lies_so ? x.b : transposed(x, copy);
      in_parts(threads, ceil_div(x.m, 4), [&](Part fours) {
        const Index i = 4 * fours.from;
        along_k<Tile>(x.block(i, 0, std::min(4 * fours.count, x.m - i), x.n), bt, x.k);
      });
      return true;
    }
  }
  const bool fits = elements * Tile::size <= caches.l2, one_panel = vectors <= Tile::vectors;
  if (!one_panel && (x.k == 1 || x.m == 1 || (!fits && x.m == 2))) {
    const bool by_rows = x.m > 2;
    in_parts(threads, by_rows ? x.m : vectors, [&](Part some) {
      const Index j = some.from * lanes;
      along_rows<Tile>(by_rows ? x.block(some.from, 0, some.count, x.n)
                               : x.block(0, j, x.m, std::min(some.count * lanes, x.n - j)));
    });
    return true;
  }
  if (!fits && !one_panel && x.k > 8) return false;
  const Pieces down(x.m, Tile::mr), across(vectors, Tile::vectors);
  const bool by_rows = down.count >= across.count;
  in_parts(threads, by_rows ? down.count : across.count, [&](Part some) {
    in_tiles<Tile>(x, down, by_rows ? some : Part{0, down.count}, across,
                   by_rows ? Part{0, across.count} : some, x.k * x.n * Tile::size <= caches.l1);
  });
  return true;
}
// [/thin]

}  // namespace

template <TileShape tile, class T>
bool small(const T* a, Index a_row, Index a_col, const T* b, Index b_row, T* c, Index c_row, Index m, Index n,
           Index k, const Caches& caches, int threads) {
  using Chosen = Tile<T, tile>;
  const Operands<T> x{m, n, k, a, a_row, a_col, b, b_row, c, c_row};
  if (m > 0 && m <= Chosen::mr && n > 0 && n <= Chosen::nr && !dots_pay<Chosen>(x)) {
    one_tile<Chosen>(x);
    return true;
  }
  return without_copies<Chosen>(x, caches, threads);
}

}  // namespace avx2

#define COURSE_INSTANTIATE_SMALL(tile, T)                                                            \
  template bool small<tile>(const T*, Index, Index, const T*, Index, T*, Index, Index, Index, Index, \
                            const Caches&, int)
