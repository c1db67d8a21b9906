// Packing: the block that the micro-kernel reads next, copied to where it reads without gaps.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "../buffer.hpp"
#include "micro_kernel.hpp"

namespace avx2 {
namespace {

// [pack]
/// Copies `count` elements that lie side by side.
template <class V>
void copy_row(const typename V::Element* from, Index count, typename V::Element* to) {
  Index j = 0;
  for (; j + V::lanes <= count; j += V::lanes) V::load(from + j).store(to + j);
  const auto rest = V::first(count - j);
  if (j < count) V::load(from + j, rest).store(to + j, rest);
}

/// Copies a micro-panel of A as it is, row by row: only where its rows lie changes; or its transpose, column
/// by column. Returns the copy.
template <class Tile, class T>
View<const T> copy_rows(const Operand<T>& a, const View<T>& to) {
  for (Index p = 0; a.transposed && p < a.cols(); ++p)
    for (Index i = 0; i < a.rows(); ++i) to(i, p) = a.stored(p, i);
  for (Index i = 0; !a.transposed && i < a.rows(); ++i)
    copy_row<typename Tile::V>(&a.stored(i, 0), a.cols(), &to(i, 0));
  return to;
}

/// Copies B (k × n) in micro-panels of nr columns, one behind the other, each k × nr without gaps. What the
/// last one has beyond n stays as it was: no kernel reads it.
template <class Tile, class T>
void pack_B(const Operand<T>& b, T* to) {
  // So many rows of a micro-panel before the next one's, which lies on other pages; a transpose's are
  // columns.
  const Index at_once = b.transposed ? Tile::line : 8;
  const Index k = b.rows(), n = b.cols();
  for (Index some = 0; some < k; some += at_once)
    for (Index j = 0; j < n; j += Tile::nr) {
      const Index end = std::min(k, some + at_once);
      const Index cols = Tile::nr < n - j ? Tile::nr : n - j;  // by std::min, gcc's loop is a slower one
      for (Index jj = 0; b.transposed && jj < cols; ++jj) {
        RowAddress::to_L1(RowAddress(b.stored, j + jj, some).at + 16 * b.stored.ld() * Tile::size);
        for (Index p = some; p < end; ++p) to[j * k + p * Tile::nr + jj] = b.stored(j + jj, p);
      }
      for (Index p = some; !b.transposed && p < end; ++p) {
        const RowAddress soon(b.stored, p, j);  // later rows, often on other pages, come meanwhile
        for (Index at = 0; at < Tile::nr * Tile::size; at += 64)
          RowAddress::to_L1(soon.at + at_once * soon.ld + at);
        copy_row<typename Tile::V>(&b.stored(p, j), cols, to + j * k + p * Tile::nr);
      }
    }
}

/// A transpose is read from its copy alone: without memory for that there is no going on.
template <class T>
void ensure_copy(const Operand<T>& x, const void* copy) {
  if (x.transposed && !copy) std::fputs("05_avx2: no memory to transpose in\n", stderr), std::_Exit(2);
}

/// A block of B as the micro-kernel reads it: micro-panels of nr columns, packed or where they lie.
template <class Tile>
struct BlockOfB {
  using T = typename Tile::T;
  Operand<T> b;
  const T* packed;  // or nullptr

  View<const T> micro_panel(Index jr) const {
    const Index k = b.rows(), cols = std::min<Index>(Tile::nr, b.cols() - jr);
    return packed ? View<const T>(packed + jr * k, k, cols, Tile::nr) : b.stored.block(0, jr, k, cols);
  }
};
// [/pack]

}  // namespace
}  // namespace avx2
