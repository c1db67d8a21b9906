// Makes variants of kernels: on the GPU where nvcc compiles this, else on the emulator.
#pragma once

#include "gpu/cuda.hpp"
#include "runner/too_far.hpp"

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
  VariantInfo info{
      .name = std::move(name), .idea = std::move(idea), .cost = std::move(cost), .vector = "cuda"};
  return std::make_shared<GpuVariant<T, Platform>>(std::move(info), std::move(launch), std::move(needs));
}

/// Adds a launch, `of` this rung, on a C that is taken for larger than it is: wrong on purpose.
template <class T, class Platform = ThisPlatform>
void add_too_far(Variants<T>& list, Launch<T> launch, Needs needs = {}, const std::string& of = "") {
  list.push_back(broken(gpu<T, Platform>(
      of + "one_column_too_far", "a thread with j = n",
      [launch](View<const T> a, View<const T> b, View<Result<T>> c, const Settings& settings) {
        launch(a, one_column_more(b), one_column_more(c), settings);
      },
      uncounted, needs)));
  list.push_back(broken(gpu<T, Platform>(
      of + "one_row_too_far", "a thread with i = m",
      [launch](View<const T> a, View<const T> b, View<Result<T>> c, const Settings& settings) {
        launch(one_row_more(a), b, one_row_more(c), settings);
      },
      uncounted, needs)));
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
