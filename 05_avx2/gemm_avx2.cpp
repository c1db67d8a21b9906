// Compiled for AVX2 and FMA; holds nothing but this kernel.
#include "tuned/five_loops.hpp"

namespace avx2 {

template <class T>
void tuned(View<const T> a, View<const T> b, View<T> c, const Caches& caches, int threads) {
  in_threads<Tile<T, avx2_tile>>(a, b, c, caches, threads);
}

COURSE_INSTANTIATE(tuned, const Caches&, int);

}  // namespace avx2
