// ARM's 32 registers of 16 bytes; one instruction adds a product to its destination.
#include "peak.hpp"

namespace machine_neon {
namespace {

using machine::Index;

// A multiply-add waits 4 cycles, at most four start in one: 16 chains are needed; 24 and two constants fit 32
// registers.
constexpr int bytes = 16, chains = 24;

/// sum + factor * term: fmla adds to its destination, and a sum that were a factor, too, would have to be
/// copied first.
template <class T, int size, int chains>
COURSE_INLINE void multiply_add(T* state, Index rounds) {
  using V = typename machine::Vector<T, size>::type;
  V* const vectors = reinterpret_cast<V*>(state);
  V factor = vectors[0];
  const V term = vectors[1];
  V sum[chains];
#pragma GCC unroll 32  // each sum becomes a register
  for (int c = 0; c < chains; ++c) sum[c] = vectors[2 + c];
  for (Index r = 0; r < rounds; ++r)
#pragma GCC unroll 32
    for (int c = 0; c < chains; ++c) {
      asm("" : "+w"(factor));  // else the product, the same in each chain and round, would be computed once
      sum[c] += factor * term;
    }
#pragma GCC unroll 32
  for (int c = 0; c < chains; ++c) vectors[2 + c] = sum[c];
}

void peak_f32(float* state, Index rounds) {
  multiply_add<float, bytes, chains>(state, rounds);
}
void peak_f64(double* state, Index rounds) {
  multiply_add<double, bytes, chains>(state, rounds);
}
void peak_i32(std::uint32_t* state, Index rounds) {
  multiply_add<std::uint32_t, bytes, chains>(state, rounds);
}
void fma_f32(float* state, Index rounds) {
  multiply_add<float, bytes, 1>(state, rounds);
}
void fma_f64(double* state, Index rounds) {
  multiply_add<double, bytes, 1>(state, rounds);
}
template <int lanes, int some>
constexpr machine::Few few() {
  return {[](float* state, Index rounds) {
            multiply_add<float, lanes* static_cast<int>(sizeof(float)), some>(state, rounds);
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

const machine::Kernels kernels = {"neon",
                                  bytes,
                                  {peak_f32, chains, "fmla"},
                                  {peak_f64, chains, "fmla"},
                                  {peak_i32, chains, "mla"},
                                  {fma_f32},
                                  {fma_f64},
                                  triad,
                                  read,
                                  {few<1, 1>(), few<1, 4>(), few<1, 8>(), few<1, 16>(), few<1, 24>(),
                                   few<4, 1>(), few<4, 4>(), few<4, 8>(), few<4, 16>(), few<4, 24>()}};

}  // namespace machine_neon
