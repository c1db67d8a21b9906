// Compiled for AVX2 and FMA; holds nothing but this kernel.
#include "tuned/five_loops.hpp"

namespace avx2 {

COURSE_INSTANTIATE(tuned<avx2_tile>, const Caches&, int);
COURSE_INSTANTIATE_SMALL(avx2_tile, float);
COURSE_INSTANTIATE_SMALL(avx2_tile, double);
COURSE_INSTANTIATE_SMALL(avx2_tile, std::int32_t);

}  // namespace avx2
