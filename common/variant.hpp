// What the common loop knows of a step: its variants, each behind one interface, CPU, MPI and CUDA alike.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/stopwatch.hpp"
#include "common/view.hpp"

namespace course {

/// C (m × n) += A (m × k) · B (k × n).
struct Shape {
  Index m = 0, n = 0, k = 0;
  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  bool operator==(const Shape&) const = default;
};

/// What a row fixes besides variant, type and shape; 0 or empty where a step has no such choice.
struct Settings {
  int threads = 1;
  Index tile = 0;
  std::string grid, block;  // MPI: "PxQ" processes, "MBxNB" elements
};

/// Work of one product, from which common predicts a time: operations, and bytes moved at each level of
/// memory.
struct Cost {
  double flops = 0;
  std::optional<double> l1, l2, l3, memory;
};

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
  bool baseline = false;  // measured at every size whatever the budget: all speedups need it
  bool broken = false;    // wrong on purpose: hidden, run by --expect-wrong only

  /// Why it cannot run here, or nothing.
  virtual std::string needs() const { return {}; }
  virtual Cost cost(const Shape& shape) const {
    return {.flops = shape.flops(), .l1 = {}, .l2 = {}, .l3 = {}, .memory = {}};
  }
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
using Kernel = std::function<void(View<const T> a, View<const T> b, View<T> c, View<T> workspace)>;

/// The size of a workspace for a shape: m × n of what it returns.
using Extent = std::function<Shape(const Shape&)>;

template <class T>
class CpuVariant : public Variant<T> {
 public:
  CpuVariant(std::string name, std::string idea, Kernel<T> kernel, Extent extent)
      : Variant<T>(std::move(name), std::move(idea)),
        kernel_(std::move(kernel)),
        extent_(std::move(extent)) {}

  double bytes(const Shape& shape) const override {
    const Shape extent = extent_(shape);
    return sizeof(T) * (static_cast<double>(shape.m) * static_cast<double>(shape.n) +
                        static_cast<double>(extent.m) * static_cast<double>(extent.n));
  }
  void prepare(const Problem<T>& problem) override {
    release();
    const Shape extent = extent_(problem.shape);
    problem_ = problem;
    c_ = Matrix<T>(problem.shape.m, problem.shape.n, problem.pad);
    workspace_ = Matrix<T>(extent.m, extent.n, problem.pad);
  }
  void release() override { c_ = {}, workspace_ = {}; }
  void reset() override { copy<T>(problem_.c, c_.view()); }
  Seconds run() override {
    Seconds seconds;
    const Stopwatch watch;
    kernel_(problem_.a, problem_.b, c_.view(), workspace_.view());
    seconds.product = watch.seconds();
    return seconds;
  }
  bool result(View<T> out) override {
    copy<T>(std::as_const(c_).view(), out);
    return c_.guards_intact() && workspace_.guards_intact();
  }

 private:
  Kernel<T> kernel_;
  Extent extent_;
  Problem<T> problem_;
  Matrix<T> c_, workspace_;
};

/// The variant of a plain function C += A·B on views.
template <class T>
std::shared_ptr<Variant<T>> cpu(std::string name, std::string idea,
                                void (*kernel)(View<const T> a, View<const T> b, View<T> c)) {
  const auto with_workspace = [kernel](View<const T> a, View<const T> b, View<T> c, View<T>) {
    kernel(a, b, c);
  };
  return std::make_shared<CpuVariant<T>>(std::move(name), std::move(idea), with_workspace,
                                         [](const Shape&) { return Shape{}; });
}

/// The variant of a function that also takes a workspace, poisoned once a row.
template <class T>
std::shared_ptr<Variant<T>> cpu(std::string name, std::string idea,
                                void (*kernel)(View<const T> a, View<const T> b, View<T> c,
                                               View<T> workspace),
                                Extent extent) {
  return std::make_shared<CpuVariant<T>>(std::move(name), std::move(idea), kernel, std::move(extent));
}

/// Marks a variant: the one all speedups are measured against.
template <class T>
std::shared_ptr<Variant<T>> baseline(std::shared_ptr<Variant<T>> variant) {
  variant->baseline = true;
  return variant;
}

/// Marks a variant: wrong on purpose.
template <class T>
std::shared_ptr<Variant<T>> broken(std::shared_ptr<Variant<T>> variant) {
  variant->broken = true;
  return variant;
}

}  // namespace course
