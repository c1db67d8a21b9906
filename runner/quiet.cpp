#include "runner/quiet.hpp"

#include <omp.h>
#include <time.h>

#include <algorithm>
#include <bit>

#include "common/stopwatch.hpp"
#include "runner/machine.hpp"

namespace course {
namespace {

constexpr double enough = 0.98;         // of the best pace
constexpr double enough_served = 0.97;  // of their time, for processors
constexpr double patience = 1.0 / 3;    // seconds

constexpr int rounds = 800'000, unrolled = 16;  // about 4 ms: a step of each chain takes a cycle

/// Seconds of three chains of dependent additions. One alone would leave most of a core to a neighbour on its
/// other hardware thread, who would not show. At a cache line's start, so that it is as fast in any program.
[[gnu::noinline, gnu::aligned(64)]] double loop() {
  unsigned a = 1, b = 2, c = 3, step = 5;
  const Stopwatch watch;
  for (int r = 0; r < rounds; ++r)
#pragma GCC unroll 16
    for (int u = 0; u < unrolled; ++u) {
      a += step, b += step, c += step;
      asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(step));  // else they would become one product
    }
  return watch.seconds();
}

}  // namespace

double pace(int threads) {
  double slowest = 0;
  // OpenMP's threads: others would have to share the cores with them, which may wait for work actively.
#pragma omp parallel num_threads(threads) reduction(max : slowest)
  slowest = loop();
  return rounds * static_cast<double>(unrolled) / slowest;
}

double processor_seconds() {
  timespec used = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

bool Quiet::fit(int threads) const {
  return threads * world_.size() <= usable_cpus();
}

int Quiet::running(int threads) const {
  return std::clamp(threads, 1, std::max(1, usable_cpus() / world_.size()));
}

double Quiet::slowest(int threads) const {
  double seconds = 1 / pace(running(threads));
  world_.max({&seconds, 1});
  return 1 / seconds;
}

bool Quiet::now(int threads, double share) {
  const int all = running(threads) * world_.size();
  const auto [place, is_new] = best_.try_emplace(all);
  auto& [best, measured] = place->second;
  if (is_new) {
    best = std::bit_cast<double>(world_.root(std::bit_cast<std::uint64_t>(roofs_ ? roofs_->pace(all) : 0)));
    measured = best > 0;
    for (int tries = 20; !measured && tries > 0; --tries) best = std::max(best, slowest(threads));
  }
  const double found = slowest(threads);
  if (!measured) best = std::max(best, found);
  double missing = -share;
  world_.max({&missing, 1});
  return found >= enough * best && -missing >= enough_served;
}

bool Quiet::wait(int threads) {
  // Threads of rows before this one would wait beside a single one, perhaps actively.
  if (threads == 1) omp_pause_resource_all(omp_pause_soft);
  const Stopwatch watch;
  bool quiet = now(threads);
  while (world_.root(!quiet && watch.seconds() < patience) != 0) quiet = now(threads);
  return quiet;
}

}  // namespace course
