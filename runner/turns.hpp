// Two products in turns, as one variant: other programs slow both of a turn, and their ratio stays.
#pragma once

#include <algorithm>
#include <cmath>

#include "common/stopwatch.hpp"
#include "common/verify.hpp"
#include "runner/variant.hpp"

namespace course {

/// What the next run of a variant makes that stands for both sides, on the same matrices: products of this
/// side, and how many, as one alone would be timed with its launch, or with the clock.
struct NextRun {
  std::size_t side = 0;
  int products = 1;
};
inline NextRun next_run;

/// How a side is timed in a turn.
struct Timing {
  double sample = 0;           // least seconds of a sample, of as many products on both sides; 0: one product
  double settle = 0;           // seconds it runs untimed before
  double lasts = 0;            // seconds of samples, of which the mean counts; 0: one sample
  Times (*state)() = nullptr;  // the clock of a GPU's SMs, and its board's power, where the driver says
};

/// A run is a turn: a sample of each side, the first's first in one turn and last in the next. Both sides are
/// variants, or one variant that looks at `next_run`.
template <class T>
class InTurns : public Variant<T> {
 public:
  InTurns(VariantInfo info, Variants<T> sides, const Timing& timing)
      : Variant<T>(std::move(info)), sides_(std::move(sides)), timing_(timing) {}

  Device device() const override { return sides_[0]->device(); }
  std::string refuses(const Problem<T>& problem, const Settings& settings) const override {
    for (const auto& side : sides_)
      if (const std::string why = side->refuses(problem, settings); !why.empty()) return why;
    return {};
  }
  Times allocate(const Problem<T>& problem, const Settings& settings) override {
    problem_ = &problem, products_ = 0, turn_ = 0;
    for (const auto& side : sides_) side->allocate(problem, settings);
    return {};
  }
  void reset() override {}  // before each sample
  Times run() override {
    if (products_ == 0) warm_up();
    const std::size_t first = turn_++ % 2;
    std::array<Times, 2> turn;
    for (const std::size_t of : {first, 1 - first}) turn[of] = sample(of);
    const auto& [ours, theirs] = turn;
    return {.product = ours.product,
            .mhz = ours.mhz,
            .watts = ours.watts,
            .against = theirs.product,
            .against_error = std::isnan(theirs_.error_share) ? HUGE_VAL : theirs_.error_share,
            .against_mhz = theirs.mhz,
            .against_watts = theirs.watts};
  }
  View<const Result<T>> result() override { return once(0); }
  bool guards_intact() const override {
    return std::all_of(sides_.begin(), sides_.end(), [](const auto& side) { return side->guards_intact(); });
  }
  /// What a side found of itself; of the second that it is wrong: a ratio to a wrong product says nothing.
  std::string run_error() const override {
    for (const auto& side : sides_)
      if (const std::string why = side->run_error(); !why.empty()) return why;
    return theirs_.right ? "" : this->info.against + ": " + theirs_.message;
  }
  void release() override {
    next_run = {};  // for a variant that stands alone
    for (const auto& side : sides_) side->release();
  }

 private:
  Variant<T>& side(std::size_t of) { return *sides_[of == 0 ? 0 : sides_.size() - 1]; }

  /// Warms both up, checks the second, and finds how many products fill a sample.
  void warm_up() {
    for (const auto& side : sides_) side->distribute();
    const auto [m, n, k] = problem_->shape;
    const View<const Result<T>> c = once(1);
    const bool is_here = c.data() != nullptr && m * n > 0;  // on rank 0
    theirs_ = {.right = true};
    if (is_here) theirs_ = Verifier<T>(*problem_, m * n * k < 100'000'000).check(c);
    for (std::size_t of = 0; of < 2; ++of) products_ = std::max(products_, products_of_a_sample(of));
  }
  /// C after a single product.
  View<const Result<T>> once(std::size_t of) {
    side(of).reset(), timed(of, 1), side(of).fetch();
    return side(of).result();
  }
  /// Seconds of a product, of so many between two readings of the clock.
  double timed(std::size_t of, int products) {
    next_run = {of, products};
    const Times times = side(of).run();
    return *times.product / products;
  }
  /// The mean of a product's seconds, and of what the GPU says after the samples.
  Times sample(std::size_t of) {
    Times mean;
    int samples = 0;
    side(of).reset();
    for (const Stopwatch watch; watch.seconds() < timing_.settle;) timed(of, products_);
    for (const Stopwatch watch; samples == 0 || watch.seconds() < timing_.lasts; ++samples) {
      mean.product = mean.product.value_or(0) + timed(of, products_);  // nvcc misreads += {.product = …}
      if (timing_.state != nullptr) mean += timing_.state();
    }
    return mean /= samples;
  }
  /// Few products say more of the clock and of a first run than of the product.
  int products_of_a_sample(std::size_t of) {
    int products = 1;
    for (int round = 0; round < 4; ++round) {
      const double seconds = products * timed(of, products);
      if (seconds >= timing_.sample) break;
      const double wanted = std::ceil(products * timing_.sample / std::max(seconds, 1e-9));
      products = static_cast<int>(std::min(1e5, wanted));
    }
    return products;
  }

  Variants<T> sides_;
  Timing timing_;
  const Problem<T>* problem_ = nullptr;
  Check theirs_;
  int products_ = 0;  // of a sample; 0: not warmed up
  std::size_t turn_ = 0;
};

}  // namespace course
