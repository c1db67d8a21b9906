// gemm_tile.hpp's kernels with the vectors that every machine has here. Compiled for AVX2 and FMA, or Neon.
#include "gemm_tile.hpp"

namespace avx2 {

COURSE_INSTANTIATE(register_tile<textbook_tile>);
COURSE_INSTANTIATE(blocked<textbook_tile>, const Caches&);
COURSE_INSTANTIATE(packed<textbook_tile>, const Caches&);

}  // namespace avx2
