// What the common loop knows of a step: its variants, each behind one interface, CPU, MPI and CUDA alike.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/cost.hpp"
#include "common/stopwatch.hpp"
#include "common/view.hpp"

namespace course {

/// One run, in seconds by phase; a phase that a variant does not have stays empty.
struct Seconds {
  double product = 0;
  std::optional<double> alloc, copy_in, copy_out, distribute, collect;
  std::optional<double> imbalance;       // slowest rank's product over the mean
  std::optional<double> words_received;  // by the rank that receives most
};

/// The inputs of a row, filled; they outlive the variant's use of them. `pad` is what every leading dimension
/// exceeds its columns by.
template <class T>
struct Problem {
  Shape shape;
  Settings settings;
  View<const T> a, b, c;  // c: what C holds before the product
  Index pad = 0;
};

/// One way to compute C += A·B. The loop calls prepare once a row, then reset and run in turn, then result.
template <class T>
class Variant {
 public:
  Variant(std::string name_, std::string idea_) : name(std::move(name_)), idea(std::move(idea_)) {}
  virtual ~Variant() = default;

  std::string name, idea;
  std::string vector;           // the instruction set of its kernel, if not its program's: sse2, avx2, avx512
  bool baseline = false;        // measured at every size whatever the budget: all speedups need it
  bool broken = false;          // wrong on purpose: hidden, run by --expect-wrong only
  bool threaded = false;        // has rows for each of --threads, not just for one thread
  bool tiled = false;           // has rows for each of --tile
  bool touched_by_one = false;  // of its matrices, one thread writes all first, not each thread its rows

  /// Why it cannot run here, or nothing.
  virtual std::string needs() const { return {}; }
  /// What the product costs; nothing where nobody has counted.
  virtual std::optional<Cost> cost(const Shape& shape, const Settings& settings) const {
    return cost_of ? std::optional(cost_of(shape, settings)) : std::nullopt;
  }
  CostOf cost_of;
  /// Bytes of host memory it will allocate itself.
  virtual double bytes(const Shape& shape) const = 0;
  /// The GPU's name; empty for the processor.
  virtual std::string device() const { return {}; }
  virtual void prepare(const Problem<T>& problem) = 0;
  /// Gives back what prepare took: rows follow one another, their memory must not add up.
  virtual void release() = 0;
  /// Puts C back to what it was before the product; not timed.
  virtual void reset() = 0;
  virtual Seconds run() = 0;
  /// Writes C into `out` (m × n, poisoned beforehand). False if something was written outside a buffer.
  virtual bool result(View<T> out) = 0;
};

template <class T>
using Variants = std::vector<std::shared_ptr<Variant<T>>>;

template <class T>
void copy(View<const T> from, View<T> to) {
  for (Index i = 0; i < from.rows(); ++i)
    for (Index j = 0; j < from.cols(); ++j) to(i, j) = from(i, j);
}

/// A step's function on Views, timed by the clock. The fourth view is a workspace, empty for most.
template <class T>
using Kernel = std::function<void(View<const T> a, View<const T> b, View<T> c, View<T> workspace,
                                  const Settings& settings)>;

/// The size of a workspace for a shape: m × n of what it returns.
using Extent = std::function<Shape(const Shape&)>;
inline Shape no_workspace(const Shape&) {
  return {};
}

template <class T>
class CpuVariant : public Variant<T> {
 public:
  CpuVariant(std::string name, std::string idea, Kernel<T> kernel, CostOf cost, Extent extent = no_workspace)
      : Variant<T>(std::move(name), std::move(idea)), kernel_(std::move(kernel)), extent_(std::move(extent)) {
    this->cost_of = std::move(cost);
  }

  double bytes(const Shape& shape) const override {
    const Shape extent = extent_(shape);
    const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
               k = static_cast<double>(shape.k);
    return sizeof(T) * (m * n + static_cast<double>(extent.m) * static_cast<double>(extent.n) +
                        (this->touched_by_one ? m * k + k * n : 0));
  }
  void prepare(const Problem<T>& problem) override {
    release();
    const Shape extent = extent_(problem.shape);
    const int threads = this->touched_by_one ? 1 : problem.settings.threads;
    problem_ = problem;
    c_ = Matrix<T>(problem.shape.m, problem.shape.n, problem.pad, threads);
    workspace_ = Matrix<T>(extent.m, extent.n, problem.pad, threads);
    if (!this->touched_by_one) return;
    a_ = Matrix<T>(problem.shape.m, problem.shape.k, problem.pad);
    b_ = Matrix<T>(problem.shape.k, problem.shape.n, problem.pad);
    copy<T>(problem.a, a_.view()), copy<T>(problem.b, b_.view());
    problem_.a = a_.view(), problem_.b = b_.view();
  }
  void release() override { a_ = {}, b_ = {}, c_ = {}, workspace_ = {}; }
  void reset() override { copy<T>(problem_.c, c_.view()); }
  Seconds run() override {
    Seconds seconds;
    const Stopwatch watch;
    kernel_(problem_.a, problem_.b, c_.view(), workspace_.view(), problem_.settings);
    seconds.product = watch.seconds();
    return seconds;
  }
  bool result(View<T> out) override {
    copy<T>(std::as_const(c_).view(), out);
    for (const Matrix<T>* matrix : {&a_, &b_, &c_, &workspace_})
      if (!matrix->guards_intact()) return false;
    return true;
  }

