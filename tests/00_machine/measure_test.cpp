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
#ifndef __linux__
  return {0, 1};
#else
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  return cpus;
#endif
}

/// Work that is long enough for any window.
void nap(Index) {
  std::this_thread::sleep_for(std::chrono::milliseconds(6));
}

}  // namespace

TEST_CASE("rounds grow until a window takes 20 ms or a quarter of the time; the best such window counts") {
  for (const double budget : {1e-9, 0.04, 0.2}) {
    const double enough = std::min(0.02, budget / 4);
    Index last = 0, windows = 0;
    bool grew = true;  // not more than eightfold at a time, and no more when it is enough
    const Rate best = best_of(budget, [&](Index rounds) -> Window {
      grew &= windows > 0 ? rounds == last : rounds > last && rounds <= 8 * last + 1;
      last = rounds;
      if (rounds < 1000) return {enough / 1250 * static_cast<double>(rounds), 0.1};  // faster, and too short
      return ++windows == 2 ? Window{1.25 * enough, 0.9} : Window{2 * enough, 0.7};
    });
    CHECK((grew && windows > 0));
    CHECK(best.share == (windows > 1 ? 0.9 : 0.7));
    CHECK(best.rounds == doctest::Approx(static_cast<double>(last) / (enough * (windows > 1 ? 1.25 : 2))));
  }
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

#ifdef __linux__
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
#endif

TEST_CASE("what a thread cannot prepare is thrown, and the others go home") {
  for (const int failing : {0, 2})
    CHECK_THROWS_WITH_AS(best_rate(3, allowed(), 0.01,
                                   [&](int t) -> Work {
                                     if (t == failing) throw std::runtime_error("no room");
                                     return nap;
                                   }),
                         "no room", std::runtime_error);
}
