// gemm_tile.hpp's kernels with vectors of 32 bytes. Compiled for AVX2 and FMA.
#include "gemm_tile.hpp"

namespace avx2 {

COURSE_INSTANTIATE(register_tile<avx2_tile>);
COURSE_INSTANTIATE(blocked<avx2_tile>, const Caches&);
COURSE_INSTANTIATE(packed<avx2_tile>, const Caches&);

}  // namespace avx2
