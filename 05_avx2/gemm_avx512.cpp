// Compiled for AVX-512; holds nothing but these kernels.
#include "five_loops.hpp"

namespace avx2 {

// [avx512]
// 32 registers: 9 × 3 sums, 3 of B, one of A; 12 loads to 27 multiply-adds.
template <class T>
void avx512(View<const T> a, View<const T> b, View<T> c, const Caches& caches) {
  five_loops<Zmm<T>, 9, 3>(a, b, c, caches);
}

template <class T>
void avx512_threads(View<const T> a, View<const T> b, View<T> c, const Caches& caches, int threads) {
  in_threads<Zmm<T>, 9, 3>(a, b, c, caches, threads);
}
// [/avx512]

#define INSTANTIATE(T)                                                        \
  template void avx512(View<const T>, View<const T>, View<T>, const Caches&); \
  template void avx512_threads(View<const T>, View<const T>, View<T>, const Caches&, int)

INSTANTIATE(float);
INSTANTIATE(double);
INSTANTIATE(std::int32_t);

}  // namespace avx2
