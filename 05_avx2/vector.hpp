// The vector registers: all that differs between AVX2 and AVX-512. What is here and in the headers above it
// lies in an unnamed namespace: each translation unit has its own copy, compiled for its own instruction set,
// and none leaves the object (cmake/course.cmake says why).
#pragma once

#include <immintrin.h>

#include "blocks.hpp"

namespace avx2 {
namespace {

/// Moves of a register's first words alone, of 4 bytes each: the others are neither read nor written.
template <int bytes>
struct Masked;

template <>
struct Masked<32> {
  static __m256i first(int words) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(words), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static __m256i load(const void* p, __m256i some) { return _mm256_maskload_epi32((const int*)p, some); }
  static void store(void* p, __m256i some, __m256i v) { _mm256_maskstore_epi32((int*)p, some, v); }
  template <int high, class Lanes>
  static __m128i half(Lanes v) {
    return _mm256_extracti128_si256((__m256i)v, high);
  }
};
#ifdef __AVX512F__
template <>
struct Masked<64> {  // a mask is a register of its own kind here, with a bit for each word
  static __mmask16 first(int words) { return static_cast<__mmask16>((1u << words) - 1); }
  static __m512i load(const void* p, __mmask16 some) { return _mm512_maskz_loadu_epi32(some, p); }
  static void store(void* p, __mmask16 some, __m512i v) { _mm512_mask_storeu_epi32(p, some, v); }
  template <int high, class Lanes>
  static __m256i half(Lanes v) {
    return _mm512_maskz_extracti64x4_epi64(0xff, (__m512i)v, high);  // gcc 12 warns of the plain one's header
  }
};
#endif

// [vector]
/// A register full of numbers. The operators of gcc's and clang's vector types work in all lanes at once; of
/// v += x * y they make one fused multiply-add. `some` are the first lanes, as many as first() was given.
template <class T, int size>
struct Vector {
  typedef T Lanes [[gnu::vector_size(size)]];
  typedef Lanes Anywhere [[gnu::aligned(sizeof(T)), gnu::may_alias]];  // in memory, at any element
  using Element = T;
  using Some = Masked<size>;
  static constexpr int bytes = size, lanes = size / int{sizeof(T)};
  Lanes v;

  /// A number beside a vector is broadcast. Minus: x - 0 is x, and costs nothing; -0.0 + 0 would be 0.
  static Vector broadcast(const T* p) { return {*p - Lanes{}}; }
  static Vector load(const T* p) { return {*reinterpret_cast<const Anywhere*>(p)}; }
  static Vector load(const T* p, auto some) { return {(Lanes)Some::load(p, some)}; }
  void store(T* p) const { *reinterpret_cast<Anywhere*>(p) = v; }
  void store(T* p, auto some) const { Some::store(p, some, (decltype(Some::load(p, some)))v); }
  void add(Vector x) { v += x.v; }
  void multiply_add(Vector x, Vector y) { v += x.v * y.v; }
  static auto first(Index count) { return Some::first(static_cast<int>(count) * int{sizeof(T)} / 4); }
};
// [/vector]

}  // namespace
}  // namespace avx2
