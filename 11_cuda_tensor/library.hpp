// 11's stages for others: C += A·B, all in the GPU's memory, on CUDA's default stream; in the library
// 11_cuda_tensor-stages. Throws if CUDA refuses. From compute capability 8.0 on.
#pragma once

#include "common/bf16.hpp"

namespace cuda_tensor {

void by_stages(course::View<const course::bf16> a, course::View<const course::bf16> b, course::View<float> c);

}  // namespace cuda_tensor
