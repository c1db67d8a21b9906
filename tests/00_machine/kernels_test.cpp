// The loops that 00 times do the work that it counts: what they leave tells how often they went round.
#include "00_machine/kernels/kernels.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "common/matrix.hpp"

using namespace machine;

namespace {

constexpr Index rounds = 5;

/// Of one vector set, if this processor has it.
const std::vector<const Kernels*>& sets() {
  static const std::vector<const Kernels*> all = [] {
#ifdef __aarch64__
    return std::vector<const Kernels*>{&machine_neon::kernels};
#else
    std::vector<const Kernels*> found = {&machine_sse2::kernels};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      found.push_back(&machine_avx2::kernels);
    if (__builtin_cpu_supports("avx512f")) found.push_back(&machine_avx512::kernels);
    return found;
#endif
  }();
  return all;
}

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
void check_sums(void (*run)(T* state, Index rounds), Index lanes, Index chains, const std::string& name) {
  course::Matrix<T> memory(1, (2 + chains + 1) * lanes);
  T* const state = &memory.view()(0, 0);
  for (Index lane = 0; lane < lanes; ++lane) {
    state[lane] = T(2), state[lanes + lane] = T(1);
    for (Index c = 0; c <= chains; ++c) state[(2 + c) * lanes + lane] = static_cast<T>(c);
  }
  run(state, rounds);
  for (Index c = 0; c <= chains; ++c)
    for (Index lane = 0; lane < lanes; ++lane) {
      INFO(name, ", ", c);
      CHECK(state[(2 + c) * lanes + lane] == static_cast<T>(c < chains ? after(c) : c));
    }
}

template <class T>
Index lanes_of(const Kernels& set) {
  return set.bytes / static_cast<Index>(sizeof(T));
}

}  // namespace

TEST_CASE_TEMPLATE("a round adds once", T, float, double, std::uint32_t) {
  T state[] = {3, 4};
  additions(state, 1000);
  CHECK(state[1] == T(3004));
  CHECK(state[0] == T(3));
}

TEST_CASE("a round multiplies and adds once on each chain, in every lane") {
  for (const Kernels* set : sets()) {
    check_sums(set->f32.run, lanes_of<float>(*set), set->f32.chains, set->name);
    check_sums(set->f64.run, lanes_of<double>(*set), set->f64.chains, set->name);
    check_sums(set->i32.run, lanes_of<std::uint32_t>(*set), set->i32.chains, set->name);
    if (set->fma_f32.run) check_sums(set->fma_f32.run, lanes_of<float>(*set), 1, set->name);
    if (set->fma_f64.run) check_sums(set->fma_f64.run, lanes_of<double>(*set), 1, set->name);
    for (const Few& few : set->few)
      if (few.run) check_sums(few.run, few.lanes, few.chains, set->name + std::string(", few"));
  }
}

TEST_CASE("a pass of the sum reads every number once") {
  constexpr Index count = 192;
  course::Matrix<double> memory(1, count);
  auto* const numbers = reinterpret_cast<std::uint64_t*>(&memory.view()(0, 0));
  for (Index i = 0; i < count; ++i) numbers[i] = static_cast<std::uint64_t>(i);
  for (const Kernels* set : sets()) CHECK(set->read(numbers, count - 64, rounds) == rounds * 127 * 64);
}

TEST_CASE("a pass of the triad takes every element once") {
  constexpr Index count = 128;
  course::Matrix<double> a(1, count), c(1, count);
  for (const Kernels* set : sets()) {
    for (Index i = 0; i < count; ++i) a.view()(0, i) = static_cast<double>(i), c.view()(0, i) = 1;
    double* const sums = &a.view()(0, 0);  // a = a + 2 · c: the passes can be told
    set->triad(sums, sums, &c.view()(0, 0), 2, count - 64, rounds);
    for (Index i = 0; i < count; ++i) {
      CAPTURE(set->name);
      CHECK(sums[i] == static_cast<double>(i < count - 64 ? i + 2 * rounds : i));
    }
  }
}
