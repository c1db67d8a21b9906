// The inner loops of step 02 in lanes. Compiled for AVX2 and FMA, or Neon; holds nothing but these kernels.
#include "gemm.hpp"
#include "vector.hpp"

namespace avx2 {

// [ikj_avx2]
template <class T>
void ikj_avx2(View<const T> a, View<const T> b, View<T> c, int threads) {
  using V = Vector<T, textbook_tile.bytes>;
  const Index n = c.cols(), whole = n / V::lanes * V::lanes;
  const auto rest = V::first(n - whole);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index i = 0; i < c.rows(); ++i) {
    T* const c_i = &c(i, 0);
    for (Index p = 0; p < a.cols(); ++p) {
      const T* const b_p = &b(p, 0);
      const auto factor = V::broadcast(&a(i, p));
      for (Index j = 0; j < whole; j += V::lanes) {
        V sum = V::load(c_i + j);
        sum.multiply_add(factor, V::load(b_p + j));
        sum.store(c_i + j);
      }
      V sum = V::load(c_i + whole, rest);
      sum.multiply_add(factor, V::load(b_p + whole, rest));
      sum.store(c_i + whole, rest);
    }
  }
}
// [/ikj_avx2]

// [dot_avx2]
template <class T>
void dot_avx2(View<const T> a, View<const T> b, View<T> c, View<T> bt, int threads) {
  using V = Vector<T, textbook_tile.bytes>;
  const Index k = a.cols(), whole = k / V::lanes * V::lanes;
  const auto rest = V::first(k - whole);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index j = 0; j < b.cols(); ++j)
    for (Index p = 0; p < k; ++p) bt(j, p) = b(p, j);

#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      const T *const a_i = a.data() + i * a.ld(), *const bt_j = bt.data() + j * bt.ld();
      // [dot_sum]
      V sum{};  // eight sums, each of every eighth product
      for (Index p = 0; p < whole; p += V::lanes) sum.multiply_add(V::load(a_i + p), V::load(bt_j + p));
      // [/dot_sum]
      sum.multiply_add(V::load(a_i + whole, rest), V::load(bt_j + whole, rest));
      T lane[V::lanes], total = 0;
      sum.store(lane);
      for (const T each : lane) total += each;  // the horizontal sum
      c(i, j) += total;
    }
}
// [/dot_avx2]

COURSE_INSTANTIATE(ikj_avx2, int);
template void dot_avx2(View<const float>, View<const float>, View<float>, View<float>, int);
template void dot_avx2(View<const double>, View<const double>, View<double>, View<double>, int);
template void dot_avx2(View<const int>, View<const int>, View<int>, View<int>, int);

}  // namespace avx2
