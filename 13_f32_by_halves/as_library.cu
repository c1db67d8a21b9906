// The last rungs of 12, or else 11, and of 13 as a library, so that they meet others.
#include "library.hpp"

#include "11_cuda_tensor/library.hpp"
#include "gemm.cuh"

using namespace f32_by_halves;

COURSE_TENSOR(course_tensor_bf16, bf16) {
  const View<const bf16> of_a(a, m, k, a_ld), of_b(b, k, n, b_ld);
#ifdef COURSE_HOPPER
  const View<float> of_c(c, m, n, c_ld);
  constexpr auto best = cuda_hopper::HopperVariant::best;
  if (cuda_hopper::here() && cuda_hopper::serves(best, of_a, of_b, of_c))
    return cuda_hopper::gemm(best, of_a, of_b, of_c);
#endif
  cuda_tensor::by_stages(of_a, of_b, {c, m, n, c_ld});
}
COURSE_TENSOR(course_tensor_f32_by_bf16, float) {  // both share their memory
  course::workspace<Gemm>().fastest({a, m, k, a_ld}, {b, k, n, b_ld}, {c, m, n, c_ld}, F32Variant::bf16x3);
}
COURSE_TENSOR(course_tensor_f32_by_fp16, float) {
  course::workspace<Gemm>().fastest({a, m, k, a_ld}, {b, k, n, b_ld}, {c, m, n, c_ld}, F32Variant::fp16x2);
}
