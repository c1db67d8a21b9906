// The best of 09 for others: C += A·B, m × n and k, all in the GPU's memory, from compute capability 8.0 on;
// in libcourse_gpu and, under the emulator, in the library 09_cuda_regtile-best.
#pragma once

#include "common/view.hpp"

#ifdef __CUDACC__
#define COURSE_REGTILE_MULTIPLY course_gpu_sgemm
#else
#define COURSE_REGTILE_MULTIPLY course_emulated_sgemm
#endif

extern "C" __attribute__((visibility("default"))) void COURSE_REGTILE_MULTIPLY(
    course::Index m, course::Index n, course::Index k, const float* a, course::Index a_ld, const float* b,
    course::Index b_ld, float* c, course::Index c_ld);
