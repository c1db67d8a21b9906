// 13: f32 products by tensor cores: a float is split into parts, halves whose products are exact in f32.
#pragma once

#include <algorithm>
#include <bit>

#include "common/bf16.hpp"
#include "gpu/system_word.hpp"
#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

namespace f32_by_halves {

using course::bf16, course::Index, course::relaxed, course::SharedTile, course::SystemWord, course::View;

/// FP16, IEEE's half: 11 bits of significand where BF16 has 8, and exponents from -14 to 15 only. A sign, 5
/// bits of exponent, 10 of fraction; calculated with as a float. A product of two is exact there.
struct f16 {
  f16() = default;
  /// Rounds to nearest, ties to even; beyond 65504 it becomes infinity, NaN stays NaN.
  COURSE_INLINE explicit f16(float value) : bits(rounded(value)) {}
  COURSE_INLINE operator float() const {
#ifdef __CUDA_ARCH__
    return __half2float(__ushort_as_half(bits));
#else
    const std::uint32_t sign = std::uint32_t(bits & 0x8000) << 16, size = bits & 0x7fff;
    if (size >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (size & 0x3ff) << 13);
    const float value =
        size < 0x400 ? float(size) * 0x1p-24f : std::bit_cast<float>((size << 13) + 0x38000000);
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
#endif
  }

  std::uint16_t bits;

 private:
  COURSE_INLINE static std::uint16_t rounded(float value) {
#ifdef __CUDA_ARCH__
    return __half_as_ushort(__float2half_rn(value));
#else
    const auto all = std::bit_cast<std::uint32_t>(value), size = all & 0x7fffffff;
    std::uint32_t half = 0x7c00;  // infinity, from 65520 on
    if (size > 0x7f800000)
      half = 0x7e00;             // NaN
    else if (size < 0x38800000)  // a denormal: 0.5 has the unit 2^-24
      half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5f) -
             std::bit_cast<std::uint32_t>(0.5f);
    else if (size < 0x477ff000)
      half = (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;
    return static_cast<std::uint16_t>((all >> 16 & 0x8000) | half);
#endif
  }
};

/// x = of[0] + of[1] + of[2], each the rounded rest of those before it: 8 + 8 + 8 bits, all that a float has.
/// Six products; the three that are left out are below 2^-24 of the first.
struct Bf16x3 {
  using Half = bf16;
  static constexpr bool scaled = false;
  static constexpr int parts = 3, products = 6, step = 64;
  static constexpr int a_part(int product) {  // the smallest products first
    constexpr int of[products] = {2, 0, 1, 1, 0, 0};
    return of[product];
  }
  static constexpr int b_part(int product) {
    constexpr int of[products] = {0, 2, 1, 0, 1, 0};
    return of[product];
  }
};

/// x = of[0] + of[1]: 11 + 11 bits, and the rest's sign. The exponents of FP16 are few, so each row of A, and
/// of B each column of a slice of k, is scaled by a power of two: the exponent of its largest element becomes
/// 13. Three products; the one that is left out is at most 2^-22 of the first.
struct Fp16x2 {
  using Half = f16;
  static constexpr bool scaled = true;
  // [fp16x2]
  static constexpr int parts = 2, products = 3, step = 32;
  static constexpr int a_part(int product) { return product == 0 ? 1 : 0; }
  static constexpr int b_part(int product) { return product == 1 ? 1 : 0; }
  // [/fp16x2]
};
constexpr int largest_exponent = 13;

/// How much of k the tensor cores add before f32 units take the sum over: the longer it is, the less work,
/// and the more is cut off.
constexpr int slice_for(bool scaled, Index k) {
  return scaled && k >= 2048 ? 128 : 64;
}

/// What the pass that splits and the one that multiplies hand each other. Parts lie side by side along k:
/// S::step of the first, as many of the second, …, then the next of the first. Zeros fill the last step.
template <class S>
struct Parts {
  View<const float> a, b;
  View<typename S::Half> of_a, of_b;
  int* a_scales;          // of A's rows
  View<float> b_factors;  // of slices of k × B's columns: what brings a slice's sums to the scale of all
  int slice;
  unsigned *found, *next_found;  // the next product's is made 0

  constexpr Index steps() const { return of_a.cols() / (S::parts * S::step); }
};
/// Where element p of k lies, of the first part; S::step behind it is the second.
template <class S>
constexpr Index place_in_parts(Index p) {
  return p / S::step * S::step * S::parts + p % S::step;
}

/// Splits, and multiplies as by_mma does, S: Fp16x2 or Bf16x3; any C. For compute capability 9.0, from a
/// translation unit of its own, hopper.cu.
template <class S>
void launch_on_hopper(const Parts<S>& parts, View<float> c, unsigned refused, unsigned* report);

/// Whether splitting, and a product of the parts, takes less time than 09's kernel may, in microseconds on an
/// H200 (elsewhere a guess): two launches and a wait; floats read and their parts written; waves of tiles, at
/// least 0.62 of one; C. 09: a launch, and products or bytes, whichever takes longer.
template <class S>
constexpr bool worth_splitting(Index m, Index n, Index k) {
  const double factors = double(m + n) * double(k), products = double(m) * double(n) * double(k);
  const double waves = double(course::ceil_div(m, 128) * course::ceil_div(n, 128)) / 132;
  const double of_parts = 6 + factors * (4 + 2 * S::parts) / 2.9e6 + double(m * n) * 8 / 2.8e6 +
                          std::max(waves, 0.62) * double(course::ceil_div(k, 64)) * 1.1 * S::products / 3;
  const double of_floats = 4 + std::max(products * 2 / 48e6, (factors * 4 + double(m * n) * 8) / 3.4e6);
  return of_parts < of_floats;
}

constexpr int widest = 192;  // tile of C: it reads factors of as many columns

/// What the pass that splits finds, by bits. beyond: NaN, infinity, or what three BF16 do not hold to the
/// last bit. graded: of a row, or of a column's slice, more than one element in 64 is below 2^-17 of the
/// largest, where the second FP16 is a denormal and loses three bits or more; or a slice's factor is no
/// float. reported: the product has begun, the others are known.
enum Found : unsigned { beyond = 1, graded = 2, reported = 4 };

/// The bits of |x|, which are ordered as the numbers are; NaN is above infinity.
COURSE_INLINE int size_bits(float x) {
  return std::bit_cast<int>(x) & 0x7fffffff;
}
constexpr int bits_of_infinity = 0x7f800000;

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

/// Sums of a slice are 2^(a's scale + b's) times too large. A factor takes b's scale off, and 2^22: then no
/// sum of 2^26 products overflows as long as B is below 2^110. What a's scale leaves is taken off at the end.
constexpr int sums_scale = 22;
constexpr float least_in_slice = 0x1p-90f, most_in_slice = 0x1p110f;
__device__ inline float factor_for(int b_scale) {
  return power_of_two(-sums_scale - b_scale);
}
__device__ inline Power unscale(int a_scale) {
  return power_for(sums_scale - a_scale);
}

}  // namespace f32_by_halves
