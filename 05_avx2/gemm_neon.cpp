// Compiled for aarch64; holds nothing but this kernel.
#include "tuned/five_loops.hpp"

namespace avx2 {

COURSE_INSTANTIATE(tuned<neon_tile>, const Caches&, int);

}  // namespace avx2
