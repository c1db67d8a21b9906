#include "pace.hpp"

#include "common/stopwatch.hpp"

namespace machine {
namespace {

constexpr int rounds = 800'000, unrolled = 16;  // about 4 ms: a step of each chain takes a cycle

/// Seconds of three chains of dependent additions. One alone would leave most of a core to a neighbour on its
/// other hardware thread, who would not show. At a cache line's start, so that it is as fast in any program.
[[gnu::noinline, gnu::aligned(64)]] double loop() {
  unsigned a = 1, b = 2, c = 3, step = 5;
  const course::Stopwatch watch;
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

}  // namespace machine