 private:
  Kernel<T> kernel_;
  Extent extent_;
  Problem<T> problem_;
  Matrix<T> a_, b_, c_, workspace_;  // a_, b_: only if touched by one
};

template <class T>
std::shared_ptr<Variant<T>> cpu_variant(std::string name, std::string idea, Kernel<T> kernel, CostOf cost,
                                        Extent extent = no_workspace) {
  return std::make_shared<CpuVariant<T>>(std::move(name), std::move(idea), std::move(kernel), std::move(cost),
                                         std::move(extent));
}

/// The variant of a plain function C += A·B on views.
template <class T>
std::shared_ptr<Variant<T>> cpu(std::string name, std::string idea,
                                void (*kernel)(View<const T> a, View<const T> b, View<T> c),
                                CostOf cost = {}) {
  const auto call = [kernel](auto a, auto b, auto c, auto, const Settings&) { kernel(a, b, c); };
  return cpu_variant<T>(std::move(name), std::move(idea), call, std::move(cost));
}

/// The variant of a function that also takes a workspace, poisoned once a row.
template <class T>
std::shared_ptr<Variant<T>> cpu(std::string name, std::string idea,
                                void (*kernel)(View<const T> a, View<const T> b, View<T> c,
                                               View<T> workspace),
                                CostOf cost, Extent extent) {
  const auto call = [kernel](auto a, auto b, auto c, auto w, const Settings&) { kernel(a, b, c, w); };
  return cpu_variant<T>(std::move(name), std::move(idea), call, std::move(cost), std::move(extent));
}

/// The variant of a function that also takes the size of its tiles.
template <class T>
std::shared_ptr<Variant<T>> cpu(std::string name, std::string idea,
                                void (*kernel)(View<const T> a, View<const T> b, View<T> c, Index tile),
                                CostOf cost = {}) {
  const auto call = [kernel](auto a, auto b, auto c, auto, const Settings& s) { kernel(a, b, c, s.tile); };
  auto variant = cpu_variant<T>(std::move(name), std::move(idea), call, std::move(cost));
  variant->tiled = true;
  return variant;
}

/// The variant of a function that also takes a number of threads.
template <class T>
std::shared_ptr<Variant<T>> cpu(std::string name, std::string idea,
                                void (*kernel)(View<const T> a, View<const T> b, View<T> c, int threads),
                                CostOf cost = {}) {
  const auto call = [kernel](auto a, auto b, auto c, auto, const Settings& s) { kernel(a, b, c, s.threads); };
  auto variant = cpu_variant<T>(std::move(name), std::move(idea), call, std::move(cost));
  variant->threaded = true;
  return variant;
}

/// The variant of a function that also takes a number of threads and the size of its tiles.
template <class T>
std::shared_ptr<Variant<T>> cpu(std::string name, std::string idea,
                                void (*kernel)(View<const T> a, View<const T> b, View<T> c, int threads,
                                               Index tile),
                                CostOf cost = {}) {
  const auto call = [kernel](auto a, auto b, auto c, auto, const Settings& s) {
    kernel(a, b, c, s.threads, s.tile);
  };
  auto variant = cpu_variant<T>(std::move(name), std::move(idea), call, std::move(cost));
  variant->threaded = variant->tiled = true;
  return variant;
}

/// Marks a variant: the one all speedups are measured against.
template <class T>
std::shared_ptr<Variant<T>> baseline(std::shared_ptr<Variant<T>> variant) {
  variant->baseline = true;
  return variant;
}

/// Marks a variant of cpu(): its matrices are written first by one thread.
template <class T>
std::shared_ptr<Variant<T>> touched_by_one(std::shared_ptr<Variant<T>> variant) {
  variant->touched_by_one = true;
  return variant;
}

/// Marks a variant: wrong on purpose.
template <class T>
std::shared_ptr<Variant<T>> broken(std::shared_ptr<Variant<T>> variant) {
  variant->broken = true;
  return variant;
}

}  // namespace course
