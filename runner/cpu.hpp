// A kernel of the CPU as a variant.
#pragma once

#include "common/stopwatch.hpp"
#include "runner/variant.hpp"

namespace course {

/// The arguments of a kernel on the CPU: the matrices, and the settings of its row of the results.
template <class T>
struct KernelArgs {
  View<const T> a, b;
  View<T> c, bt;  // bt: the workspace of n × k, poisoned, of a variant that asks for one
  int threads;
  Index tile;
  double* alone;  // where a kernel that copies its matrices leaves the seconds of its product
};

/// Times one call of a kernel on the problem's matrices.
template <class T>
class CpuVariant : public Variant<T> {
 public:
  using Kernel = std::function<void(const KernelArgs<T>&)>;
  CpuVariant(VariantInfo info, Kernel kernel) : Variant<T>(std::move(info)), kernel_(std::move(kernel)) {}

  std::shared_ptr<Variant<T>> another() const override {
    return std::make_shared<CpuVariant>(this->info, kernel_);
  }
  Times allocate(const Problem<T>& problem, const Settings& settings) override {
    settings_ = settings;
    const auto [m, n, k] = problem.shape;
    const int touching = this->info.touched_by_one ? 1 : settings.threads;
    inputs_ = problem.whole(touching);
    c_ = Matrix<T>(m, n, problem.pad, touching);
    if (this->info.transposed_b) bt_ = Matrix<T>(n, k, problem.pad, touching);
    return {};
  }
  void reset() override {
    copy<T>(std::as_const(inputs_.c).view(), c_.view());
    poison_all(bt_.view());  // else what the last run left there would hide a race in filling it
  }
  Times run() override {
    const Inputs<T>& in = inputs_;
    return {.product = call(in.a.view(), in.b.view(), c_.view(), bt_.view())};
  }
  /// Seconds of the kernel, set as for the last row, on matrices of whoever calls.
  double call(View<const T> a, View<const T> b, View<T> c, View<T> bt) const {
    double alone = 0;
    const Stopwatch watch;
    kernel_({a, b, c, bt, settings_.threads, settings_.tile, &alone});
    const double all = watch.seconds();
    return alone > 0 ? alone : all;
  }
  View<const T> result() override { return c_.view(); }
  bool guards_intact() const override {
    return inputs_.guards_intact() && c_.guards_intact() && bt_.guards_intact();
  }
  void release() override { inputs_ = {}, c_ = {}, bt_ = {}; }

 private:
  Kernel kernel_;
  Settings settings_;
  Inputs<T> inputs_;
  Matrix<T> c_, bt_;
};

/// The variant of a kernel that wants the three matrices only, or of a call on one that wants more,
/// [](const KernelArgs<T>& x) { tiled<T>(x.a, x.b, x.c, x.tile); }, with {.tiles = true}, for it is swept.
template <class T, class Kernel>
std::shared_ptr<Variant<T>> cpu(std::string name, std::string idea, Kernel kernel, CostOf cost = {},
                                VariantInfo info = {}) {
  info.name = std::move(name), info.idea = std::move(idea), info.cost = std::move(cost);
  if constexpr (std::is_invocable_v<Kernel, View<const T>, View<const T>, View<T>>)
    return std::make_shared<CpuVariant<T>>(std::move(info),
                                           [kernel](const KernelArgs<T>& x) { kernel(x.a, x.b, x.c); });
  else
    return std::make_shared<CpuVariant<T>>(std::move(info), std::move(kernel));
}

/// A kernel on vectors of vectors; copying there and back is not timed.
template <class T, class Vectors = std::vector<std::vector<T>>>
auto on_vectors(void (*kernel)(const Vectors& a, const Vectors& b, Vectors& c)) {
  return [kernel](const KernelArgs<T>& x) {
    const auto rows_of = [](View<const T> view) {
      Vectors copied;
      for (Index i = 0; i < view.rows(); ++i) copied.emplace_back(&view(i, 0), &view(i, 0) + view.cols());
      return copied;
    };
    const Vectors a = rows_of(x.a), b = rows_of(x.b);
    Vectors c = rows_of(x.c);
    const Stopwatch watch;
    kernel(a, b, c);
    *x.alone = watch.seconds();
    for (Index i = 0; const std::vector<T>& row : c) std::copy(row.begin(), row.end(), &x.c(i++, 0));
  };
}

}  // namespace course
