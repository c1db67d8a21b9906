// 13: f32 products by tensor cores: a float is split into parts, halves whose products are exact in f32.
#pragma once

#include <bit>

#include "common/bf16.hpp"
#include "f16.hpp"
#include "gpu/launch.hpp"

namespace f32_by_halves {

using course::bf16, course::Index, course::SharedTile, course::View;

// [bf16x3]
/// x = of[0] + of[1] + of[2], each the rounded rest of those before it: 8 + 8 + 8 bits, all that a float has.
/// Six products; the three that are left out are below 2^-24 of the first.
struct Bf16x3 {
  using Half = bf16;
  static constexpr bool scaled = false;
  static constexpr int parts = 3, products = 6;
  static constexpr int a_part(int product) {  // the smallest products first
    constexpr int of[products] = {2, 0, 1, 1, 0, 0};
    return of[product];
  }
  static constexpr int b_part(int product) {
    constexpr int of[products] = {0, 2, 1, 0, 1, 0};
    return of[product];
  }
};
// [/bf16x3]

// [fp16x2]
/// x = of[0] + of[1]: 11 + 11 bits, and the rest's sign. The exponents of FP16 are few, so each row of A and
/// each column of B is scaled by a power of two: the exponent of its largest element becomes 13. Three
/// products; the one that is left out is at most 2^-22 of the first.
struct Fp16x2 {
  using Half = f16;
  static constexpr bool scaled = true;
  static constexpr int parts = 2, products = 3;
  static constexpr int a_part(int product) { return product == 0 ? 1 : 0; }
  static constexpr int b_part(int product) { return product == 1 ? 1 : 0; }
};
constexpr int largest_exponent = 13;
// [/fp16x2]

/// What the pass that splits finds, by bits. beyond: NaN, infinity, or what three BF16 do not hold to the
/// last bit. graded: of a row or column more than one element in 64 is below 2^-17 of the largest, where the
/// second FP16 is a denormal and loses three bits or more. reported: the product has begun, the others are
/// known.
enum Found : unsigned { beyond = 1, graded = 2, reported = 4 };

constexpr int bits_of_infinity = 0x7f800000;

/// The bits of |x|, which are ordered as the numbers are; NaN is above infinity.
__device__ inline int size_bits(float x) {
  return std::bit_cast<int>(x) & 0x7fffffff;
}
/// By which power of two to scale so that the number with these size_bits gets the exponent 13; 0 if none
/// can.
__device__ inline int scale_for(int size) {
  if (size == 0 || size >= bits_of_infinity) return 0;
  const bool denormal = size < 1 << 23;  // then it is the integer `size`, times 2^-149
  const int exponent = (denormal ? std::bit_cast<int>(float(size)) >> 23 : size >> 23) - 127;
  return largest_exponent - exponent + (denormal ? 149 : 0);
}
/// 2^n, for n from -126 to 127.
__device__ inline float power_of_two(int n) {
  return std::bit_cast<float>((n + 127) << 23);
}
/// 2^scale as two factors: one float does not hold all that scale_for returns.
struct Power {
  float first, second;
};
__device__ inline Power power_for(int scale) {
  return {power_of_two(scale >> 1), power_of_two(scale - (scale >> 1))};
}

}  // namespace f32_by_halves
