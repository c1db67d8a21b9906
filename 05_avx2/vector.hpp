// The vector registers: all that differs between AVX2 and AVX-512, and the only place with intrinsics
// but for the prefetches.
//
// Everything here and in the headers above it lies in an unnamed namespace: each translation unit has its own
// copy, compiled for its own instruction set, and none leaves the object (cmake/course.cmake says why).
#pragma once

#include <immintrin.h>

#include "common/view.hpp"

namespace avx2 {
namespace {

using course::Index;
using course::View;

// [vector]
/// One register of `lanes` numbers. `Mask` selects its first lanes: the others are neither read nor written.
template <class T>
struct Ymm;

template <>
struct Ymm<float> {
  using Element = float;
  using Mask = __m256i;
  static constexpr int lanes = 8;
  __m256 v;

  static Ymm zero() { return {_mm256_setzero_ps()}; }
  static Ymm broadcast(const float* p) { return {_mm256_broadcast_ss(p)}; }
  static Ymm load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static Ymm load(const float* p, Mask some) { return {_mm256_maskload_ps(p, some)}; }
  void store(float* p) const { _mm256_storeu_ps(p, v); }
  void store(float* p, Mask some) const { _mm256_maskstore_ps(p, some, v); }
  void add(Ymm x) { v = _mm256_add_ps(v, x.v); }
  void multiply_add(Ymm x, Ymm y) { v = _mm256_fmadd_ps(x.v, y.v, v); }
  static Mask first(Index count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
};
// [/vector]

template <>
struct Ymm<double> {
  using Element = double;
  using Mask = __m256i;
  static constexpr int lanes = 4;
  __m256d v;

  static Ymm zero() { return {_mm256_setzero_pd()}; }
  static Ymm broadcast(const double* p) { return {_mm256_broadcast_sd(p)}; }
  static Ymm load(const double* p) { return {_mm256_loadu_pd(p)}; }
  static Ymm load(const double* p, Mask some) { return {_mm256_maskload_pd(p, some)}; }
  void store(double* p) const { _mm256_storeu_pd(p, v); }
  void store(double* p, Mask some) const { _mm256_maskstore_pd(p, some, v); }
  void add(Ymm x) { v = _mm256_add_pd(v, x.v); }
  void multiply_add(Ymm x, Ymm y) { v = _mm256_fmadd_pd(x.v, y.v, v); }
  static Mask first(Index count) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
  }
};

template <>
struct Ymm<std::int32_t> {
  using Element = std::int32_t;
  using Mask = __m256i;
  static constexpr int lanes = 8;
  __m256i v;

  static Ymm zero() { return {_mm256_setzero_si256()}; }
  static Ymm broadcast(const std::int32_t* p) { return {_mm256_set1_epi32(*p)}; }
  static Ymm load(const std::int32_t* p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))}; }
  static Ymm load(const std::int32_t* p, Mask some) { return {_mm256_maskload_epi32(p, some)}; }
  void store(std::int32_t* p) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
  void store(std::int32_t* p, Mask some) const { _mm256_maskstore_epi32(p, some, v); }
  void add(Ymm x) { v = _mm256_add_epi32(v, x.v); }
  void multiply_add(Ymm x, Ymm y) { v = _mm256_add_epi32(v, _mm256_mullo_epi32(x.v, y.v)); }
  static Mask first(Index count) { return Ymm<float>::first(count); }
};

#ifdef __AVX512F__

// [vector512]
/// The same with twice the lanes; a mask is a register of its own kind, a bit a lane.
template <class T>
struct Zmm;

template <>
struct Zmm<float> {
  using Element = float;
  using Mask = __mmask16;
  static constexpr int lanes = 16;
  __m512 v;

  static Zmm zero() { return {_mm512_setzero_ps()}; }
  static Zmm broadcast(const float* p) { return {_mm512_set1_ps(*p)}; }
  static Zmm load(const float* p) { return {_mm512_loadu_ps(p)}; }
  static Zmm load(const float* p, Mask some) { return {_mm512_maskz_loadu_ps(some, p)}; }
  void store(float* p) const { _mm512_storeu_ps(p, v); }
  void store(float* p, Mask some) const { _mm512_mask_storeu_ps(p, some, v); }
  void add(Zmm x) { v = _mm512_add_ps(v, x.v); }
  void multiply_add(Zmm x, Zmm y) { v = _mm512_fmadd_ps(x.v, y.v, v); }
  static Mask first(Index count) { return static_cast<Mask>(count < lanes ? (1u << count) - 1 : ~0u); }
};
// [/vector512]

template <>
struct Zmm<double> {
  using Element = double;
  using Mask = __mmask8;
  static constexpr int lanes = 8;
  __m512d v;

  static Zmm zero() { return {_mm512_setzero_pd()}; }
  static Zmm broadcast(const double* p) { return {_mm512_set1_pd(*p)}; }
  static Zmm load(const double* p) { return {_mm512_loadu_pd(p)}; }
  static Zmm load(const double* p, Mask some) { return {_mm512_maskz_loadu_pd(some, p)}; }
  void store(double* p) const { _mm512_storeu_pd(p, v); }
  void store(double* p, Mask some) const { _mm512_mask_storeu_pd(p, some, v); }
  void add(Zmm x) { v = _mm512_add_pd(v, x.v); }
  void multiply_add(Zmm x, Zmm y) { v = _mm512_fmadd_pd(x.v, y.v, v); }
  static Mask first(Index count) { return static_cast<Mask>(count < lanes ? (1u << count) - 1 : ~0u); }
};

template <>
struct Zmm<std::int32_t> {
  using Element = std::int32_t;
  using Mask = __mmask16;
  static constexpr int lanes = 16;
  __m512i v;

  static Zmm zero() { return {_mm512_setzero_si512()}; }
  static Zmm broadcast(const std::int32_t* p) { return {_mm512_set1_epi32(*p)}; }
  static Zmm load(const std::int32_t* p) { return {_mm512_loadu_si512(p)}; }
  static Zmm load(const std::int32_t* p, Mask some) { return {_mm512_maskz_loadu_epi32(some, p)}; }
  void store(std::int32_t* p) const { _mm512_storeu_si512(p, v); }
  void store(std::int32_t* p, Mask some) const { _mm512_mask_storeu_epi32(p, some, v); }
  void add(Zmm x) { v = _mm512_add_epi32(v, x.v); }
  void multiply_add(Zmm x, Zmm y) { v = _mm512_add_epi32(v, _mm512_mullo_epi32(x.v, y.v)); }
  static Mask first(Index count) { return static_cast<Mask>(count < lanes ? (1u << count) - 1 : ~0u); }
};

#endif

}  // namespace
}  // namespace avx2
