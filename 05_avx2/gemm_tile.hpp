// A tile of C in registers, then blocks round it, then copies of the blocks: each rung is the one before and
// one idea. A translation unit instantiates the tile that its instruction set is for.
#pragma once

#include <algorithm>

#include "buffer.hpp"
#include "vector.hpp"

namespace avx2 {
namespace {

// [micro_kernel]
/// C (mr × nr) += A (mr × k) · B (k × nr). In memory, A's next row is a_row elements further, its next column
/// a_col.
template <TileShape tile, class T>
COURSE_INLINE void micro_kernel(const T* a, Index a_row, Index a_col, View<const T> b, View<T> c) {
  using V = Vector<T, tile.bytes>;
  V sum[tile.mr][2] = {};
  for (Index p = 0; p < b.rows(); ++p, a += a_col) {
    const V left = V::load(&b(p, 0)), right = V::load(&b(p, V::lanes));
#pragma GCC unroll 8
    for (int i = 0; i < tile.mr; ++i) {
      const auto a_ip = V::broadcast(a + i * a_row);
      sum[i][0].multiply_add(a_ip, left);
      sum[i][1].multiply_add(a_ip, right);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < tile.mr; ++i) {
    sum[i][0].add(V::load(&c(i, 0)));
    sum[i][1].add(V::load(&c(i, V::lanes)));
    sum[i][0].store(&c(i, 0));
    sum[i][1].store(&c(i, V::lanes));
  }
}
// [/micro_kernel]

/// The part of C beyond whole tiles: rows from m on, columns from n on.
template <class T>
void edges(View<const T> a, View<const T> b, View<T> c, Index m, Index n) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index p = 0; p < a.cols(); ++p)
      for (Index j = i < m ? n : 0; j < c.cols(); ++j) c(i, j) += a(i, p) * b(p, j);
}

// [pack]
/// A in micro-panels of mr rows, each column by column. Rows that A does not have are zeros.
template <int mr, class T>
void pack_A(View<const T> a, T* to) {
  for (Index ir = 0; ir < a.rows(); ir += mr)
    for (Index p = 0; p < a.cols(); ++p)
      for (Index i = ir; i < ir + mr; ++i) *to++ = i < a.rows() ? a(i, p) : T{0};
}

/// B in micro-panels of nr columns, each row by row.
template <int nr, class T>
void pack_B(View<const T> b, T* to) {
  for (Index jr = 0; jr < b.cols(); jr += nr)
    for (Index p = 0; p < b.rows(); ++p)
      for (Index j = jr; j < jr + nr; ++j) *to++ = j < b.cols() ? b(p, j) : T{0};
}
// [/pack]

// Never inlined: the tests look at its machine code and count its misses.
template <TileShape tile, class T>
[[gnu::noinline]] void macro_kernel(const T* a, const T* b, Index k, View<T> c);

// [macro_kernel]
/// C += a block of A · a block of B, both packed: a micro-panel of B stays in L1 while those of A pass by.
template <TileShape tile, class T>
void macro_kernel(const T* a, const T* b, Index k, View<T> c) {
  constexpr Index mr = tile.mr, nr = tile.nr(sizeof(T));
  for (Index jr = 0; jr < c.cols(); jr += nr)
    for (Index ir = 0; ir < c.rows(); ir += mr) {
      const View<const T> b_micro_panel(b + jr * k, k, nr, nr);
      const Index rows = std::min(mr, c.rows() - ir), cols = std::min(nr, c.cols() - jr);
      if (rows == mr && cols == nr) {
        micro_kernel<tile>(a + ir * k, 1, mr, b_micro_panel, c.block(ir, jr, mr, nr));
      } else {  // computed beside C; what lies inside C is added
        alignas(64) T buffer[mr * nr] = {};
        const View<T> whole(buffer, mr, nr, nr);
        micro_kernel<tile>(a + ir * k, 1, mr, b_micro_panel, whole);
        for (Index i = 0; i < rows; ++i)
          for (Index j = 0; j < cols; ++j) c(ir + i, jr + j) += whole(i, j);
      }
    }
}
// [/macro_kernel]

}  // namespace

// [register_tile]
template <TileShape tile, class T>
void register_tile(View<const T> a, View<const T> b, View<T> c) {
  constexpr Index mr = tile.mr, nr = tile.nr(sizeof(T));
  const Index m = c.rows() / mr * mr, n = c.cols() / nr * nr, k = a.cols();
  for (Index j = 0; j < n; j += nr)
    for (Index i = 0; i < m; i += mr)
      micro_kernel<tile>(a.data() + i * a.ld(), a.ld(), 1, b.block(0, j, k, nr), c.block(i, j, mr, nr));
  edges(a, b, c, m, n);
}
// [/register_tile]

// [blocked]
template <TileShape tile, class T>
void blocked(View<const T> a, View<const T> b, View<T> c, const Caches& caches) {
  const auto [mc, kc, nc] = textbook(tile, sizeof(T), caches);
  for (Index jc = 0; jc < c.cols(); jc += nc)
    for (Index pc = 0; pc < a.cols(); pc += kc) {
      const Index n = std::min(nc, c.cols() - jc), k = std::min(kc, a.cols() - pc);
      for (Index ic = 0; ic < c.rows(); ic += mc) {
        const Index m = std::min(mc, c.rows() - ic);
        register_tile<tile>(a.block(ic, pc, m, k), b.block(pc, jc, k, n), c.block(ic, jc, m, n));
      }
    }
}
// [/blocked]

// [packed]
template <TileShape tile, class T>
void packed(View<const T> a, View<const T> b, View<T> c, const Caches& caches) {
  const auto [mc, kc, nc] = textbook(tile, sizeof(T), caches);
  static thread_local Buffer a_buffer, b_buffer;
  T *const a_packed = a_buffer.of<T>(mc * kc), *const b_packed = b_buffer.of<T>(kc * nc);
  if (!a_packed || !b_packed) return blocked<tile>(a, b, c, caches);  // no memory for copies
  for (Index jc = 0; jc < c.cols(); jc += nc)
    for (Index pc = 0; pc < a.cols(); pc += kc) {
      const Index n = std::min(nc, c.cols() - jc), k = std::min(kc, a.cols() - pc);
      pack_B<tile.nr(sizeof(T))>(b.block(pc, jc, k, n), b_packed);
      for (Index ic = 0; ic < c.rows(); ic += mc) {
        const Index m = std::min(mc, c.rows() - ic);
        pack_A<tile.mr>(a.block(ic, pc, m, k), a_packed);
        macro_kernel<tile>(a_packed, b_packed, k, c.block(ic, jc, m, n));
      }
    }
}
// [/packed]

}  // namespace avx2
