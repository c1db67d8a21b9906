// Compiled for AVX2 and FMA; holds nothing but this kernel.
#include "tuned/five_loops.hpp"

namespace avx2 {

COURSE_INSTANTIATE(tuned<avx2_tile>, const Caches&, int);

}  // namespace avx2
