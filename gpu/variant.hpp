// A kernel of a GPU as a variant, on the GPU or on the emulator (gpu/cuda.hpp).
#pragma once

#include <tuple>
#include <utility>

#include "common/stopwatch.hpp"
#include "gpu/launch.hpp"
#include "runner/variant.hpp"

namespace course {

/// Where a GPU's matrices lie. pitched: rows aligned by CUDA; unified: pages migrate to who touches them;
/// pinned: on the GPU, copied from page-locked host memory.
enum class Memory { device, pitched, unified, pinned };

/// Elements of a guard band on a GPU, a multiple of 256 bytes (of BF16, 128): more than blocks of 32 × 32 or
/// 1024 × 1 threads reach beyond the last row, so that a kernel without bounds checks is wrong and does not
/// crash.
constexpr Index wide_guard(Index ld) {
  return ceil_div(32 * ld + 1024, 64) * 64;
}

/// The block of threads that a row's settings ask for.
inline Block block_of(const Settings& settings) {
  return {settings.block.x, settings.block.y};
}

/// Starts the kernel, once or more, on matrices in its memory.
template <class T>
using Launch =
    std::function<void(View<const T> a, View<const T> b, View<Result<T>> c, const Settings& settings)>;

/// What a kernel needs besides its matrices.
struct Needs {
  Memory memory = Memory::device;
  bool waits = true;         // false, wrong on purpose: the clock stops when the launch returns
  int capability = 0;        // the least compute capability, 80 for 8.0
  bool no_other = false;     // none but this one
  std::string lacking = {};  // why it cannot run here, whatever the GPU; else empty
};

/// Copies A, B and C to the kernel's memory, runs it, copies C back.
template <class T, class Platform>
class GpuVariant : public Variant<T> {
 public:
  GpuVariant(VariantInfo info, Launch<T> launch, Needs needs = {})
      : Variant<T>(std::move(info)), launch_(std::move(launch)), needs_(std::move(needs)) {}

  Device device() const override { return Platform::device(); }
  std::string refuses(const Problem<T>&, const Settings&) const override {
    return needs_.lacking.empty() ? Platform::missing(needs_.capability, needs_.no_other) : needs_.lacking;
  }
  Times allocate(const Problem<T>& problem, const Settings& settings) override {
    release();
    settings_ = settings, inputs_ = problem.whole();
    const Inputs<T>& inputs = inputs_;
    const auto [m, n, k] = problem.shape;
    const Index pad = problem.pad;
    if (!pinned()) fetched_ = course::Matrix<Result<T>>(m, n, pad);
    Platform::synchronize();  // the first call of all starts the GPU: not this row's time
    const Stopwatch watch;
    if (pinned())
      host_ = {HostMatrix<T>(m, k, pad), HostMatrix<T>(k, n, pad), HostMatrix<Result<T>>(m, n, pad),
               HostMatrix<Result<T>>(m, n, pad)};
    a_ = Matrix<T>(m, k, pad, needs_.memory, Use::input);
    b_ = Matrix<T>(k, n, pad, needs_.memory, Use::input);
    c_ = Matrix<Result<T>>(m, n, pad, needs_.memory);
    before_ = Matrix<Result<T>>(m, n, pad, needs_.memory, Use::input);
    Platform::synchronize();
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
    const double seconds = Platform::seconds_of([&, a = a, b = b, c = c] {
      send<T>(a, a_.view()), send<T>(b, b_.view()), send<Result<T>>(c, before_.view());
    });
    if (settings_.verify_copies)
      run_error_ = copy_error("A", a, a_) + copy_error("B", b, b_) + copy_error("C", c, before_);
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
      if (Platform::pending()) run_error_ = "the clock was stopped before the kernel had run";
      Platform::synchronize();
      return {.product = seconds};
    }
    Platform::counts();  // of whoever came before
    const double seconds = Platform::seconds_of(work);
    Times times = Platform::counts();
    times.product = seconds;
    const Dim2 block{launched.block.x, launched.block.y};
    if (this->info.blocks && launched.grid.x > 0 && block != settings_.block)
      run_error_ = "blocks of " + block.text() + " threads were launched, not of " + settings_.block.text();
    return times;
  }

  Times fetch() override {
    poison_all(fetched());
    return {.copy_out = Platform::seconds_of([this] { send<Result<T>>(c_.view(), fetched()); })};
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
  template <class E>
  using Matrix = typename Platform::template Matrix<E>;
  template <class E>
  using HostMatrix = typename Platform::template HostMatrix<E>;

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
      Platform::transfer(from, to);
  }
  /// --verify-copies: an error message if what is on the GPU differs from what was sent; else empty.
  template <class E>
  std::string copy_error(const char* name, View<const E> sent, const Matrix<E>& received) {
    course::Matrix<E> back(sent.rows(), sent.cols());
    Platform::transfer(View<const E>(received.view()), back.view());
    Index differences = 0;
    for (Index i = 0; i < sent.rows(); ++i)
      for (Index j = 0; j < sent.cols(); ++j) differences += !(back.view()(i, j) == sent(i, j));
    if (differences == 0) return {};
    return std::to_string(differences) + " elements of " + name +
           " did not reach the GPU as they were sent; ";
  }

  Launch<T> launch_;
  Needs needs_;
  Inputs<T> inputs_;
  Settings settings_;
  Matrix<T> a_, b_;
  Matrix<Result<T>> before_, c_;  // `before`: what C holds before the product
  struct {
    HostMatrix<T> a, b;
    HostMatrix<Result<T>> c, result;
  } host_;                             // if pinned
  course::Matrix<Result<T>> fetched_;  // if not
  std::string run_error_;
};

}  // namespace course
