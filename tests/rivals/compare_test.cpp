// Who is timed when, and what is made of the times.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "common/stopwatch.hpp"
#include "rivals/compare.hpp"

using namespace rivals;

namespace {

/// What was called: o for ours, t for theirs, | for a reset. Each call takes longer than a sample must.
struct Log {
  std::string calls;

  std::string of(const Rules& rules) {
    const auto says = [this](char who) {
      return [this, who](int) {
        const course::Stopwatch watch;
        calls += who;
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        return watch.seconds();
      };
    };
    alternate(
        says('o'), says('t'), [this] { calls += '|'; }, rules);
    return calls;
  }
};

/// A product that says these seconds, one after the other, and the last for ever; of how many runs.
struct Scripted {
  std::vector<double> seconds;
  std::vector<int> runs = {};

  double operator()(int these) {
    runs.push_back(these);
    return seconds[std::min(runs.size(), seconds.size()) - 1];
  }
};

}  // namespace

TEST_CASE("after a warm-up of both, pairs begin with ours and theirs in turn; C is reset every few pairs") {
  CHECK(Log().of({.pairs = 5, .sample = 1e-9, .between_reset = 100}) == "ot|ottoottoot");
  CHECK(Log().of({.pairs = 5, .sample = 1e-9, .between_reset = 2}) == "ot|otto|otto|ot");
}

TEST_CASE("how often: as many runs as fill a sample; one run, and few, do not say how many these are") {
  Scripted ours{{5e-4, 8e-4, 1e-3, 6e-3}}, theirs{{1e-3, 7e-3}};
  int resets = 0;
  const Verdict one = alternate(std::ref(ours), std::ref(theirs), [&] { ++resets; }, {.pairs = 1});
  CHECK(ours.runs == std::vector{1, 2, 3, 3});
  CHECK(theirs.runs == std::vector{1, 1});
  CHECK(one.ours == doctest::Approx(2e-3));  // each of three
  CHECK(one.theirs == 7e-3);
  CHECK(resets == 1);
  // One that takes no time at all is not repeated for ever.
  Scripted nothing{{0}}, something{{1}};
  alternate(std::ref(nothing), std::ref(something), [&] { ++resets; }, {.pairs = 17});
  CHECK(nothing.runs.size() == 4 + 17);
  CHECK(nothing.runs.back() == 1'000'000);
  CHECK(something.runs.size() == 1 + 17);
  CHECK(resets == 1 + 3);
}

TEST_CASE("what the pairs say: medians, quartiles and extremes of the ratios, not the ratio of the medians") {
  Scripted ours{{9, 1, 1, 1, 1, 1}}, theirs{{9, 5, 1, 4, 2, 10}};
  const Verdict all = alternate(std::ref(ours), std::ref(theirs), [] {}, {.pairs = 5, .sample = 0});
  CHECK(all.pairs == 5);
  CHECK(std::array{all.least, all.low, all.ratio, all.high, all.most} == std::array{1., 2., 4., 5., 10.});
  CHECK((all.ours == 1 && all.theirs == 4));
  Scripted slower{{9, 4, 1}}, faster{{9, 8, 1, 2}};
  CHECK(alternate(std::ref(slower), std::ref(faster), [] {}, {.pairs = 2, .sample = 0}).ratio == 1.5);
}
