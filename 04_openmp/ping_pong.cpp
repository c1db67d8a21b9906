// What it takes to hand a cache line from one core to another and back, as CSV: nanoseconds a transfer, the
// median and the best of 25 times. Status 77: there are no two cores.
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>

#include "common/stopwatch.hpp"

namespace {

constexpr int transfers = 10'000;
alignas(64) std::atomic<int> turns = 0;  // alone in its line

// [ping_pong]
/// Two threads count in turns: each waits for the other's number, so the line travels once for each.
double nanoseconds() {
  turns = 0;
  double seconds = 0;
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
#pragma omp barrier
    const course::Stopwatch watch;
    for (int turn = me; turn < transfers; turn += 2) {
      for (int look = 0; turns.load(std::memory_order_acquire) != turn; ++look)
        if (look > 10'000) sched_yield();  // the other may need this core
      turns.store(turn + 1, std::memory_order_release);
    }
    if (me == 1) seconds = watch.seconds();
  }
  return seconds / transfers * 1e9;
}
// [/ping_pong]

}  // namespace

int main() {
  omp_set_dynamic(0), omp_set_max_active_levels(1);
  if (omp_get_thread_limit() < 2)
    return std::fprintf(stderr, "04_openmp_ping_pong: OMP_THREAD_LIMIT allows one thread; unset it\n"), 2;
  if (omp_get_num_procs() < 2) return std::fprintf(stderr, "04_openmp_ping_pong: needs two cores\n"), 77;
  std::array<double, 25> times{};
  std::generate(times.begin(), times.end(), nanoseconds);
  std::sort(times.begin(), times.end());
  std::printf("transfers,ns,best_ns\n%d,%.3g,%.3g\n", transfers, times[times.size() / 2], times[0]);
  return turns == transfers ? 0 : 1;
}
