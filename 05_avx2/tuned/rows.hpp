// Small products row by row: with few steps along k a row of C is read and written once, from end to end.
#pragma once

#include "tiles.hpp"

namespace avx2 {
namespace {

/// C (m × n) += A (m × steps) · B (steps × n), `rows` rows at a time, n at least a vector: A's numbers stay
/// in registers, as far as there are any, B and C come by in order. Their last vector ends where the rows do;
/// of C it is read before its neighbour is written. Returns how many rows are done.
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

constexpr int most_steps = 8;  // by trial, with 16 registers and with 32
/// The kernels for 1 … most_steps steps: of as many rows as there are registers for, but two at least (some
/// of A's numbers then come from L1), and of one.
template <class Tile>
constexpr auto row_kernels = table<most_steps>([](auto step) {
  constexpr int steps = decltype(step)::value + 1, registers = Tile::shape.needs_32_registers() ? 24 : 12;
  return std::array{row_by_row<typename Tile::V, std::clamp(registers / steps, 2, 4), steps>,
                    row_by_row<typename Tile::V, 1, steps>};
});
/// Takes as many columns of B at a time as stay in L1.
template <class Tile, class T>
void along_n(const Product<T>& x, Index l1) {
  const Pieces across(x.n / Tile::V::lanes, std::max<Index>(1, l1 / 2 / (x.k * Tile::V::bytes)));
  for (Index q = 0; q < across.count; ++q) {
    const Index j = across.begin(q) * Tile::V::lanes;
    const Index end = q + 1 < across.count ? across.begin(q + 1) * Tile::V::lanes : x.n;
    Index i = 0;
    for (const auto kernel : row_kernels<Tile>[static_cast<std::size_t>(x.k - 1)])
      i = kernel(i, x.m, x.a, x.a_row, x.a_col, x.b + j, x.b_row, x.c + j, x.c_row, end - j);
  }
}

/// Are C's rows to be walked from end to end? With few steps along k a tile of C is loaded and stored for few
/// sums.
template <class Tile>
COURSE_INLINE bool rows_pay(Index n, Index k) {
  return n > 4 * Tile::V::lanes && k <= most_steps;
}

/// C row by row, in threads: each has rows or, where these are few, columns, a vector of them at least.
template <class Tile, class T>
[[gnu::noinline]] void in_rows(const Product<T>& x, Index threads, Index l1) {
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

}  // namespace
}  // namespace avx2
