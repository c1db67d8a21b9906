// Makes variants of kernels: on the GPU where nvcc compiles this, else under the emulator.
#pragma once

#ifdef __CUDACC__
#include "gpu/cuda.hpp"
#else
#include "gpu/emulator/platform.hpp"
#endif

namespace course {

#ifdef __CUDACC__
using Here = Cuda;
#else
using Here = Emulated;
#endif

/// The variant of a kernel, or of several, that `launch` starts.
template <class T, class Platform = Here>
std::shared_ptr<Variant<T>> gpu(std::string name, std::string idea, Launch<T> launch, CostOf cost = {},
                                Needs needs = {}) {
  Traits traits{.name = std::move(name), .idea = std::move(idea), .cost = std::move(cost), .vector = "cuda"};
  return std::make_shared<GpuVariant<T, Platform>>(std::move(traits), std::move(launch), std::move(needs));
}

}  // namespace course

/// A step on the GPU, given main.cu's `template <class T> course::Variants<T> variants()`, and what else its
/// command line offers; main.cu is compiled for the GPU and for the emulator, and gpu/main.cpp chooses.
#ifdef __CUDACC__
#define COURSE_GPU_STEP_NAME step_on_gpu
#else
#define COURSE_GPU_STEP_NAME step_emulated
#endif
#define COURSE_GPU_STEP(idea, ...)         \
  course::Step COURSE_GPU_STEP_NAME() {    \
    course::Step step = COURSE_STEP(idea); \
    __VA_ARGS__;                           \
    return step;                           \
  }
