// A library's product, or ours in turns with it, as a variant. Other programs slow both of a turn, and their
// ratio stays.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <future>
#include <stdexcept>
#include <thread>

#include "common/stopwatch.hpp"
#include "common/verify.hpp"
#include "runner/machine.hpp"
#include "runner/text.hpp"
#include "runner/variant.hpp"

namespace libraries {

inline int at_once = 1;  // products of a run: one alone would be timed with its launch, or with the clock

/// Of a GPU's SMs, and of its board; 0 where the driver does not say.
struct State {
  double mhz = 0, watts = 0;
};

/// How products are timed.
struct Timing {
  bool own_team = false;   // their threads are not OpenMP's
  double settle = 0;       // seconds untimed before each sample
  double heat = 0;         // and before the first of a product that is timed alone
  bool queued = false;     // on a GPU: so many products of each that the shorter takes as long as a sample
  bool sustained = false;  // each alone for a second, after half a second in which a GPU finds its clock
  State (*state)() = nullptr;
  double sample() const { return queued ? (sustained ? 50e-3 : 2e-3) : 1e-3; }  // seconds it takes at least
};

/// The first of these products, in turns with the second, if there is one: ours first in one turn, theirs in
/// the next. A run is a turn.
template <class T>
class InTurns : public course::Variant<T> {
 public:
  using Products = course::Variants<T>;
  InTurns(course::Traits traits, Products products, const Timing& timing)
      : course::Variant<T>(std::move(traits)), products_(std::move(products)), timing_(timing) {}

  std::string device() const override { return products_[0]->device(); }
  std::string refuses(const course::Problem<T>& problem, const course::Settings& settings) const override {
    for (const auto& product : products_)
      if (const std::string why = product->refuses(problem, settings); !why.empty()) return why;
    return {};
  }
  course::Times allocate(const course::Problem<T>& problem, const course::Settings& settings) override {
    problem_ = &problem, runs_ = {1, 1};
    for (const auto& product : products_) product->allocate(problem, settings), product->distribute();
    reset();
    for (std::size_t of = 0; of < products_.size(); ++of) runs_[of] = runs_of_a_sample(of);
    if (products_.size() == 1)
      for (const course::Stopwatch watch; watch.seconds() < timing_.heat;) timed(0, runs_[0]);
    if (timing_.queued) runs_.fill(*std::max_element(runs_.begin(), runs_.end()));
    if (!timing_.queued)
      for (std::size_t of = 0; of < products_.size(); ++of) require_team(of, settings.threads);
    return {};
  }
  void reset() override {
    for (const auto& product : products_) product->reset();
  }
  course::Times run() override {
    const bool alone = products_.size() == 1;
    if (timing_.sustained) {
      auto [seconds, state] = sustained(0);
      course::Times times{.product = seconds};
      if (state.mhz > 0) times.mhz = state.mhz, times.watts = state.watts;
      if (!alone) times.against = sustained(1).first, times.ratio = *times.against / seconds;
      return times;
    }
    if (alone) return {.product = sample(0)};
    const std::size_t first = turn_++ % 2;
    double seconds[2];
    for (const std::size_t of : {first, 1 - first}) seconds[of] = sample(of);
    return {.product = seconds[0], .ratio = seconds[1] / seconds[0], .against = seconds[1]};
  }
  course::View<const course::Result<T>> result() override { return once(0); }
  bool guards_intact() const override {
    return std::all_of(products_.begin(), products_.end(), [](const auto& p) { return p->guards_intact(); });
  }
  /// Of the other product: a ratio to a wrong one says nothing.
  std::string run_error() const override {
    if (products_.size() == 1) return {};
    const course::Check found = course::Verifier<T>(*problem_, false).check(once(1));
    return found.right ? "" : this->traits.against + ": " + found.message;
  }
  void release() override {
    for (const auto& product : products_) product->release();
  }

