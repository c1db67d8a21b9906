// Compiled for AVX2 and FMA; holds nothing but these kernels.
#include "five_loops.hpp"

namespace avx2 {

// [ikj_avx2]
template <class T>
void ikj_avx2(View<const T> a, View<const T> b, View<T> c, int threads) {
  using V = Ymm<T>;
  const Index n = c.cols(), whole = n / V::lanes * V::lanes;
  const auto rest = V::first(n - whole);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index i = 0; i < c.rows(); ++i)
    for (Index p = 0; p < a.cols(); ++p) {
      const V factor = V::broadcast(&a(i, p));
      for (Index j = 0; j < whole; j += V::lanes) {
        V sum = V::load(&c(i, j));
        sum.multiply_add(factor, V::load(&b(p, j)));
        sum.store(&c(i, j));
      }
      V sum = V::load(&c(i, whole), rest);
      sum.multiply_add(factor, V::load(&b(p, whole), rest));
      sum.store(&c(i, whole), rest);
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

// 16 registers: 6 × 2 sums, 2 of B, one of A. Two units with a latency of four to five cycles need 8 to 10
// sums in flight.
constexpr int mr = 6, vectors = 2;

// [register_tile]
template <class T>
void register_tile(View<const T> a, View<const T> b, View<T> c) {
  constexpr Index nr = vectors * Ymm<T>::lanes;
  for (Index i = 0; i < c.rows(); i += mr)
    for (Index j = 0; j < c.cols(); j += nr) {
      const Index rows = smaller(mr, c.rows() - i), cols = smaller(nr, c.cols() - j);
      const View<const T> a_strip = a.block(i, 0, rows, a.cols());
      kernel<Ymm<T>, mr, vectors>(rows, cols)(a_strip, b.block(0, j, b.rows(), cols),
                                              c.block(i, j, rows, cols), a_strip);
    }
}
// [/register_tile]

template <class T>
void packed(View<const T> a, View<const T> b, View<T> c, const Caches& caches) {
  five_loops<Ymm<T>, mr, vectors>(a, b, c, caches);
}

template <class T>
void packed_threads(View<const T> a, View<const T> b, View<T> c, const Caches& caches, int threads) {
  in_threads<Ymm<T>, mr, vectors>(a, b, c, caches, threads);
}

#define INSTANTIATE(T)                                                         \
  template void ikj_avx2(View<const T>, View<const T>, View<T>, int);          \
  template void dot_avx2(View<const T>, View<const T>, View<T>, View<T>, int); \
  template void register_tile(View<const T>, View<const T>, View<T>);          \
  template void packed(View<const T>, View<const T>, View<T>, const Caches&);  \
  template void packed_threads(View<const T>, View<const T>, View<T>, const Caches&, int)

INSTANTIATE(float);
INSTANTIATE(double);
INSTANTIATE(std::int32_t);

}  // namespace avx2
