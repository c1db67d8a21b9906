// Compiled for AVX-512; holds nothing but this kernel, as the course and as a BLAS calls it.
#include "tuned/five_loops.hpp"

namespace avx2 {

COURSE_TUNED(avx512_tile);

}  // namespace avx2
