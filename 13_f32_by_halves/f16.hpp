// FP16, IEEE's half: 11 bits of significand where BF16 has 8, and exponents from -14 to 15 only.
#pragma once

#include <bit>

#include "common/view.hpp"
#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

namespace f32_by_halves {

/// A sign, 5 bits of exponent, 10 of fraction; calculated with as a float. A product of two is exact there.
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

}  // namespace f32_by_halves
