// BF16, the upper half of a float, and TF32, 19 bits of it: what tensor cores multiply. Their sums are
// floats.
#pragma once

#include <bit>

#include "common/view.hpp"

namespace course {

/// A sign, 8 bits of exponent, 7 of fraction. Arithmetic is that of float, where a product of two is exact.
struct bf16 {
  bf16() = default;
  /// Rounds to nearest, ties to even; NaN stays NaN.
  COURSE_INLINE explicit bf16(float value) : bits(rounded(std::bit_cast<std::uint32_t>(value))) {}
  COURSE_INLINE operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

  std::uint16_t bits;

 private:
  COURSE_INLINE static std::uint16_t rounded(std::uint32_t value) {
    const bool nan = (value & 0x7fffffff) > 0x7f800000;  // of which rounding could make infinity
    return static_cast<std::uint16_t>((nan ? value | 0x400000 : value + 0x7fff + (value >> 16 & 1)) >> 16);
  }
};

/// A float in memory, with all its bits, that is rounded when it is multiplied: to 11 bits of significand, to
/// nearest, ties away from zero. A product of two is exact in f32.
struct tf32 {
  tf32() = default;
  COURSE_INLINE explicit tf32(float value) : stored(value) {}
  /// The value that takes part in products.
  COURSE_INLINE operator float() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    std::uint32_t rounded;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(stored));
    return std::bit_cast<float>(rounded);
#else
    const auto bits = std::bit_cast<std::uint32_t>(stored);
    const bool nan = (bits & 0x7fffffff) > 0x7f800000;
    return std::bit_cast<float>(nan ? bits : (bits + 0x1000) & ~0x1fffu);
#endif
  }

  float stored;
};

/// The type of C if A and B have elements of type T.
template <class T>
using Result = std::conditional_t<std::is_same_v<T, bf16> || std::is_same_v<T, tf32>, float, T>;

}  // namespace course
