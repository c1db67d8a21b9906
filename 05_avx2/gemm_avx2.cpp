// The tile with AVX2. Compiled for AVX2 and FMA; holds nothing but these kernels.
#include "five_loops.hpp"

namespace avx2 {

// [register_tile]
template <class T>
void register_tile(View<const T> a, View<const T> b, View<T> c) {
  using Ymm = Tile<T, avx2_tile>;
  for (Index i = 0; i < c.rows(); i += Ymm::mr)
    for (Index j = 0; j < c.cols(); j += Ymm::nr) {
      const Index rows = smaller(Ymm::mr, c.rows() - i), cols = smaller(Ymm::nr, c.cols() - j);
      const View<const T> a_strip = a.block(i, 0, rows, a.cols());
      kernel<Ymm>(rows, cols)(a_strip, b.block(0, j, b.rows(), cols), c.block(i, j, rows, cols),
                              Rows(a, i, 0));
    }
}
// [/register_tile]

template <class T>
void packed(View<const T> a, View<const T> b, View<T> c, const Caches& caches, int threads) {
  in_threads<Tile<T, avx2_tile>>(a, b, c, caches, threads);
}

COURSE_INSTANTIATE(register_tile);
COURSE_INSTANTIATE(packed, const Caches&, int);

}  // namespace avx2
