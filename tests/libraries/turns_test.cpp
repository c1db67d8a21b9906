// Who is timed when, and what is made of the times.
#include "runner/turns.hpp"

#include <doctest/doctest.h>

#include "runner/record.hpp"

using namespace course;

namespace {

/// Says these seconds a run, one after the other and the last for ever; and in `calls` who was called, | for
/// a reset.
struct Scripted : Variant<float> {
  Scripted(char who_, std::string& calls_, std::vector<double> seconds_)
      : Variant(VariantInfo{}), who(who_), calls(calls_), seconds(std::move(seconds_)) {}
  Times allocate(const Problem<float>&, const Settings&) override { return {}; }
  void reset() override { calls += '|'; }
  Times run() override {
    calls += who == ' ' ? "ot"[next_run.side] : who, runs.push_back(next_run.products);
    return {.product = seconds[std::min(runs.size(), seconds.size()) - 1]};
  }
  View<const float> result() override { return {}; }
  bool guards_intact() const override { return true; }
  std::string run_error() const override { return who == 't' ? "its own" : ""; }
  void release() override {}

  char who;
  std::string& calls;
  std::vector<double> seconds;
  std::vector<int> runs = {};
};

/// Ours and theirs in so many turns; who is only called, one variant for both.
struct Both {
  std::string calls = {};
  std::shared_ptr<Scripted> ours, theirs;
  std::vector<Times> times = {};

  Both(const std::vector<double>& our_seconds, const std::vector<double>& their_seconds, int turns,
       const Timing& timing = {}) {
    ours = std::make_shared<Scripted>('o', calls, our_seconds);
    theirs = std::make_shared<Scripted>('t', calls, their_seconds);
    take({ours, theirs}, turns, timing);
  }
  Both(int turns, const Timing& timing) {
    ours = std::make_shared<Scripted>(' ', calls, std::vector{1.});
    take({ours}, turns, timing);
  }
  void take(const Variants<float>& sides, int turns, const Timing& timing) {
    InTurns<float> both({}, sides, timing);
    const Problem<float> problem{{3, 4, 5}};
    both.allocate(problem, {});
    for (int turn = 0; turn < turns; ++turn) both.reset(), times.push_back(both.run());
  }
};

}  // namespace

TEST_CASE(
    "after theirs is checked and both are warm, turns begin with ours and theirs alternately, each on a C as "
    "before") {
  CHECK(Both({1}, {1}, 3).calls == "|tot|o|t|t|o|o|t");
  CHECK(Both(3, {}).calls == "|tot|o|t|t|o|o|t");
}

TEST_CASE("how often: as many products as fill a sample; one run, and few, do not say how many these are") {
  const Both both({5e-4, 8e-4, 1e-3, 6e-3}, {9, 1e-3, 21e-3}, 1, {.sample = 1e-3});
  CHECK(both.ours->runs == std::vector{1, 2, 3, 3});
  CHECK(both.theirs->runs == std::vector{1, 1, 3});  // of both as many
  CHECK(*both.times[0].product == doctest::Approx(2e-3));
  CHECK(*both.times[0].against == doctest::Approx(7e-3));
  // One that takes no time at all is not repeated for ever.
  const Both nothing({0}, {1}, 17, {.sample = 1e-3});
  CHECK(nothing.ours->runs.size() == 4 + 17);
  CHECK(nothing.ours->runs.back() == 100'000);
}

TEST_CASE("what turns say: medians, quartiles and extremes of the ratios, not the ratio of the medians") {
  Record record;
  record.shape = {3, 4, 5};
  record.summarise(Both({9, 1, 1, 1, 1, 1}, {9, 9, 5, 1, 4, 2, 10}, 5).times);
  std::string cells;
  for (const Column& column : record.columns())
    for (const std::string wanted : {"repeat", "ratio_min", "ratio_low", "ratio", "ratio_high", "ratio_max",
                                     "median_s", "against_gflops"})
      if (column.name == wanted) cells += wanted + "=" + column.cell + " ";
  CHECK(
      cells ==
      "repeat=5 median_s=1 ratio=4 ratio_low=2 ratio_high=5 ratio_min=1 ratio_max=10 against_gflops=3e-08 ");
}

TEST_CASE("C is of the first side alone; what a side finds of itself is found of both") {
  std::string calls;
  const auto side = [&calls](char who) { return std::make_shared<Scripted>(who, calls, std::vector{1.}); };
  InTurns<float> both({}, {side('o'), side('t')}, {});
  both.result();
  CHECK((calls == "|o" && both.run_error() == "its own"));
}

TEST_CASE("sustained: the mean of the samples of a while, and of what the GPU says meanwhile") {
  Timing timing{.sample = 1, .settle = 0.01, .lasts = 0.2};
  static int readings = 0;
  timing.state = [] { return Times{.mhz = 100. * (1 + readings++ % 2), .watts = 7}; };
  const Both both({1, 2}, {1, 4}, 1, timing);
  CHECK((*both.times[0].product == 2 && *both.times[0].against == 4));
  CHECK((*both.times[0].mhz == doctest::Approx(150).epsilon(0.01) && *both.times[0].against_watts == 7));
}
