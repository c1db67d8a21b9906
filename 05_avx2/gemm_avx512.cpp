// Compiled for AVX-512; holds nothing but this kernel.
#include "tuned/five_loops.hpp"

namespace avx2 {

COURSE_INSTANTIATE(tuned<avx512_tile>, const Caches&, int);
COURSE_INSTANTIATE_SMALL(avx512_tile, float);
COURSE_INSTANTIATE_SMALL(avx512_tile, double);
COURSE_INSTANTIATE_SMALL(avx512_tile, std::int32_t);

}  // namespace avx2
