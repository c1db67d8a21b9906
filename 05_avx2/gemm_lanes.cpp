// The inner loops of step 02 in lanes. Compiled for AVX2 and FMA; holds nothing but these kernels.
#include "gemm.hpp"
#include "vector.hpp"

namespace avx2 {

// [ikj_avx2]
template <class T>
void ikj_avx2(View<const T> a, View<const T> b, View<T> c, int threads) {
  using V = Ymm<T>;
  const Index n = c.cols(), whole = n / V::lanes * V::lanes;
  const auto rest = V::first(n - whole);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index i = 0; i < c.rows(); ++i) {
    T* const c_i = &c(i, 0);
    for (Index p = 0; p < a.cols(); ++p) {
      const T* const b_p = &b(p, 0);
      const V factor = V::broadcast(&a(i, p));
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
  using V = Ymm<T>;
  const Index k = a.cols(), whole = k / V::lanes * V::lanes;
  const auto rest = V::first(k - whole);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index j = 0; j < b.cols(); ++j)
    for (Index p = 0; p < k; ++p) bt(j, p) = b(p, j);

#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      V sum = V::zero();  // eight sums of every eighth product
      for (Index p = 0; p < whole; p += V::lanes) sum.multiply_add(V::load(&a(i, p)), V::load(&bt(j, p)));
      sum.multiply_add(V::load(&a(i, whole), rest), V::load(&bt(j, whole), rest));
      T lane[V::lanes], total = 0;
      sum.store(lane);
      for (const T each : lane) total += each;  // the horizontal sum
      c(i, j) += total;
    }
}
// [/dot_avx2]

#define INSTANTIATE(T)                                                \
  template void ikj_avx2(View<const T>, View<const T>, View<T>, int); \
  template void dot_avx2(View<const T>, View<const T>, View<T>, View<T>, int)

INSTANTIATE(float);
INSTANTIATE(double);
INSTANTIATE(std::int32_t);

}  // namespace avx2
