// `tuned` with TILE, as the course and as a BLAS calls it. Compiled for AVX2 and FMA, AVX-512 or Neon.
#include "tuned/five_loops.hpp"

namespace avx2 {

#define COURSE_GEMM(T)                                                                     \
  template void gemm<TILE>(Operand<T>, Operand<T>, View<T>, Scale<T>, const Caches&, int); \
  template bool tiny<TILE>(const Product<T>&, T);                                          \
  template bool small<TILE>(const Product<T>&, T, const Caches&, int)
COURSE_GEMM(float);
COURSE_GEMM(double);
COURSE_GEMM(std::int32_t);
COURSE_INSTANTIATE(tuned<TILE>, const Caches&, int);

}  // namespace avx2
