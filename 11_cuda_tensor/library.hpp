// 11's stages for others: C += A·B, all in the GPU's memory, on CUDA's default stream; in the library
// 11_cuda_tensor-stages and, under the emulator, 11_cuda_tensor-emulated_stages. Throws if CUDA refuses. From
// compute capability 8.0 on.
#pragma once

#include "common/bf16.hpp"

namespace cuda_tensor {

using course::bf16, course::tf32, course::View;

#ifdef __CUDACC__
inline namespace on_gpu {
#else
inline namespace emulated {  // a program has both
#endif
void by_stages(View<const bf16> a, View<const bf16> b, View<float> c);
void by_stages(View<const tf32> a, View<const tf32> b, View<float> c);
void by_stages(View<const double> a, View<const double> b, View<double> c);
}

}  // namespace cuda_tensor
