// Windows that a script fills, and threads that are watched while they work. No time is asserted: what is
// measured is held against what the work itself sees.
#include "00_machine/measure.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "runner/text.hpp"

using namespace machine;
using Clock = std::chrono::steady_clock;

namespace {

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double processor_seconds() {
  timespec used = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

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

/// What the threads saw of a window.
struct Seen {
  Clock::time_point first = Clock::time_point::max(), last = Clock::time_point::min();
  double least_share = 1;
  double seconds() const { return std::chrono::duration<double>(last - first).count(); }
};

/// Thread t is busy for `busy`[t] seconds a round, then idle for `idle`[t]. False if best_rate does not find
/// what the threads see themselves.
bool found(const std::vector<double>& busy, const std::vector<double>& idle) {
  const auto threads = static_cast<int>(busy.size());
  std::map<Index, std::vector<Seen>> windows;  // by rounds, in turn
  std::vector<std::map<Index, std::size_t>> turn(busy.size());
  std::mutex mutex;
  const Rate rate = best_rate(threads, allowed(), 0.05, [&](int t) -> Work {
    return [&, me = static_cast<std::size_t>(t)](Index rounds) {
      const Clock::time_point start = Clock::now();
      const double before = processor_seconds();
      const auto times = static_cast<double>(rounds);
      while (since(start) < times * busy[me]) continue;
      if (idle[me] > 0) std::this_thread::sleep_for(std::chrono::duration<double>(times * idle[me]));
      const double used = processor_seconds() - before;
      const Clock::time_point end = Clock::now();
      const std::lock_guard lock(mutex);
      auto& seen = windows[rounds];
      const std::size_t number = turn[me][rounds]++;
      if (number == seen.size()) seen.push_back({});
      seen[number].first = std::min(seen[number].first, start);
      seen[number].last = std::max(seen[number].last, end);
      seen[number].least_share =
          std::min(seen[number].least_share, used / std::chrono::duration<double>(end - start).count());
    };
  });
  double most = 0;
  bool share_seen = false;
  for (const auto& entry : windows)
    for (const Seen& seen : entry.second) {
      most = std::max(most, threads * static_cast<double>(entry.first) / seen.seconds());
      share_seen |= std::abs(rate.share - seen.least_share) < 0.05;
    }
  CHECK(rate.rounds <= most);
  return rate.rounds > most / 2 && share_seen;
}

/// A thread may lose its processor between its own look at the clock and best_rate's: there are five tries.
void check_rate(const std::vector<double>& busy, const std::vector<double>& idle) {
  bool once = false;
  for (int tries = 0; tries < 5 && !once; ++tries) once = found(busy, idle);
  CHECK(once);
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

TEST_CASE("a window of 20 ms is enough, however long there is time") {
  int windows = 0;
  const Rate best = best_of(0.2, [&](Index rounds) -> Window {
    ++windows;
    return {rounds == 1 ? 0.019 : 0.02, 1};
  });
  CHECK(windows > 2);
  CHECK(best.rounds == 100);  // 1 + 1 * 1.2 * 20 / 19 rounds in 20 ms
}

TEST_CASE("a window there is, even if the time is over before") {
  const Rate best = best_of(1e-9, [&](Index rounds) -> Window { return {rounds < 9 ? 1e-12 : 1.0, 0.5}; });
  CHECK(best.rounds == 9);
  CHECK(best.share == 0.5);
}

TEST_CASE("a rate says if its thread had to share the processor") {
  CHECK(Rate{1, 1}.disturbed().empty());
  CHECK(Rate{1, 0.97}.disturbed().empty());
  CHECK(Rate{1, 0.967}.disturbed() == "; disturbed: a thread had a processor for 96 % of the time");
  CHECK(Rate{1, 0.5}.disturbed() == "; disturbed: a thread had a processor for 50 % of the time");
}

TEST_CASE(
    "threads together: the rounds of all, from first start to last end; the share of the worst-served") {
  check_rate({2e-5}, {0});
  check_rate({0}, {2e-5});
  check_rate({1e-5, 0}, {0, 1e-4});
  check_rate({0, 1e-5, 0}, {1e-4, 0, 1e-5});
  check_rate({0, 0, 1e-5}, {1e-5, 1e-4, 0});
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

TEST_CASE("no window begins before all have prepared; none is of no rounds, or after the last") {
  std::atomic<int> prepared = 0, early = 0;
  best_rate(3, allowed(), 0.02, [&](int t) -> Work {
    std::this_thread::sleep_for(std::chrono::milliseconds(10 * t));
    ++prepared;
    return [&](Index rounds) {
      early += prepared < 3 || rounds < 1;
      nap(rounds);
    };
  });
  CHECK(early == 0);
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

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they take the addresses
TEST_CASE("threads that cannot be had are refused, and those that were had go home") {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  rlimit before = {};
  getrlimit(RLIMIT_AS, &before);
  rlimit less = before;
  less.rlim_cur = pages * 4096 + (64 << 20);  // stacks of 8 MiB each
  setrlimit(RLIMIT_AS, &less);
  std::string refused;
  std::atomic<int> prepared = 0;
  try {
    best_rate(200, allowed(), 0.01, [&](int) -> Work {
      ++prepared;
      return nap;
    });
  } catch (const course::Refusal& refusal) {
    refused = refusal.message;
  }
  setrlimit(RLIMIT_AS, &before);
  CHECK(refused.starts_with("cannot start a thread: "));
  CHECK(refused.ends_with("; give fewer --threads"));
  CHECK(prepared == 0);
}
#endif
