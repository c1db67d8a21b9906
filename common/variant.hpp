// What is known of a step: its variants, each behind one interface, CPU, MPI and CUDA alike.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/problem.hpp"
#include "common/stopwatch.hpp"
#include "common/world.hpp"

namespace course {

/// What a row of the results fixes besides variant, type and shape; 0 or empty where there is no such choice.
struct Settings {
  int threads = 1;
  Index tile = 0;
  std::string grid, block;  // MPI: "PxQ" processes, "MBxNB" elements
};

/// Seconds by phase, the imbalance (slowest rank's product over the mean) and the words that the rank
/// received; what a variant does not have stays empty.
struct Times {
  using Part = std::optional<double>;
  Part alloc = {}, distribute = {}, copy_in = {}, product = {}, copy_out = {}, collect = {}, imbalance = {},
       words_received = {};

  /// Pointers to the members: a list of them, to loop over.
  static constexpr std::array<Part Times::*, 8> parts() {
    return {&Times::alloc,    &Times::distribute, &Times::copy_in,   &Times::product,
            &Times::copy_out, &Times::collect,    &Times::imbalance, &Times::words_received};
  }
  /// Adds what another phase of the same run took.
  Times& operator+=(const Times& other) {
    for (const auto part : parts())
      if (other.*part) this->*part = (this->*part).value_or(0) + *(other.*part);
    return *this;
  }
};

struct Cost;  // runner/cost.hpp: what a product asks of a processor
using CostOf = std::function<Cost(const Shape& shape, const Settings& settings)>;
inline const CostOf uncounted;  // no prediction

/// What does not change from row to row.
struct Traits {
  std::string name, idea;
  CostOf cost = {};
  std::string vector = {};  // the instruction set of its kernel, if not its program's: sse2, avx2, avx512
  std::string needs = {};   // features the processor must have: "avx2,fma"
  bool threads = false, tiles = false;  // swept over: has rows for each of --threads, of --tile
  bool baseline = false;                // measured at every size whatever the budget: all speedups need it
  bool broken = false;                  // wrong on purpose: hidden, run by --expect-wrong only
  bool touched_by_one = false;          // one thread writes its matrices first, not each thread its rows
};

/// One way to compute C += A·B. For each row: allocate; then distribute, reset, run, fetch, as often as it is
/// repeated; then release. Every rank makes the same calls. refuses, bytes and allocate do not communicate;
/// one that throws afterwards, while others may wait for it, ends the program.
template <class T>
class Variant {
 public:
  explicit Variant(Traits traits_) : traits(std::move(traits_)) {}
  virtual ~Variant() = default;

  Traits traits;

  /// The GPU's name; empty for the processor.
  virtual std::string device() const { return {}; }
  /// Why this row cannot run here, such as "needs 4 ranks"; or nothing.
  virtual std::string refuses(const Problem<T>&, const Settings&, const World&) const { return {}; }
  /// Bytes of this process's memory at most, inputs and workspace included.
  virtual double bytes(const Problem<T>& problem, const Settings& settings) const = 0;
  /// Takes memory. `problem` and `world` outlive release().
  virtual Times allocate(const Problem<T>& problem, const Settings& settings, const World& world) = 0;
  /// Brings the inputs to where they are multiplied.
  virtual Times distribute() { return {}; }
  /// Puts C back to what it was before the product, where it lies; not timed.
  virtual void reset() = 0;
  virtual Times run() = 0;
  /// This rank's piece of C in host memory, valid until the next call: a CPU's own C, or a copy made into
  /// poisoned memory.
  virtual Times fetch(Piece<T>& piece) = 0;
  /// False if something was written outside a buffer, on a GPU too.
  virtual bool guards_intact() const = 0;
  /// Gives back what allocate took: rows follow one another, their memory must not add up.
  virtual void release() = 0;
};

template <class T>
using Variants = std::vector<std::shared_ptr<Variant<T>>>;

/// Makers: what follows the cost in cpu(), each making the kernel's next argument after C.
struct Threads {
  int operator()(const Shape&, const Settings& settings) const { return settings.threads; }
};
struct Tile {
  Index operator()(const Shape&, const Settings& settings) const { return settings.tile; }
};
/// A matrix of `extent` (its m × n), poisoned once a row.
struct Workspace {
  Shape (*extent)(const Shape& shape);
};
inline constexpr Threads threads;
inline constexpr Tile tile;
inline constexpr Workspace no_workspace{[](const Shape&) { return Shape{}; }};
inline constexpr Workspace transposed_b{[](const Shape& s) { return Shape{s.n, s.k, 0}; }};

/// A function on the CPU.
template <class T>
class CpuVariant : public Variant<T> {
 public:
  struct Matrices {
    const Inputs<T>& inputs;
    View<T> c, workspace;
  };
  using Call = std::function<double(const Matrices& matrices, const Shape& shape, const Settings& settings)>;

  /// `call` returns the product's seconds; it copies the matrices to rows of rows first if `in_rows`.
  CpuVariant(Traits traits, Call call, Workspace workspace, bool in_rows = false)
      : Variant<T>(std::move(traits)), call_(std::move(call)), extent_(workspace.extent), in_rows_(in_rows) {}

