// The micro-kernel: a tile of C that stays in registers while k passes by.
#pragma once

#include <utility>

#include "vector.hpp"

namespace avx2 {
namespace {

// [micro_kernel]
/// C (rows × at most vectors * lanes) += A (rows × k) · B (k × as C), in rows * vectors registers. Meanwhile
/// it fetches C and two cache lines of each row of `next`. Masked: the last vector is partly outside. (Views
/// by reference: copying one member-wise written costs a stalled load, which short k would feel.)
template <class V, int rows, int vectors, bool masked, class T = typename V::Element>
void tile(const View<const T>& a, const View<const T>& b, const View<T>& c, const View<const T>& next) {
  constexpr int line = 64 / sizeof(T), ahead = 8;  // ahead: rows of B between its prefetch and its use
  const auto some = V::first(c.cols() - (vectors - 1) * V::lanes);
  const auto load = [some](const T* row, int j) {
    return masked && j == vectors - 1 ? V::load(row + j * V::lanes, some) : V::load(row + j * V::lanes);
  };

  V sum[rows][vectors];
#pragma GCC unroll 32
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 32
    for (int j = 0; j < vectors; ++j) sum[i][j] = V::zero();

  const T* a_row[(rows + 2) / 3];  // of every third row: the others are one and two times ld further
#pragma GCC unroll 32
  for (int i = 0; i < rows; i += 3) a_row[i / 3] = a.data() + i * a.ld();

  const T *b_row = b.data(), *c_fetch = c.data(), *next_fetch = next.data();
  const Index steps =
      a.cols() < rows ? 1 : a.cols() / rows;  // a row of C and of `next` is fetched every so many
  for (Index left = a.cols(); left > 0; left -= steps) {
#pragma GCC unroll 32
    for (int j = 0; j < vectors * V::lanes; j += line) _mm_prefetch(c_fetch + j, _MM_HINT_T0);
    _mm_prefetch(c_fetch + vectors * V::lanes - 1, _MM_HINT_T0);  // where C is not aligned
    _mm_prefetch(next_fetch, _MM_HINT_T1);
    _mm_prefetch(next_fetch + line, _MM_HINT_T1);
    c_fetch += c.ld(), next_fetch += next.ld();

    for (Index p = left < steps ? left : steps; p > 0; --p, b_row += b.ld()) {
      V b_p[vectors];
#pragma GCC unroll 32
      for (int j = 0; j < vectors; ++j) {
        b_p[j] = load(b_row, j);
        if (j * V::lanes % line == 0) _mm_prefetch(b_row + ahead * b.ld() + j * V::lanes, _MM_HINT_T0);
      }
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i) {
        const V a_ip = V::broadcast(a_row[i / 3] + i % 3 * a.ld());
#pragma GCC unroll 32
        for (int j = 0; j < vectors; ++j) sum[i][j].multiply_add(a_ip, b_p[j]);
      }
#pragma GCC unroll 32
      for (int i = 0; i < rows; i += 3) ++a_row[i / 3];
    }
  }

  T* c_row = c.data();
#pragma GCC unroll 32
  for (int i = 0; i < rows; ++i, c_row += c.ld())
#pragma GCC unroll 32
    for (int j = 0; j < vectors; ++j) {
      sum[i][j].add(load(c_row, j));
      if (masked && j == vectors - 1)
        sum[i][j].store(c_row + j * V::lanes, some);
      else
        sum[i][j].store(c_row + j * V::lanes);
    }
}
// [/micro_kernel]

// [edges]
/// The kernels of one width for 1 … mr rows: no edge computes a row in vain.
template <class V, int vectors, bool masked, int... row>
auto of_rows(Index rows, std::integer_sequence<int, row...>) {
  static constexpr decltype(&tile<V, 1, 1, false>) kernels[] = {&tile<V, row + 1, vectors, masked>...};
  return kernels[rows - 1];
}

/// The kernel for a tile of C, at most mr × vectors * lanes: as many vectors as it has columns for.
template <class V, int mr, int vectors>
auto kernel(Index rows, Index cols) {
  constexpr std::make_integer_sequence<int, mr> heights{};
  if (cols == vectors * V::lanes) return of_rows<V, vectors, false>(rows, heights);
  if constexpr (vectors > 1)
    if (cols <= (vectors - 1) * V::lanes) return kernel<V, mr, vectors - 1>(rows, cols);
  return of_rows<V, vectors, true>(rows, heights);
}
// [/edges]

}  // namespace
}  // namespace avx2
