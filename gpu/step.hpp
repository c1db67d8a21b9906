// Makes variants of kernels: on the GPU where nvcc compiles this, else on the emulator.
#pragma once

#include "gpu/cuda.hpp"

#ifdef __CUDACC__
#define COURSE_GPU_STEP_NAME step_on_gpu
#else
#define COURSE_GPU_STEP_NAME step_emulated
#endif

namespace course {

using ThisPlatform = Cuda;

/// The variant of the kernel, or several, that `launch` starts.
template <class T, class Platform = ThisPlatform>
std::shared_ptr<Variant<T>> gpu(std::string name, std::string idea, Launch<T> launch, CostOf cost = {},
                                Needs needs = {}) {
  Traits traits{.name = std::move(name), .idea = std::move(idea), .cost = std::move(cost), .vector = "cuda"};
  return std::make_shared<GpuVariant<T, Platform>>(std::move(traits), std::move(launch), std::move(needs));
}

}  // namespace course

/// A step on the GPU of main.cu's `template <class T> course::Variants<T> variants()`; further arguments set
/// members of `step`, such as step.bf16 = variants<course::bf16>(). Of a type that it has not, variants() is
/// empty. main.cu is compiled for the GPU and for the emulator; gpu/main.cpp chooses.
#define COURSE_GPU_STEP(idea, ...)         \
  course::Step COURSE_GPU_STEP_NAME() {    \
    course::Step step = COURSE_STEP(idea); \
    __VA_ARGS__;                           \
    return step;                           \
  }
