// gemm_tile.hpp's kernels with TILE: for AVX2 and FMA, or Neon; and with vectors twice as wide for AVX-512.
#include "gemm_tile.hpp"

namespace avx2 {

COURSE_INSTANTIATE(register_tile<TILE>);
COURSE_INSTANTIATE(blocked<TILE>, const Caches&);
COURSE_INSTANTIATE(packed<TILE>, const Caches&);

}  // namespace avx2
