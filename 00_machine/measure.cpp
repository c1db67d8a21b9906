#include "measure.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cmath>
#include <exception>
#include <latch>
#include <system_error>
#include <thread>

#include "common/stopwatch.hpp"
#include "runner/text.hpp"

namespace machine {
namespace {

using Clock = std::chrono::steady_clock;

void pin([[maybe_unused]] int cpu) {
#ifdef __linux__  // elsewhere the system places the thread, as it does if this is refused
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  sched_setaffinity(0, sizeof set, &set);
#endif
}

/// Processor time used by the calling thread.
double thread_seconds() {
  timespec used = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

/// A team of threads: each waits for a number of rounds, does them, and waits again.
class Team {
 public:
  Team(int threads, const std::vector<int>& cpus, const std::function<Work(int)>& prepare)
      : barrier_(threads + 1), spans_(static_cast<std::size_t>(threads)) {
    try {
      for (int t = 0; t < threads; ++t)
        threads_.emplace_back([this, t, threads, &cpus, &prepare] {
          all_created_.wait();
          if (cancelled_) return;
          if (threads > 1) pin(cpus[static_cast<std::size_t>(t) % cpus.size()]);
          work(t, prepare);
        });
    } catch (const std::system_error& error) {
      cancelled_ = true;
      all_created_.count_down();
      throw course::Refusal{std::string("cannot start a thread: ") + error.what() + "; give fewer --threads"};
    }
    all_created_.count_down();
    barrier_.arrive_and_wait();  // all have prepared
    for (const Span& span : spans_)
      if (span.failure) {
        window(0);
        std::rethrow_exception(span.failure);
      }
  }
  ~Team() { window(0); }

  /// From the first start to the last end; 0 rounds end the threads.
  Window window(Index rounds) {
    rounds_ = rounds;
    barrier_.arrive_and_wait();
    if (rounds == 0) return {};
    barrier_.arrive_and_wait();
    Clock::time_point first = Clock::time_point::max(), last = Clock::time_point::min();
    double share = 1, work = HUGE_VAL;  // share: of its own time, or a thread that was merely done first
                                        // would count as disturbed
    for (const Span& span : spans_) {
      first = std::min(first, span.start), last = std::max(last, span.end);
      const double own = std::chrono::duration<double>(span.end - span.start).count();
      share = std::min(share, span.used / own), work = std::min(work, own);
    }
    return {std::chrono::duration<double>(last - first).count(), share, work};
  }

 private:
  struct alignas(64) Span {
    Clock::time_point start, end;
    double used;  // seconds of a processor
    std::exception_ptr failure;
  };

  void work(int t, const std::function<Work(int)>& prepare) {
    Span& mine = spans_[static_cast<std::size_t>(t)];
    Work work;
    try {
      work = prepare(t);
    } catch (...) {
      mine.failure = std::current_exception();
    }
    barrier_.arrive_and_wait();
    while (true) {
      barrier_.arrive_and_wait();
      if (rounds_ == 0) return;
      const double before = thread_seconds();
      mine.start = Clock::now();
      work(rounds_);
      mine.end = Clock::now();
      mine.used = thread_seconds() - before;
      barrier_.arrive_and_wait();
    }
  }

  /// std::jthread, which libc++ 16 lacks; its std::async waits forever where no thread can be had.
  struct Thread : std::thread {
    using std::thread::thread;
    Thread(Thread&&) = default;
    ~Thread() {
      if (joinable()) join();
    }
  };

  std::latch all_created_{1};
  bool cancelled_ = false;
  std::barrier<> barrier_;
  Index rounds_ = 0;
  std::vector<Span> spans_;
  std::vector<Thread> threads_;
};

constexpr int pace_rounds = 800'000, unrolled = 16;  // about 4 ms: a step of each chain takes a cycle

/// Seconds of three chains of dependent additions. One alone would leave most of a core to a neighbour on its
/// other hardware thread, who would not show. At a cache line's start, so that it is as fast in any program.
[[gnu::noinline, gnu::aligned(64)]] double loop() {
  unsigned a = 1, b = 2, c = 3, step = 5;
  const course::Stopwatch watch;
  for (int r = 0; r < pace_rounds; ++r)
#pragma GCC unroll 16
    for (int u = 0; u < unrolled; ++u) {
      a += step, b += step, c += step;
      asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(step));  // else they would become one product
    }
  return watch.seconds();
}

}  // namespace

std::string Rate::disturbed() const {
  if (share >= 0.97) return {};
  return "; disturbed: a thread had a processor for " + std::to_string(static_cast<int>(100 * share)) +
         " % of the time";
}

Rate best_of(double budget, const std::function<Window(Index rounds)>& window) {
  const double enough = std::min(0.02, budget / 4);
  const course::Stopwatch watch;
  Rate best;
  for (Index rounds = 1; best.rounds == 0 || watch.seconds() < budget;) {
    const auto [seconds, share, own] = window(rounds);
    const double work = std::min(own, seconds);
    if (work < enough)  // too little work: the threads' starts and ends would count
      rounds = 1 + static_cast<Index>(static_cast<double>(rounds) * std::min(8.0, 1.2 * enough / work));
    else if (const double rate = static_cast<double>(rounds) / seconds; rate > best.rounds)
      best = {rate, share};
  }
  return best;
}

Rate best_rate(int threads, const std::vector<int>& cpus, double budget,
               const std::function<Work(int thread)>& prepare) {
  Team team(threads, cpus, prepare);
  Rate best = best_of(budget, [&](Index rounds) { return team.window(rounds); });
  best.rounds *= threads;
  return best;
}

double pace(int threads) {
  double slowest = 0;
  // OpenMP's threads: others would have to share the cores with them, which may wait for work actively.
#pragma omp parallel num_threads(threads) reduction(max : slowest)
  slowest = loop();
  return pace_rounds * static_cast<double>(unrolled) / slowest;
}

}  // namespace machine
