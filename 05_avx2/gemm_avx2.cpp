// The tile with AVX2. Compiled for AVX2 and FMA; holds nothing but these kernels.
#include "five_loops.hpp"

namespace avx2 {

// 16 registers: 6 × 2 sums, 2 of B, one of A. Two units with a latency of four cycles need 8 sums in
// flight.
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

#define INSTANTIATE(T)                                                        \
  template void register_tile(View<const T>, View<const T>, View<T>);         \
  template void packed(View<const T>, View<const T>, View<T>, const Caches&); \
  template void packed_threads(View<const T>, View<const T>, View<T>, const Caches&, int)

INSTANTIATE(float);
INSTANTIATE(double);
INSTANTIATE(std::int32_t);

}  // namespace avx2
