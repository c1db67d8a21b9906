// A kernel as a variant, on the GPU where nvcc compiles this, else on the emulator; and a step of them.
#pragma once

#include <tuple>
#include <utility>

#include "common/stopwatch.hpp"
#include "gpu/cuda.hpp"

#ifdef __CUDACC__
#define COURSE_GPU_STEP_NAME step_on_gpu
#else
#define COURSE_GPU_STEP_NAME step_emulated
#endif

namespace course {

/// The block of threads that a row's settings ask for.
inline Block block_of(const Settings& settings) {
  return {settings.block.x, settings.block.y};
}

/// Starts the kernel, once or more, on matrices in its memory.
template <class T>
using Launch =
    std::function<void(View<const T> a, View<const T> b, View<Result<T>> c, const Settings& settings)>;

/// The requirements of a kernel besides its matrices.
struct Needs {
  Memory memory = Memory::device;
  bool waits = true;         // false, wrong on purpose: the clock stops when the launch returns
  int capability = 0;        // the least compute capability, 80 for 8.0
  bool no_other = false;     // none but this one
  bool verified = false;     // what reached the GPU is read back and compared
  std::string lacking = {};  // why it cannot run here, whatever the GPU; else empty
};

inline namespace COURSE_RUNTIME {

/// Copies A, B and C to the kernel's memory, runs it, copies C back.
template <class T>
class GpuVariant : public Variant<T> {
 public:
  GpuVariant(VariantInfo info, Launch<T> launch, Needs needs = {})
      : Variant<T>(std::move(info)), launch_(std::move(launch)), needs_(std::move(needs)) {}

  Device device() const override { return Cuda::device(); }
  std::string refuses(const Problem<T>&, const Settings&) const override {
    return needs_.lacking.empty() ? Cuda::missing(needs_.capability, needs_.no_other) : needs_.lacking;
  }
  Times allocate(const Problem<T>& problem, const Settings& settings) override {
    release();
    settings_ = settings, inputs_ = problem.whole();
    const Inputs<T>& inputs = inputs_;
    const auto [m, n, k] = problem.shape;
    const Index pad = problem.pad;
    if (!pinned()) fetched_ = Matrix<Result<T>>(m, n, pad);
    Cuda::synchronize();  // the first call of all starts the GPU: not this row's time
    const Stopwatch watch;
    if (pinned()) host_ = {{m, k, pad}, {k, n, pad}, {m, n, pad}, {m, n, pad}};
    a_ = {m, k, pad, needs_.memory, Use::input};
    b_ = {k, n, pad, needs_.memory, Use::input};
    c_ = {m, n, pad, needs_.memory};
    before_ = {m, n, pad, needs_.memory, Use::input};
    Cuda::synchronize();
    const double seconds = watch.seconds();
    a_.poison(), b_.poison(), c_.poison(), before_.poison();
    if (pinned()) {
      copy<T>(inputs.a.view(), host_.a.view()), copy<T>(inputs.b.view(), host_.b.view());
      copy<Result<T>>(inputs.c.view(), host_.c.view());
    }
    return {.alloc = seconds};
  }

  Times distribute() override {
    const auto [a, b, c] = host_inputs();
    const double seconds = Cuda::seconds_of([&, a = a, b = b, c = c] {
      send<T>(a, a_.view()), send<T>(b, b_.view()), send<Result<T>>(c, before_.view());
    });
    if (needs_.verified && !(arrived(a, a_) && arrived(b, b_) && arrived(c, before_)))
      run_error_ = "what reached the GPU is not what was sent";
    return {.copy_in = seconds};
  }

  void reset() override { send<Result<T>>(before_.view(), c_.view()); }

  Times run() override {
    const auto work = [this] { launch_(a_.view(), b_.view(), c_.view(), settings_); };
    launched = {};
    if (!needs_.waits) {
      const Stopwatch watch;
      work();
      const double seconds = watch.seconds();
      if (Cuda::pending()) run_error_ = "the clock was stopped before the kernel had run";
      Cuda::synchronize();
      return {.product = seconds};
    }
    counts();  // of whoever came before
    const double seconds = Cuda::seconds_of(work);
    Times times = counts();
    times.product = seconds;
    const Dim2 block{launched.block.x, launched.block.y};
    if (this->info.blocks && launched.grid.x > 0 && block != settings_.block)
      run_error_ = "blocks of " + block.text() + " threads were launched, not of " + settings_.block.text();
    return times;
  }

  Times fetch() override {
    poison_all(fetched());
    return {.copy_out = Cuda::seconds_of([this] { send<Result<T>>(c_.view(), fetched()); })};
  }
  View<const Result<T>> result() override { return fetched(); }

  bool guards_intact() const override {
    return inputs_.guards_intact() && a_.guards_intact() && b_.guards_intact() && before_.guards_intact() &&
           c_.guards_intact() && fetched_.guards_intact();
  }
  std::string run_error() const override { return run_error_; }

  void release() override {
    inputs_ = {}, a_ = {}, b_ = {}, before_ = {}, c_ = {}, fetched_ = {}, host_ = {}, run_error_.clear();
  }

 private:
  bool pinned() const { return needs_.memory == Memory::pinned; }
  View<Result<T>> fetched() { return pinned() ? host_.result.view() : fetched_.view(); }
  std::tuple<View<const T>, View<const T>, View<const Result<T>>> host_inputs() {
    if (pinned()) return {host_.a.view(), host_.b.view(), host_.c.view()};
    const Inputs<T>& inputs = inputs_;
    return {inputs.a.view(), inputs.b.view(), inputs.c.view()};
  }
  /// Unified memory is written and read by the host, as if it were its own.
  template <class E>
  void send(View<const E> from, View<E> to) {
    if (needs_.memory == Memory::unified)
      copy<E>(from, to);
    else
      Cuda::transfer(from, to);
  }
  template <class E>
  static bool arrived(View<const E> sent, const Cuda::Matrix<E>& received) {
    Matrix<E> back(sent.rows(), sent.cols());
    Cuda::transfer<E>(received.view(), back.view());
    bool equal = true;
    for (Index i = 0; i < sent.rows(); ++i)
      for (Index j = 0; j < sent.cols(); ++j) equal &= back.view()(i, j) == sent(i, j);
    return equal;
  }
  /// What the warps have accessed since this was asked last, if an emulator counts all of it.
  static Times counts() {
    Times times;
#ifndef __CUDACC__
    const emulator::Counts taken = emulator::take_counts();
    if (emulator::counting && taken.complete)
      times.accesses = taken.accesses, times.sectors = taken.sectors,
      times.shared_accesses = taken.shared_accesses, times.wavefronts = taken.wavefronts;
#endif
    return times;
  }

  Launch<T> launch_;
  Needs needs_;
  Inputs<T> inputs_;
  Settings settings_;
  Cuda::Matrix<T> a_, b_;
  Cuda::Matrix<Result<T>> before_, c_;  // `before`: what C holds before the product
  struct {
    Cuda::HostMatrix<T> a, b;
    Cuda::HostMatrix<Result<T>> c, result;
  } host_;                     // if pinned
  Matrix<Result<T>> fetched_;  // if not
  std::string run_error_;
};

/// The variant of the kernel, or several, that `launch` starts.
template <class T>
std::shared_ptr<Variant<T>> gpu(std::string name, std::string idea, Launch<T> launch, CostOf cost = {},
                                Needs needs = {}) {
  VariantInfo info{
      .name = std::move(name), .idea = std::move(idea), .cost = std::move(cost), .vector = "cuda"};
  return std::make_shared<GpuVariant<T>>(std::move(info), std::move(launch), std::move(needs));
}

/// Adds a launch that takes C for larger than it is: wrong on purpose.
template <class T>
void add_too_far(Variants<T>& list, Launch<T> launch, Needs needs = {}) {
  const auto column = [launch](auto a, auto b, auto c, const Settings& settings) {
    launch(a, {b.data(), b.rows(), b.cols() + 1, b.ld()}, {c.data(), c.rows(), c.cols() + 1, c.ld()},
           settings);
  };
  const auto row = [launch](auto a, auto b, auto c, const Settings& settings) {
    launch({a.data(), a.rows() + 1, a.cols(), a.ld()}, b, {c.data(), c.rows() + 1, c.cols(), c.ld()},
           settings);
  };
  list.push_back(broken(gpu<T>("one_column_too_far", "a thread with j = n", column, uncounted, needs)));
  list.push_back(broken(gpu<T>("one_row_too_far", "a thread with i = m", row, uncounted, needs)));
}

}  // namespace COURSE_RUNTIME
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
