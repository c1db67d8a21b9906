// Inputs: a hash of (seed, matrix, i, j), no state; the same on any machine, thread, rank or GPU.
#pragma once

#include <limits>

#include "common/bf16.hpp"

namespace course {

enum class Fill { digits, uniform };

/// The mixing function of SplitMix64, a bijection (Steele, Lea, Flood, OOPSLA 2014; constants by Stafford).
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// 64 random bits for element (i, j) of matrix 'A', 'B' or 'C'.
constexpr std::uint64_t element_hash(std::uint64_t seed, char matrix, Index i, Index j) {
  const std::uint64_t matrix_key = mix(mix(seed) + static_cast<std::uint64_t>(matrix));
  const std::uint64_t row = mix(matrix_key + static_cast<std::uint64_t>(i));
  return mix(row + 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(j) + 1));
}

/// Element (i, j): `digits` are integers 0..9; `uniform` is symmetric in (-1, 1), for integers -9..9. BF16
/// and TF32 have those of f32, rounded: their exponents vary, so that summation must round.
template <class T>
constexpr T element(Fill fill, std::uint64_t seed, char matrix, Index i, Index j) {
  using R = Result<T>;
  const std::uint64_t bits = element_hash(seed, matrix, i, j);
  // 32 random bits times 10, less their own 32: 0..9.
  if (fill == Fill::digits) return static_cast<T>(static_cast<R>((bits >> 32) * 10 >> 32));
  if constexpr (std::is_integral_v<T>) return static_cast<T>((bits >> 32) * 19 >> 32) - 9;
  // Odd multiples of 2^-mantissa: all representable, none zero, mean exactly zero.
  constexpr int mantissa = std::numeric_limits<R>::digits;
  const auto odd =
      static_cast<std::int64_t>(2 * (bits >> (64 - mantissa)) + 1) - (std::int64_t{1} << mantissa);
  return static_cast<T>(static_cast<R>(odd) / static_cast<R>(std::int64_t{1} << mantissa));
}

/// Writes every element of `view` as matrix 'A', 'B' or 'C'.
template <class T>
void fill_matrix(View<T> view, Fill fill, std::uint64_t seed, char matrix) {
  for (Index i = 0; i < view.rows(); ++i)
    for (Index j = 0; j < view.cols(); ++j) view(i, j) = element<T>(fill, seed, matrix, i, j);
}

/// The largest k for which every sum of `digits` (at most 81 k + 9) is exact in C.
template <class T>
constexpr Index exact_k() {
  return ((std::int64_t{1} << std::numeric_limits<Result<T>>::digits) - 10) / 81;
}

}  // namespace course
