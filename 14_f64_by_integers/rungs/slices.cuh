// slices (Ozaki's first scheme): an element is cut into digits of 7 bits, one exponent a row of A or column
// of B. The products of digits, and their sums in 32 bits, are exact; those of the same weight are one
// product with a longer k. Eight digits have the 53 bits of a double, and take 36 products.
//   build/14_f64_by_integers/14_f64_by_integers --emulate forward --size 64 --variant slices
#pragma once

#include "../planes.cuh"

namespace f64_by_integers {
namespace {

struct Slices {
  static constexpr int planes = 8;
  static constexpr bool digits = true;
  static constexpr Index longest_k = 1 << 14;  // 8 · 127² · k < 2^31
  static Rule rule(Index) { return {1 - 0x1p-53, false}; }
};

// [digits]
template <class Store>
__device__ void split_four(const Slices&, Four four, Store store) {
#pragma unroll
  for (int t = 0; t < Slices::planes; ++t) {
    int digit[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const double x = 128 * four.of[e];
      digit[e] = int(x), four.of[e] = x - digit[e];
    }
    store(t, packed(digit));
  }
}
// [/digits]

// [value]
/// Σ sum[t] 128^-(t + 2), the smallest first.
__device__ inline double value_of(const Slices&, const int* sum, Index matrix) {
  double value = 0;
#pragma unroll
  for (int t = Slices::planes - 1; t >= 0; --t) value = (value + sum[t * matrix]) * 0x1p-7;
  return value * 0x1p-7;
}
// [/value]

}  // namespace
}  // namespace f64_by_integers
