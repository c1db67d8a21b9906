// Compiled for AVX-512; holds nothing but this kernel.
#include "tuned/five_loops.hpp"

namespace avx2 {

template <class T>
void avx512(View<const T> a, View<const T> b, View<T> c, const Caches& caches, int threads) {
  in_threads<Tile<T, avx512_tile>>(a, b, c, caches, threads);
}

COURSE_INSTANTIATE(avx512, const Caches&, int);

}  // namespace avx2
