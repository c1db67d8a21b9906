// Fused multiply-add: one instruction for both.
#include "peak.hpp"

namespace machine_avx2 {
namespace {

using machine::Index;

// A multiply-add waits 4 or 5 cycles, two start in one: 10 chains are needed; 12 and two constants fit 16
// registers.
constexpr int bytes = 32, chains = 12;

void peak_f32(float* state, Index rounds) {
  machine::multiply_add<float, bytes, chains>(state, rounds);
}
void peak_f64(double* state, Index rounds) {
  machine::multiply_add<double, bytes, chains>(state, rounds);
}
void peak_i32(std::uint32_t* state, Index rounds) {
  machine::multiply_add<std::uint32_t, bytes, chains>(state, rounds);
}
void fma_f32(float* state, Index rounds) {
  machine::multiply_add<float, bytes, 1>(state, rounds);
}
void fma_f64(double* state, Index rounds) {
  machine::multiply_add<double, bytes, 1>(state, rounds);
}
template <int lanes, int some>
constexpr machine::Few few() {
  return {[](float* state, Index rounds) {
            machine::multiply_add<float, lanes* static_cast<int>(sizeof(float)), some>(state, rounds);
          },
          lanes, some};
}
void triad(double* a, const double* b, const double* c, double factor, Index count, Index passes) {
  machine::triad<bytes>(a, b, c, factor, count, passes);
}
std::uint64_t read(const std::uint64_t* numbers, Index count, Index passes) {
  return machine::read<bytes>(numbers, count, passes);
}

}  // namespace

const machine::Kernels kernels = {"avx2",
                                  bytes,
                                  {peak_f32, chains, "vfmadd"},
                                  {peak_f64, chains, "vfmadd"},
                                  {peak_i32, chains, "vpmulld + vpaddd"},
                                  {fma_f32},
                                  {fma_f64},
                                  triad,
                                  read,
                                  {few<1, 1>(), few<1, 2>(), few<1, 4>(), few<1, 8>(), few<1, 12>(),
                                   few<8, 1>(), few<8, 2>(), few<8, 4>(), few<8, 8>(), few<8, 12>()}};

}  // namespace machine_avx2
