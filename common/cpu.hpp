// A kernel of the CPU, a plain function on Views, as a variant.
#pragma once

#include <tuple>

#include "common/stopwatch.hpp"
#include "common/variant.hpp"

namespace course {

/// What a kernel on the CPU is called with.
template <class T>
struct CpuCall {
  View<const T> a, b;
  View<T> c, workspace;
  Shape shape;
  Settings settings;
};

/// Makers, after the cost in cpu(): each makes the kernel's next argument after C: the row's number of
/// threads, its tile's side, or a workspace.
struct Threads {
  int operator()(const auto& call) const { return call.settings.threads; }
};
struct Tile {
  Index operator()(const auto& call) const { return call.settings.tile; }
};
/// A matrix of `extent` (its m × n), poisoned before every run.
struct Workspace {
  Shape (*extent)(const Shape& shape) = [](const Shape&) { return Shape{}; };
  auto operator()(const auto& call) const { return call.workspace; }
};
inline constexpr Threads threads;
inline constexpr Tile tile;
inline constexpr Workspace transposed_b{[](const Shape& s) { return Shape{s.n, s.k, 0}; }};

/// A function on the CPU that returns its seconds.
template <class T>
class CpuVariant : public Variant<T> {
 public:
  using Call = std::function<double(const CpuCall<T>&)>;
  CpuVariant(Traits traits, Call call, Workspace workspace = {})
      : Variant<T>(std::move(traits)), call_(std::move(call)), workspace_of_(workspace) {}

  Times allocate(const Problem<T>& problem, const Settings& settings, const World&) override {
    problem_ = &problem, settings_ = settings;
    const bool by_one = this->traits.touched_by_one;
    if (by_one) own_ = problem, own_.threads = 1, own_.forget(), problem_ = &own_;
    problem_->whole();
    const int touching = by_one ? 1 : settings.threads;
    const Shape &s = problem.shape, extent = workspace_of_.extent(s);
    c_ = Matrix<T>(s.m, s.n, problem.pad, touching);
    workspace_ = Matrix<T>(extent.m, extent.n, problem.pad, touching);
    return {};
  }
  void release() override { own_.forget(), c_ = {}, workspace_ = {}; }
  void reset() override {
    copy<T>(problem_->whole().c.view(), c_.view());
    poison_all(workspace_.view());  // else what the last run left there would hide a race in filling it
  }
  Times run() override {
    const Inputs<T>& inputs = problem_->whole();
    return {.product = call_({inputs.a.view(), inputs.b.view(), c_.view(), workspace_.view(), problem_->shape,
                              settings_})};
  }
  Times fetch(Piece<T>& piece) override {
    piece = {all_of(problem_->shape.m), all_of(problem_->shape.n), std::as_const(c_).view()};
    return {};
  }
  bool guards_intact() const override {
    return own_.guards_intact() && c_.guards_intact() && workspace_.guards_intact();
  }

 private:
  Call call_;
  Workspace workspace_of_;
  const Problem<T>* problem_ = nullptr;
  Problem<T> own_;  // only if touched by one
  Settings settings_;
  Matrix<T> c_, workspace_;
};

/// The variant of a function C += A·B on views; its makers decide what it is swept over.
template <class T, class... Extra, class... Makers>
std::shared_ptr<Variant<T>> cpu(std::string name, std::string idea,
                                void (*kernel)(View<const T> a, View<const T> b, View<T> c, Extra...),
                                CostOf cost = {}, Makers... makers) {
  Traits traits{.name = std::move(name), .idea = std::move(idea), .cost = std::move(cost)};
  traits.threads = (std::is_same_v<Makers, Threads> || ...);
  traits.tiles = (std::is_same_v<Makers, Tile> || ...);
  Workspace workspace;
  if constexpr ((std::is_same_v<Makers, Workspace> || ...))
    workspace = std::get<Workspace>(std::tuple(makers...));
  const auto timed = [kernel](const CpuCall<T>& call, Extra... extra) {
    const Stopwatch watch;
    kernel(call.a, call.b, call.c, extra...);
    return watch.seconds();
  };
  return std::make_shared<CpuVariant<T>>(
      std::move(traits), [=](const CpuCall<T>& call) { return timed(call, makers(call)...); }, workspace);
}

/// The variant of a function C += A·B on vectors of vectors; copying there and back is not timed.
template <class T>
std::shared_ptr<Variant<T>> cpu(std::string name, std::string idea,
                                void (*kernel)(const Rows<T>& a, const Rows<T>& b, Rows<T>& c),
                                CostOf cost = {}) {
  const auto rows = [](View<const T> view) {
    Rows<T> copied;
    for (Index i = 0; i < view.rows(); ++i) copied.emplace_back(&view(i, 0), &view(i, 0) + view.cols());
    return copied;
  };
  const auto timed = [=](const CpuCall<T>& call) {
    const Rows<T> a = rows(call.a), b = rows(call.b);
    Rows<T> c = rows(call.c);
    const Stopwatch watch;
    kernel(a, b, c);
    const double seconds = watch.seconds();
    for (Index i = 0; const std::vector<T>& row : c) std::copy(row.begin(), row.end(), &call.c(i++, 0));
    return seconds;
  };
  Traits traits{.name = std::move(name), .idea = std::move(idea), .cost = std::move(cost)};
  return std::make_shared<CpuVariant<T>>(std::move(traits), timed);
}

}  // namespace course
