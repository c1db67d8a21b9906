// The last rungs of 12 and 13 for others: C += A·B, m × n and k, all in the GPU's memory, on the default
// stream of the calling thread's device; in libcourse_tensor. They throw if CUDA refuses. From compute
// capability 8.0 on. What is too small, thin or flat for splitting goes to 09's kernel. Of its memory a
// thread keeps what it needs for a device until it ends.
#pragma once

#include "common/bf16.hpp"

#define COURSE_TENSOR(name, T)                                                                       \
  extern "C" __attribute__((visibility("default"))) void name(                                       \
      course::Index m, course::Index n, course::Index k, const T* a, course::Index a_ld, const T* b, \
      course::Index b_ld, float* c, course::Index c_ld)

COURSE_TENSOR(course_tensor_bf16, course::bf16);
COURSE_TENSOR(course_tensor_f32_by_bf16, float);
COURSE_TENSOR(course_tensor_f32_by_fp16, float);
