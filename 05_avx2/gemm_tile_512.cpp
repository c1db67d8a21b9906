// The same with vectors twice as wide: what their width gains by itself. Compiled for AVX-512.
#include "gemm_tile.hpp"

namespace avx2 {

COURSE_INSTANTIATE(register_tile<wide_tile>);
COURSE_INSTANTIATE(blocked<wide_tile>, const Caches&);
COURSE_INSTANTIATE(packed<wide_tile>, const Caches&);

}  // namespace avx2
