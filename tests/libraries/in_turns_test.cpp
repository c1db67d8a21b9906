// Who is timed when, and what is made of the times.
#include "libraries/turns.hpp"

#include <doctest/doctest.h>

#include "runner/record.hpp"

using namespace libraries;

namespace {

/// Says these seconds a run, one after the other and the last for ever; and in `calls` who was called.
struct Scripted : course::Variant<float> {
  Scripted(char who_, std::string& calls_, std::vector<double> seconds_)
      : Variant(course::Traits{}), who(who_), calls(calls_), seconds(std::move(seconds_)) {}
  course::Times allocate(const course::Problem<float>&, const course::Settings&) override { return {}; }
  void reset() override {}
  course::Times run() override {
    calls += who, runs.push_back(at_once);
    return {.product = seconds[std::min(runs.size(), seconds.size()) - 1]};
  }
  course::View<const float> result() override { return {}; }
  bool guards_intact() const override { return true; }
  void release() override {}

  char who;
  std::string& calls;
  std::vector<double> seconds;
  std::vector<int> runs = {};
};

/// Ours and theirs in so many turns.
struct Both {
  std::string calls = {};
  std::shared_ptr<Scripted> ours, theirs;
  std::vector<course::Times> times = {};

  Both(const std::vector<double>& our_seconds, const std::vector<double>& their_seconds, int turns,
       const Timing& timing = {}) {
    ours = std::make_shared<Scripted>('o', calls, our_seconds);
    theirs = std::make_shared<Scripted>('t', calls, their_seconds);
    InTurns<float> both({}, {ours, theirs}, timing);
    const course::Problem<float> problem{{3, 4, 5}};
    both.allocate(problem, {});
    for (int turn = 0; turn < turns; ++turn) times.push_back(both.run());
  }
};

}  // namespace

TEST_CASE("after a warm-up of both, turns begin with ours and theirs alternately") {
  CHECK(Both({1}, {1}, 5).calls == "otottoottoot");
}

TEST_CASE("how often: as many runs as fill a sample; one run, and few, do not say how many these are") {
  const Both both({5e-4, 8e-4, 1e-3, 6e-3}, {1e-3, 7e-3}, 1);
  CHECK(both.ours->runs == std::vector{1, 2, 3, 3});
  CHECK(both.theirs->runs == std::vector{1, 1});
  CHECK(*both.times[0].product == doctest::Approx(2e-3));  // each of three
  CHECK(*both.times[0].against == 7e-3);
  // One that takes no time at all is not repeated for ever; on a GPU both are queued as often.
  const Both nothing({0}, {1}, 17);
  CHECK(nothing.ours->runs.size() == 4 + 17);
  CHECK(nothing.ours->runs.back() == 1'000'000);
  const Both queued({1e-3, 2e-3}, {4e-3}, 1, {.queued = true});
  CHECK((queued.ours->runs.back() == 2 && queued.theirs->runs.back() == 2));
}

TEST_CASE("what turns say: medians, quartiles and extremes of the ratios, not the ratio of the medians") {
  course::Record record;
  record.shape = {3, 4, 5};
  record.summarise(Both({9, 1, 1, 1, 1, 1}, {9, 5, 1, 4, 2, 10}, 5).times);
  const auto cell = [&record](const std::string& name) {
    for (const course::Column& column : record.columns())
      if (column.name == name) return column.cell;
    return std::string("no column");
  };
  const auto cells = {cell("repeat"), cell("ratio_min"),  cell("ratio_low"),
                      cell("ratio"),  cell("ratio_high"), cell("ratio_max")};
  CHECK(fmt::format("{}", fmt::join(cells, " ")) == "5 1 2 4 5 10");
  CHECK((cell("median_s") == "1" && cell("against_gflops") == "3e-08"));
  course::Record two;
  two.summarise(Both({9, 4, 1}, {9, 8, 1, 2}, 2).times);
  CHECK(two.times.ratio == 1.5);
}
