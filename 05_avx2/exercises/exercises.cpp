// Compiled for AVX2 and FMA, or Neon, with the kernels that the exercises begin from.
#include "exercises.hpp"

#include "05_avx2/gemm_tile.hpp"

namespace avx2::exercises {

// [dot_four]
template <class T>
void dot_four(View<const T> a, View<const T> b, View<T> c, View<T> bt) {
  using V = Vector<T, 32>;
  constexpr Index step = 4 * V::lanes;
  const Index k = a.cols(), whole = k / step * step;
  for (Index j = 0; j < b.cols(); ++j)
    for (Index p = 0; p < k; ++p) bt(j, p) = b(p, j);

  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      const T *const a_i = a.data() + i * a.ld(), *const bt_j = bt.data() + j * bt.ld();
      V sum[4] = {};
      for (Index p = 0; p < whole; p += step)
#pragma GCC unroll 4
        for (int s = 0; s < 4; ++s)
          sum[s].multiply_add(V::load(a_i + p + s * V::lanes), V::load(bt_j + p + s * V::lanes));
      for (int s = 1; s < 4; ++s) sum[0].add(sum[s]);
      T lane[V::lanes], total = 0;
      sum[0].store(lane);
      for (const T each : lane) total += each;
      for (Index p = whole; p < k; ++p) total += a_i[p] * bt_j[p];  // fewer than 32 are left
      c(i, j) += total;
    }
}
// [/dot_four]

template <class T>
void edges_by_halves(View<const T> a, View<const T> b, View<T> c) {
  constexpr Index mr = textbook_tile.mr, nr = textbook_tile.nr(sizeof(T));
  const Index m = c.rows() / mr * mr, n = c.cols() / nr * nr, k = a.cols();
  for (Index j = 0; j < n; j += nr)
    for (Index i = 0; i < m; i += mr)
      micro_kernel<textbook_tile>(a.data() + i * a.ld(), a.ld(), 1, b.block(0, j, k, nr),
                                  c.block(i, j, mr, nr));
  // [twice]
  const auto add = [&](Index from_i, Index from_j) {
    for (Index i = from_i; i < c.rows(); ++i)
      for (Index p = 0; p < a.cols(); ++p)
        for (Index j = from_j; j < c.cols(); ++j) c(i, j) += a(i, p) * b(p, j);
  };
  add(m, 0);  // the rows that are left over
  add(0, n);  // the columns that are left over
  // [/twice]
}

template <class T>
void by_columns(View<const T> at, View<const T> b, View<T> c) {
  constexpr Index mr = textbook_tile.mr, nr = textbook_tile.nr(sizeof(T));
  const Index m = c.rows() / mr * mr, n = c.cols() / nr * nr, k = at.rows();
  for (Index j = 0; j < n; j += nr)
    for (Index i = 0; i < m; i += mr)
      // [by_columns]
      micro_kernel<textbook_tile>(at.data() + i, 1, at.ld(), b.block(0, j, k, nr), c.block(i, j, mr, nr));
  // [/by_columns]
  for (Index i = 0; i < c.rows(); ++i)
    for (Index p = 0; p < k; ++p)
      for (Index j = i < m ? n : 0; j < c.cols(); ++j) c(i, j) += at(p, i) * b(p, j);
}

template void dot_four(View<const float>, View<const float>, View<float>, View<float>);
template void dot_four(View<const double>, View<const double>, View<double>, View<double>);
COURSE_INSTANTIATE(edges_by_halves);
COURSE_INSTANTIATE(by_columns);

}  // namespace avx2::exercises