  double bytes(const Problem<T>& problem, const Settings&) const override {
    const auto [m, n, k] = problem.shape;
    const Shape extent = extent_(problem.shape);
    const double own = static_cast<double>(m) * static_cast<double>(n + problem.pad) +
                       static_cast<double>(extent.m) * static_cast<double>(extent.n + problem.pad);
    const double row = 64;  // of rows of rows: its vector, and the allocator's header and rounding
    return problem.whole_bytes() * (in_rows_ || this->traits.touched_by_one ? 2 : 1) + sizeof(T) * own +
           (in_rows_ ? row * static_cast<double>(2 * m + k) : 0);
  }
  Times allocate(const Problem<T>& problem, const Settings& settings, const World&) override {
    release();
    problem_ = &problem, settings_ = settings;
    const bool by_one = this->traits.touched_by_one;
    const int touching = by_one ? 1 : settings.threads;
    const Shape &s = problem.shape, extent = extent_(s);
    if (by_one) own_ = problem, own_.threads = 1, own_.forget(), problem_ = &own_;
    problem_->whole();
    c_ = Matrix<T>(s.m, s.n, problem.pad, touching);
    workspace_ = Matrix<T>(extent.m, extent.n, problem.pad, touching);
    return {};
  }
  void release() override { own_.forget(), c_ = {}, workspace_ = {}; }
  void reset() override { copy<T>(problem_->whole().c.view(), c_.view()); }
  Times run() override {
    return {.product = call_({problem_->whole(), c_.view(), workspace_.view()}, problem_->shape, settings_)};
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
  Shape (*extent_)(const Shape&);
  bool in_rows_;
  const Problem<T>* problem_ = nullptr;
  Problem<T> own_;  // only if touched by one
  Settings settings_;
  Matrix<T> c_, workspace_;
};

/// The variant of a plain function C += A·B on views. What it is swept over follows from the makers of its
/// further arguments.
template <class T, class... Extra, class... Makers>
std::shared_ptr<Variant<T>> cpu(std::string name, std::string idea,
                                void (*kernel)(View<const T> a, View<const T> b, View<T> c, Extra...),
                                CostOf cost = {}, Makers... makers) {
  Workspace workspace = no_workspace;
  [[maybe_unused]] const auto keep = [&workspace](const auto& maker) {
    if constexpr (std::is_same_v<decltype(maker), const Workspace&>) workspace = maker;
  };
  (keep(makers), ...);
  Traits traits{.name = std::move(name), .idea = std::move(idea), .cost = std::move(cost)};
  traits.threads = (std::is_same_v<Makers, Threads> || ...);
  traits.tiles = (std::is_same_v<Makers, Tile> || ...);
  const auto call = [=](const auto& matrices, const Shape& shape, const Settings& settings) {
    [[maybe_unused]] const auto argument = [&](const auto& maker) {
      if constexpr (std::is_same_v<decltype(maker), const Workspace&>)
        return matrices.workspace;
      else
        return maker(shape, settings);
    };
    const View<const T> a = matrices.inputs.a.view(), b = matrices.inputs.b.view();
    const Stopwatch watch;
    kernel(a, b, matrices.c, argument(makers)...);
    return watch.seconds();
  };
  return std::make_shared<CpuVariant<T>>(std::move(traits), call, workspace);
}

/// The variant of a function C += A·B on vectors of vectors; copying there and back is not timed.
template <class T>
std::shared_ptr<Variant<T>> cpu(std::string name, std::string idea,
                                void (*kernel)(const Rows<T>& a, const Rows<T>& b, Rows<T>& c),
                                CostOf cost = {}) {
  const auto call = [kernel](const auto& matrices, const Shape&, const Settings&) {
    const auto rows = [](View<const T> view) {
      Rows<T> copied;
      for (Index i = 0; i < view.rows(); ++i) copied.emplace_back(&view(i, 0), &view(i, 0) + view.cols());
      return copied;
    };
    const Rows<T> a = rows(matrices.inputs.a.view()), b = rows(matrices.inputs.b.view());
    Rows<T> c = rows(matrices.c);
    const Stopwatch watch;
    kernel(a, b, c);
    const double seconds = watch.seconds();
    for (Index i = 0; const std::vector<T>& row : c) std::copy(row.begin(), row.end(), &matrices.c(i++, 0));
    return seconds;
  };
  return std::make_shared<CpuVariant<T>>(
      Traits{.name = std::move(name), .idea = std::move(idea), .cost = std::move(cost)}, call, no_workspace,
      true);
}

/// Marks a variant: the one all speedups are measured against.
template <class T>
std::shared_ptr<Variant<T>> baseline(std::shared_ptr<Variant<T>> variant) {
  variant->traits.baseline = true;
  return variant;
}

/// Marks a variant of cpu(): its matrices are written first by one thread.
template <class T>
std::shared_ptr<Variant<T>> touched_by_one(std::shared_ptr<Variant<T>> variant) {
  variant->traits.touched_by_one = true;
  return variant;
}

/// Marks a variant: wrong on purpose.
template <class T>
std::shared_ptr<Variant<T>> broken(std::shared_ptr<Variant<T>> variant) {
  variant->traits.broken = true;
  return variant;
}

/// Marks a variant: its kernel uses these registers and needs a processor with these features.
template <class T>
std::shared_ptr<Variant<T>> on(const char* vector, const char* features,
                               std::shared_ptr<Variant<T>> variant) {
  variant->traits.vector = vector, variant->traits.needs = features;
  return variant;
}

}  // namespace course
