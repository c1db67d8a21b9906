// Small products along k: rows of A times columns of B that a vector along n would not fill.
#pragma once

#include <bit>

#include "../buffer.hpp"
#include "tiles.hpp"

namespace avx2 {
namespace {

/// Adds a vector's halves until its lanes fit 16 bytes.
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

constexpr Index dot_rows = 4;
template <class Tile>
constexpr int dot_cols = Tile::V::bytes == 64 ? 4 : 2;

/// C += A · (Bᵀ)ᵀ in pieces of dot_rows × dot_cols, the last ones smaller.
template <class Tile, class T>
void along_k(const Product<T>& x, const T* bt, Index bt_row) {
  constexpr Index most = dot_cols<Tile>;
  static constexpr auto kernels = table<dot_rows>([](auto row) {
    return table<dot_cols<Tile>>(
        [](auto col) { return dots<typename Tile::V, decltype(row)::value + 1, col + 1>; });
  });
  for (Index i = 0; i < x.m; i += dot_rows)
    for (Index j = 0; j < x.n; j += most) {
      const auto rows = static_cast<std::size_t>(std::min(dot_rows, x.m - i));
      const auto cols = static_cast<std::size_t>(std::min(most, x.n - j));
      kernels[rows - 1][cols - 1](x.a + i * x.a_row, x.a_row, bt + j * bt_row, bt_row, x.c + i * x.c_row + j,
                                  x.c_row, x.k);
    }
}

/// Bᵀ, sixteen rows of B at a time, which stay in L1 while they are read column by column.
template <class T>
const T* transposed(const Product<T>& x, T* to, Index row) {
  for (Index some = 0; some < x.k; some += 16)
    for (Index j = 0; j < x.n; ++j)
      for (Index p = some; p < std::min(some + 16, x.k); ++p) to[j * row + p] = x.b[p * x.b_row + j];
  return to;
}

/// Do vectors along k need fewer multiply-adds than vectors along n?
template <class Tile>
COURSE_INLINE bool dots_pay(Index m, Index n, Index k) {
  constexpr Index lanes = Tile::V::lanes, add_lanes = 6, transpose = 2;  // multiply-adds that they cost
  return n < lanes && m * n * (ceil_div(k, lanes) + add_lanes) + (n > 1 ? transpose * k * n : 0) < m * k;
}

/// Are the columns beyond whole vectors, or all of a narrow C, to be computed as dot products?
template <class Tile, class T>
COURSE_INLINE bool dots_pay(const Product<T>& x) {
  const Index beyond = x.n % Tile::V::lanes;
  const bool narrow = beyond == x.n, high = ceil_div(x.m, Tile::mr) >= ceil_div(x.n, Tile::nr);
  return x.a_col == 1 && beyond > 0 && (narrow || (x.m > Tile::mr && high)) &&
         dots_pay<Tile>(x.m, narrow ? beyond : 2 * beyond, x.k);  // beside tiles A is read twice
}

/// Computes the columns beyond whole vectors as dot products, the others in tiles; each thread has some rows.
/// Returns false, and does nothing, if there is no memory for Bᵀ.
template <class Tile, class T>
[[gnu::noinline]] bool in_tiles_and_dots(const Product<T>& x, Index threads, bool by_rows) {
  const Index beyond = x.n % Tile::V::lanes, whole = x.n - beyond;
  const Pieces down(x.m, whole > 0 ? Tile::mr : dot_rows), across(whole / Tile::V::lanes, Tile::vectors);
  const T* bt = x.b;
  Index bt_row = 0;
  if (x.n > 1 || x.b_row > 1) {
    bt_row = (ceil_div(x.k, Tile::line) | 1) * Tile::line;  // odd, in lines: rows fall in different sets
    static thread_local Buffer buffer;
    T* const copy = buffer.of<T>(beyond * bt_row);
    if (!copy) return false;
    bt = transposed(x.block(0, whole, x.m, beyond), copy, bt_row);
  }
  in_parts(threads, down.count, [&](Part some) {
    const Index i = down.begin(some.from), rows = down.begin(some.from + some.count) - i;
    if (whole > 0)
      some_tiles<Tile>(x.block(0, 0, x.m, whole), down, some, across, {0, across.count}, by_rows);
    along_k<Tile>(x.block(i, whole, rows, beyond), bt, bt_row);
  });
  return true;
}

}  // namespace
}  // namespace avx2
