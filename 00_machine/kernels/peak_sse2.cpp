// Multiply, then add: two instructions.
#include "peak.hpp"

namespace machine_sse2 {
namespace {

using machine::Index;

// A chain waits 6 to 8 cycles, and at most two pairs start in one: 12 chains and two constants fit 16
// registers.
constexpr int bytes = 16, chains = 12;
constexpr int few_chains =
    4;  // a product of integers is made of six instructions and needs registers of its own

void peak_f32(float* state, Index rounds) {
  machine::multiply_add<float, bytes, chains>(state, rounds);
}
void peak_f64(double* state, Index rounds) {
  machine::multiply_add<double, bytes, chains>(state, rounds);
}
void peak_i32(std::uint32_t* state, Index rounds) {
  machine::multiply_add<std::uint32_t, bytes, few_chains>(state, rounds);
}
void triad(double* a, const double* b, const double* c, double factor, Index count, Index passes) {
  machine::triad<bytes>(a, b, c, factor, count, passes);
}
std::uint64_t read(const std::uint64_t* numbers, Index count, Index passes) {
  return machine::read<bytes>(numbers, count, passes);
}

}  // namespace

const machine::Kernels kernels = {"sse2",
                                  bytes,
                                  {peak_f32, chains, "mulps + addps"},
                                  {peak_f64, chains, "mulpd + addpd"},
                                  {peak_i32, few_chains, "2 pmuludq and shuffles + paddd"},
                                  {nullptr},
                                  {nullptr},
                                  triad,
                                  read};

}  // namespace machine_sse2
