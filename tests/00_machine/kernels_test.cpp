// The loops that 00 times do the work that it counts: what they leave tells how often they went round. And
// threads that are watched while they work.
#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>

#include "00_machine/measure.hpp"
#include "00_machine/topology.hpp"
#include "common/matrix.hpp"

using namespace machine;

namespace {

constexpr Index rounds = 5;

/// Sums that begin with c are 2 · sum + 1 in each round: 2⁵ · (c + 1) - 1 after five; Neon's are sum + 2 · 1.
/// Nothing else is written.
Index after(Index c) {
#ifdef __aarch64__
  return c + 2 * rounds;
#else
  return 32 * (c + 1) - 1;
#endif
}
template <class T>
void check_sums(void (*run)(T* state, Index rounds), Index lanes, Index chains) {
  if (run == nullptr) return;
  course::Matrix<T> memory(1, (2 + chains + 1) * lanes);
  T* const state = &memory.view()(0, 0);
  for (Index lane = 0; lane < lanes; ++lane) {
    state[lane] = T(2), state[lanes + lane] = T(1);
    for (Index c = 0; c <= chains; ++c) state[(2 + c) * lanes + lane] = static_cast<T>(c);
  }
  run(state, rounds);
  for (Index c = 0; c <= chains; ++c)
    for (Index lane = 0; lane < lanes; ++lane)
      CHECK(state[(2 + c) * lanes + lane] == static_cast<T>(c < chains ? after(c) : c));
}

/// Those that this process may use.
std::vector<int> cpus() {
  std::vector<int> all(std::thread::hardware_concurrency());
  for (std::size_t cpu = 0; cpu < all.size(); ++cpu) all[cpu] = static_cast<int>(cpu);
  return all;
}

}  // namespace

TEST_CASE("a round multiplies and adds once on each chain, in every lane; a latency's adds") {
  for (const Kernels* set : vector_sets()) {
    CAPTURE(set->name);
    check_sums(set->f32.run, set->bytes / 4, set->f32.chains);
    check_sums(set->f64.run, set->bytes / 8, set->f64.chains);
    check_sums(set->i32.run, set->bytes / 4, set->i32.chains);
    check_sums(set->fma_f32.run, set->bytes / 4, 1);
    check_sums(set->fma_f64.run, set->bytes / 8, 1);
    for (const Few& few : set->few) check_sums(few.run, few.lanes, few.chains);
  }
  double state[] = {3, 4};
  additions(state, 1000);
  CHECK((state[1] == 3004 && state[0] == 3));
}

TEST_CASE("a pass of the sum reads every number once, one of the triad takes every element once") {
  constexpr Index count = 192, taken = count - 64;
  course::Matrix<double> memory(1, count), a(1, count), c(1, count);
  auto* const numbers = reinterpret_cast<std::uint64_t*>(&memory.view()(0, 0));
  for (Index i = 0; i < count; ++i) numbers[i] = static_cast<std::uint64_t>(i);
  for (const Kernels* set : vector_sets()) {
    CAPTURE(set->name);
    CHECK(set->read(numbers, taken, rounds) == rounds * 127 * 64);
    for (Index i = 0; i < count; ++i) a.view()(0, i) = static_cast<double>(i), c.view()(0, i) = 1;
    double* const sums = &a.view()(0, 0);  // a = a + 2 · c: the passes can be told
    set->triad(sums, sums, &c.view()(0, 0), 2, taken, rounds);
    for (Index i = 0; i < count; ++i) CHECK(sums[i] == static_cast<double>(i < taken ? i + 2 * rounds : i));
  }
}

TEST_CASE(
    "threads together: the rounds of all, the share of the worst-served; what one cannot prepare is thrown") {
  using Clock = std::chrono::steady_clock;
  const auto prepare = [](int t) -> Work {
    return [t](Index rounds) {  // one is busy, and one sleeps, for a millisecond a round at least
      const auto end = Clock::now() + rounds * std::chrono::milliseconds(1);
      while (t == 0 && Clock::now() < end) continue;
      if (t == 1) std::this_thread::sleep_until(end);
    };
  };
  const Rate rate = best_rate(2, cpus(), 0.05, prepare);
  CHECK((rate.rounds <= 2000 && rate.rounds > 200 && rate.share < 0.5));  // on a host however busy
  CHECK(rate.disturbed().starts_with("; disturbed: a thread had a processor for "));
  const auto fails = [&prepare](int t) { return t == 2 ? throw std::runtime_error("no room") : prepare(t); };
  CHECK_THROWS_WITH_AS(best_rate(3, cpus(), 0.01, fails), "no room", std::runtime_error);
}
