// A tile of C in registers, then blocks round it, then copies of the blocks: each rung is the one before and
// one idea. Compiled for AVX2 and FMA; holds nothing but these kernels.
#include "space.hpp"
#include "vector.hpp"

namespace avx2 {
namespace {

constexpr int mr = avx2_tile.mr;

template <class T>
using V = Vector<T, avx2_tile.bytes>;
template <class T>
constexpr int nr = avx2_tile.vectors* V<T>::lanes;

// [tile]
/// C (mr × nr) += A (mr × k) · B (k × nr). In memory, A's next row is a_row elements further, its next column
/// a_col.
template <class T>
COURSE_INLINE void tile(const T* a, Index a_row, Index a_col, View<const T> b, View<T> c) {
  V<T> sum[mr][2] = {};
  for (Index p = 0; p < b.rows(); ++p, a += a_col) {
    const V<T> left = V<T>::load(&b(p, 0)), right = V<T>::load(&b(p, V<T>::lanes));
#pragma GCC unroll 8
    for (int i = 0; i < mr; ++i) {
      const V<T> a_ip = V<T>::broadcast(a + i * a_row);
      sum[i][0].multiply_add(a_ip, left);
      sum[i][1].multiply_add(a_ip, right);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < mr; ++i) {
    sum[i][0].add(V<T>::load(&c(i, 0)));
    sum[i][1].add(V<T>::load(&c(i, V<T>::lanes)));
    sum[i][0].store(&c(i, 0));
    sum[i][1].store(&c(i, V<T>::lanes));
  }
}
// [/tile]

/// What whole tiles leave over: the rows from m on, the columns from n on.
template <class T>
void edges(View<const T> a, View<const T> b, View<T> c, Index m, Index n) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index p = 0; p < a.cols(); ++p)
      for (Index j = i < m ? n : 0; j < c.cols(); ++j) c(i, j) += a(i, p) * b(p, j);
}

// [pack]
/// A in strips of mr rows, each strip column by column. Rows that A does not have are zeros.
template <class T>
void pack_A(View<const T> a, T* to) {
  for (Index ir = 0; ir < a.rows(); ir += mr)
    for (Index p = 0; p < a.cols(); ++p)
      for (Index i = ir; i < ir + mr; ++i) *to++ = i < a.rows() ? a(i, p) : T{0};
}

/// B in strips of nr columns, each strip row by row.
template <class T>
void pack_B(View<const T> b, T* to) {
  for (Index jr = 0; jr < b.cols(); jr += nr<T>)
    for (Index p = 0; p < b.rows(); ++p)
      for (Index j = jr; j < jr + nr<T>; ++j) *to++ = j < b.cols() ? b(p, j) : T{0};
}
// [/pack]

// [macro_kernel]
/// C += a block of A · a block of B, both packed: a strip of B stays in L1 while the strips of A pass by.
template <class T>
void macro_kernel(const T* a, const T* b, Index k, View<T> c) {
  for (Index jr = 0; jr < c.cols(); jr += nr<T>)
    for (Index ir = 0; ir < c.rows(); ir += mr) {
      const View<const T> b_strip(b + jr * k, k, nr<T>, nr<T>);
      const Index rows = smaller(mr, c.rows() - ir), cols = smaller(nr<T>, c.cols() - jr);
      if (rows == mr && cols == nr<T>) {
        tile(a + ir * k, 1, mr, b_strip, c.block(ir, jr, mr, nr<T>));
      } else {  // computed beside C; what lies inside C is added
        alignas(64) T room[mr * nr<T>] = {};
        const View<T> whole(room, mr, nr<T>, nr<T>);
        tile(a + ir * k, 1, mr, b_strip, whole);
        for (Index i = 0; i < rows; ++i)
          for (Index j = 0; j < cols; ++j) c(ir + i, jr + j) += whole(i, j);
      }
    }
}
// [/macro_kernel]

}  // namespace

// [register_tile]
template <class T>
void register_tile(View<const T> a, View<const T> b, View<T> c) {
  const Index m = c.rows() / mr * mr, n = c.cols() / nr<T> * nr<T>, k = a.cols();
  for (Index j = 0; j < n; j += nr<T>)
    for (Index i = 0; i < m; i += mr)
      tile(a.data() + i * a.ld(), a.ld(), 1, b.block(0, j, k, nr<T>), c.block(i, j, mr, nr<T>));
  edges(a, b, c, m, n);
}
// [/register_tile]

// [blocked]
template <class T>
void blocked(View<const T> a, View<const T> b, View<T> c, const Caches& caches) {
  const auto [mc, kc, nc] = textbook(avx2_tile, sizeof(T), caches);
  for (Index jc = 0; jc < c.cols(); jc += nc)
    for (Index pc = 0; pc < a.cols(); pc += kc)
      for (Index ic = 0; ic < c.rows(); ic += mc) {
        const Index m = smaller(mc, c.rows() - ic), n = smaller(nc, c.cols() - jc),
                    k = smaller(kc, a.cols() - pc);
        register_tile(a.block(ic, pc, m, k), b.block(pc, jc, k, n), c.block(ic, jc, m, n));
      }
}
// [/blocked]

// [packed]
template <class T>
void packed(View<const T> a, View<const T> b, View<T> c, const Caches& caches) {
  const auto [mc, kc, nc] = textbook(avx2_tile, sizeof(T), caches);
  static thread_local Space a_space, b_space;
  T *const a_packed = a_space.of<T>(mc * kc), *const b_packed = b_space.of<T>(kc * nc);
  if (!a_packed || !b_packed) return blocked(a, b, c, caches);  // no memory for copies
  for (Index jc = 0; jc < c.cols(); jc += nc)
    for (Index pc = 0; pc < a.cols(); pc += kc) {
      const Index n = smaller(nc, c.cols() - jc), k = smaller(kc, a.cols() - pc);
      pack_B(b.block(pc, jc, k, n), b_packed);
      for (Index ic = 0; ic < c.rows(); ic += mc) {
        const Index m = smaller(mc, c.rows() - ic);
        pack_A(a.block(ic, pc, m, k), a_packed);
        macro_kernel(a_packed, b_packed, k, c.block(ic, jc, m, n));
      }
    }
}
// [/packed]

COURSE_INSTANTIATE(register_tile);
COURSE_INSTANTIATE(blocked, const Caches&);
COURSE_INSTANTIATE(packed, const Caches&);

}  // namespace avx2
