// Windows that a script fills, and threads that are watched while they work.
#include "00_machine/measure.hpp"

#include <doctest/doctest.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "runner/text.hpp"

using namespace machine;
using Clock = std::chrono::steady_clock;

namespace {

std::vector<int> allowed() {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  return cpus;
}

/// Work that is long enough for any window.
void nap(Index) {
  std::this_thread::sleep_for(std::chrono::milliseconds(6));
}

}  // namespace

TEST_CASE("the best of windows that are long enough; a short one tells how many rounds would do") {
  std::vector<Index> asked;
  Rate best;
  for (int tries = 0; tries < 5 && asked.size() <= 8; ++tries) {  // a disturbed moment may be over the time
    asked.clear();
    best = best_of(0.04, [&](Index rounds) -> Window {  // a quarter of it is enough
      asked.push_back(rounds);
      const auto number = asked.size();
      if (number < 5) return {1e-5 * static_cast<double>(rounds), 0.1};
      return number == 7 ? Window{0.0100, 0.9} : number == 8 ? Window{0.0125, 0.8} : Window{0.02, 0.7};
    });
  }
  // Eight times as many at most; then 1.2 times what would take long enough.
  REQUIRE(asked.size() > 8);
  CHECK(std::vector<Index>(asked.begin(), asked.begin() + 5) == std::vector<Index>{1, 9, 73, 585, 1201});
  CHECK(std::count(asked.begin() + 4, asked.end(), Index{1201}) ==
        static_cast<std::ptrdiff_t>(asked.size() - 4));
  CHECK(best.rounds == doctest::Approx(1201 / 0.01));
  CHECK(best.share == 0.9);
}

TEST_CASE("a window of 20 ms is enough; one there is, even if the time is over before") {
  const Rate best = best_of(0.2, [](Index rounds) { return Window{rounds == 1 ? 0.019 : 0.02, 1}; });
  CHECK(best.rounds == 100);  // 1 + 1 * 1.2 * 20 / 19 rounds in 20 ms
  CHECK(best_of(1e-9, [](Index rounds) { return Window{rounds < 9 ? 1e-12 : 1.0, 0.5}; }).rounds == 9);
}

TEST_CASE("threads together: the rounds of all; the share of the worst-served") {
  const Rate rate = best_rate(2, allowed(), 0.05, [](int t) -> Work {
    return [t](Index rounds) {  // one is busy, and one sleeps, for a millisecond a round at least
      const auto end = Clock::now() + rounds * std::chrono::milliseconds(1);
      while (t == 0 && Clock::now() < end) continue;
      if (t == 1) std::this_thread::sleep_until(end);
    };
  });
  CHECK(rate.rounds <= 2000);
  CHECK(rate.rounds > 200);  // on a host however busy
  CHECK(rate.share < 0.5);
}

TEST_CASE("two threads and more are pinned, in turn; one is not") {
  const std::vector<int> all = allowed(), cpus = {all.back(), all.front()};
  std::vector<int> prepared(3);
  const auto pinned = [&](int t) -> Work {
    ++prepared[static_cast<std::size_t>(t)];
    CHECK(allowed() == std::vector<int>{cpus[static_cast<std::size_t>(t) % 2]});
    return nap;
  };
  best_rate(3, cpus, 0.001, pinned);
  CHECK(prepared == std::vector<int>{1, 1, 1});
  best_rate(2, cpus, 0.001, pinned);
  best_rate(1, {all.back()}, 0.001, [&](int) -> Work {
    CHECK(allowed() == all);
    return nap;
  });
  CHECK(allowed() == all);
}

TEST_CASE("what a thread cannot prepare is thrown, and the others go home") {
  for (const int failing : {0, 2})
    CHECK_THROWS_WITH_AS(best_rate(3, allowed(), 0.01,
                                   [&](int t) -> Work {
                                     if (t == failing) throw std::runtime_error("no room");
                                     return nap;
                                   }),
                         "no room", std::runtime_error);
}
