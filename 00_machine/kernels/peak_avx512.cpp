// The same with registers twice as wide, and twice as many.
#include "peak.hpp"

namespace machine_avx512 {
namespace {

using machine::Index;

// 32 registers: 24 chains also hide vpmulld's 10 cycles.
constexpr int bytes = 64, chains = 24;

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
void triad(double* a, const double* b, const double* c, double factor, Index count, Index passes) {
  machine::triad<bytes>(a, b, c, factor, count, passes);
}
std::uint64_t read(const std::uint64_t* numbers, Index count, Index passes) {
  return machine::read<bytes>(numbers, count, passes);
}

}  // namespace

const machine::Kernels kernels = {"avx512",
                                  bytes,
                                  {peak_f32, chains, "vfmadd"},
                                  {peak_f64, chains, "vfmadd"},
                                  {peak_i32, chains, "vpmulld + vpaddd"},
                                  {fma_f32},
                                  {fma_f64},
                                  triad,
                                  read};

}  // namespace machine_avx512
