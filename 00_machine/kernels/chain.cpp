#include "kernels.hpp"

namespace machine {
namespace {

/// To the compiler the value may have changed here: it cannot turn many additions into one product.
template <class T>
[[gnu::always_inline]] inline void opaque(T& value) {
  if constexpr (std::is_integral_v<T>)
    asm volatile("" : "+r"(value));
  else
#ifdef __aarch64__
    asm volatile("" : "+w"(value));
#else
    asm volatile("" : "+x"(value));
#endif
}

// [chain]
template <class T>
[[gnu::always_inline]] inline void dependent_additions(T* state, Index rounds) {
  const T term = state[0];  // from memory: some processors add small constants without executing anything
  T sum = state[1];
#pragma GCC unroll 16
  for (Index r = 0; r < rounds; ++r) {
    sum += term;
    opaque(sum);
  }
  state[1] = sum;
}
// [/chain]

}  // namespace

void additions(float* state, Index rounds) {
  dependent_additions(state, rounds);
}
void additions(double* state, Index rounds) {
  dependent_additions(state, rounds);
}
void additions(std::uint32_t* state, Index rounds) {
  dependent_additions(state, rounds);
}

}  // namespace machine
