// remainders (Ozaki's second scheme): elements become integers of some 54 bits; of these the remainders by N
// moduli of 8 bits are multiplied, N products, and the Chinese remainder theorem makes one integer of N
// remainders. remainders: cut off, and bounded by the largest elements: N = 15. rounded: to nearest, and
// bounded by norms: 14 are enough.
//   build/14_f64_by_integers/14_f64_by_integers --emulate forward --size 64 --variant rounded
#pragma once

#include "../moduli.hpp"
#include "../planes.cuh"

namespace f64_by_integers {
namespace {

template <bool rounded, int moduli = rounded ? 14 : 15>
struct ByRemainders {
  static constexpr int planes = moduli;
  static constexpr bool digits = false;
  Remainders of{planes};

  // [rule]
  static Rule rule(Index k) {
    const double longest = Remainders::longest(planes);
    return {rounded ? longest : longest / std::sqrt(double(k)), rounded};
  }
  // [/rule]
};

template <bool rounded, int moduli, class Store>
__device__ void split_four(const ByRemainders<rounded, moduli>&, const Four& four, Store store) {
  std::int64_t x[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) x[e] = rounded ? std::int64_t(llrint(four.of[e])) : std::int64_t(four.of[e]);
#pragma unroll
  for (int t = 0; t < moduli; ++t) {
    int remainder[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) remainder[e] = int(nearest<std::int64_t>(x[e], modulus(t)));
    store(t, packed(remainder));
  }
}

// [integer_of]
/// The integer whose remainders, times the weights, have these sums: exact to some 80 bits, then rounded.
__device__ inline double integer_of(const Remainders& of, double high, double low) {
  const double q = fma(high, of.inverse, 0x1.8p52) - 0x1.8p52;  // rounded to an integer
  return fma(-q, of.product_high, high) + fma(-q, of.product_low, low);
}
// [/integer_of]

template <bool rounded, int moduli>
__device__ double value_of(const ByRemainders<rounded, moduli>& way, const int* sum, Index matrix) {
  double high = 0, low = 0;
#pragma unroll
  for (int t = 0; t < moduli; ++t) {
    const double r = sum[t * matrix] % modulus(t);
    high = fma(r, way.of.high[t], high), low = fma(r, way.of.low[t], low);
  }
  return integer_of(way.of, high, low);
}

}  // namespace
}  // namespace f64_by_integers