 private:
  /// C after a single product.
  course::View<const course::Result<T>> once(std::size_t of) const {
    course::Variant<T>& product = *products_[of];
    product.reset(), product.run(), product.fetch();
    return product.result();
  }
  /// Seconds of a product, of so many between two readings of the clock.
  double timed(std::size_t of, int runs) {
    at_once = runs;
    const course::Times times = products_[of]->run();
    at_once = 1;
    return *times.product / runs;
  }
  double sample(std::size_t of) {
    for (const course::Stopwatch watch; watch.seconds() < timing_.settle;) timed(of, 1);
    return timed(of, runs_[of]);
  }
  /// Warms the product up. Few runs say more of the clock and of a first run than of the product.
  int runs_of_a_sample(std::size_t of) {
    int runs = 1;
    for (int round = 0; round < 4; ++round) {
      const double seconds = runs * timed(of, runs);
      if (seconds >= timing_.sample()) break;
      const double wanted = std::ceil(runs * timing_.sample() / std::max(seconds, 1e-9));
      runs = static_cast<int>(std::min(timing_.queued ? 1e4 : 1e6, wanted));
    }
    return runs;
  }
  std::pair<double, State> sustained(std::size_t of) {
    constexpr int readings = 10;
    std::future<State> reading;
    if (timing_.state != nullptr)
      reading = std::async(std::launch::async, [this] {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        State mean;
        for (int one = 0; one < readings; ++one) {
          std::this_thread::sleep_for(std::chrono::milliseconds(900 / readings));
          const auto [mhz, watts] = timing_.state();
          mean.mhz += mhz / readings, mean.watts += watts / readings;
        }
        return mean;
      });
    const auto mean = [&](double limit) {
      double seconds = 0;
      int runs = 0;
      for (const course::Stopwatch watch; runs == 0 || watch.seconds() < limit; ++runs)
        seconds += timed(of, runs_[of]);
      return seconds / runs;
    };
    mean(0.5);
    const double seconds = mean(1);
    return {seconds, reading.valid() ? reading.get() : State{}};
  }
  /// Throws if a product does not use so many threads: those of a team are there when it is done, others have
  /// used so much of the processor. Not asked of a small or thin one, for which a library may take fewer.
  void require_team(std::size_t of, int threads) {
    const auto [m, n, k] = problem_->shape;
    if (std::min({m, n, k}) < 256) return;
    const bool theirs =
        of + 1 == products_.size();  // beside the team of OpenMP that the matrices were filled by
    const int there = theirs && timing_.own_team ? 2 * threads - 1 : threads;
    double share = 0;
    for (int run = 0; run < 5; ++run) {
      std::error_code none;
      if (std::distance(std::filesystem::directory_iterator("/proc/self/task", none), {}) >= there) return;
      const double used = course::processor_seconds();
      const course::Stopwatch watch;
      timed(of, 1);
      share = std::max(share, (course::processor_seconds() - used) / watch.seconds());
      if (share > 0.6 * threads) return;
    }
    throw std::runtime_error(
        fmt::format("asked for {}, it uses {:.2g}", course::threads_text(threads), share));
  }

  Products products_;
  Timing timing_;
  const course::Problem<T>* problem_ = nullptr;
  std::array<int, 2> runs_{};
  std::size_t turn_ = 0;
};

/// Both as variants of a step: theirs alone, and ours in turns with it, if there is one.
template <class T>
void add(course::Variants<T>& variants, const std::string& our_name,
         const std::shared_ptr<course::Variant<T>>& ours, const std::string& their_name,
         const std::shared_ptr<course::Variant<T>>& theirs, const Timing& timing,
         const std::string& about = "") {
  if (!theirs) return;
  const bool threads = !timing.queued;
  const auto is_theirs = [&](const auto& variant) { return variant->traits.name == their_name; };
  if (std::none_of(variants.begin(), variants.end(), is_theirs))
    variants.push_back(
        std::make_shared<InTurns<T>>(course::Traits{.name = their_name, .idea = about, .threads = threads},
                                     course::Variants<T>{theirs}, timing));
  if (ours)
    variants.push_back(std::make_shared<InTurns<T>>(course::Traits{.name = our_name,
                                                                   .idea = "in turns with " + their_name,
                                                                   .threads = threads,
                                                                   .against = their_name},
                                                    course::Variants<T>{ours, theirs}, timing));
}

}  // namespace libraries
