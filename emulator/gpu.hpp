// Makes variants of kernels: on the GPU where nvcc compiles this, else under the emulator.
#pragma once

#ifdef __CUDACC__
#include "common/cuda.hpp"
#else

#include <limits>

#include "common/gpu.hpp"

namespace course {

/// The host's memory as the GPU's; kernels wait in the emulator's queue until somebody needs what they make.
struct Emulated {
  static std::string device() { return "emulator: " + emulator::order(); }
  static std::string missing() { return {}; }
  static double free_memory() { return std::numeric_limits<double>::infinity(); }
  static void synchronize() { emulator::synchronize(); }
  static bool pending() { return emulator::pending(); }

  template <class Work>
  static double seconds_of(Work work) {
    const Stopwatch watch;
    work(), synchronize();
    return watch.seconds();
  }
  template <class T>
  static void transfer(View<const T> from, View<T> to) {
    synchronize();
    copy<T>(from, to);
  }

  template <class T>
  class Matrix : public course::Matrix<T> {
   public:
    Matrix() = default;
    Matrix(Index rows, Index cols, Index pad, Memory)
        : course::Matrix<T>(rows, cols, pad, 1, wide_guard(cols + pad)) {}
    View<T> view() const { return const_cast<Matrix*>(this)->course::Matrix<T>::view(); }
    void poison() {}  // it is born so
  };
  template <class T>
  using HostMatrix = course::Matrix<T>;
};

}  // namespace course
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
                                Memory memory = Memory::device) {
  Traits traits{.name = std::move(name), .idea = std::move(idea), .cost = std::move(cost), .vector = "cuda"};
  return std::make_shared<GpuVariant<T, Platform>>(std::move(traits), std::move(launch), memory);
}

}  // namespace course

/// A step on the GPU, given main.cu's `template <class T> course::Variants<T> variants()`, and what else its
/// command line offers; main.cu is compiled for the GPU and for the emulator, and emulator/main.cpp chooses.
#ifdef __CUDACC__
#define COURSE_GPU_STEP_NAME step_on_gpu
#else
#define COURSE_GPU_STEP_NAME step_emulated
#endif
#define COURSE_GPU_STEP(idea, ...)         \
  course::Step COURSE_GPU_STEP_NAME() {    \
    course::Step step = COURSE_STEP(idea); \
    step.on_gpu = true;                    \
    __VA_ARGS__;                           \
    return step;                           \
  }
