// Compiled for AVX-512; holds nothing but this kernel.
#include "tuned/five_loops.hpp"

namespace avx2 {

COURSE_INSTANTIATE(tuned<avx512_tile>, const Caches&, int);

}  // namespace avx2
