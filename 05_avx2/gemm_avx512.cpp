// Compiled for AVX-512; holds nothing but this kernel, as the course and as a BLAS calls it.
#include "tuned/five_loops.hpp"

namespace avx2 {

COURSE_INSTANTIATE(tuned<avx512_tile>, const Caches&, int);
template void gemm<avx512_tile>(Factor<float>, Factor<float>, View<float>, Scale<float>, const Caches&, int);
template void gemm<avx512_tile>(Factor<double>, Factor<double>, View<double>, Scale<double>, const Caches&,
                                int);
template void gemm<avx512_tile>(Factor<std::int32_t>, Factor<std::int32_t>, View<std::int32_t>,
                                Scale<std::int32_t>, const Caches&, int);
template bool small<avx512_tile>(const float*, Index, Index, const float*, Index, float*, Index, Index, Index,
                                 Index, float, const Caches&, int);
template bool small<avx512_tile>(const double*, Index, Index, const double*, Index, double*, Index, Index,
                                 Index, Index, double, const Caches&, int);
template bool small<avx512_tile>(const std::int32_t*, Index, Index, const std::int32_t*, Index, std::int32_t*,
                                 Index, Index, Index, Index, std::int32_t, const Caches&, int);

}  // namespace avx2
