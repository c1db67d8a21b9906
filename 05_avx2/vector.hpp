// The vector registers: all that differs between AVX2, AVX-512 and Neon. What is here and in the headers
// above it lies in an unnamed namespace: each translation unit has its own copy, compiled for its own
// instruction set, and none leaves the object (cmake/course.cmake says why).
#pragma once

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <bit>
#include <type_traits>

#include "blocks.hpp"

namespace avx2 {
namespace {

/// A moment's rest for a thread that looks whether another has arrived.
inline void pause() {
#ifdef __x86_64__
  _mm_pause();
#else
  asm volatile("yield");
#endif
}

/// Moves of a register's first words alone, of 4 bytes each: the others are neither read nor written.
#ifdef __AVX512F__
template <int bytes>
struct Masked {  // a mask is a register of its own kind here, with a bit for each word
  typedef long long Words [[gnu::vector_size(bytes), gnu::may_alias]];
  static auto first(int words) {
    return static_cast<std::conditional_t<bytes == 64, __mmask16, __mmask8>>((1u << words) - 1);
  }
  static Words load(const void* p, auto some) {
    if constexpr (bytes == 64)
      return (Words)_mm512_maskz_loadu_epi32(some, p);
    else if constexpr (bytes == 32)
      return (Words)_mm256_maskz_loadu_epi32(some, p);
    else
      return (Words)_mm_maskz_loadu_epi32(some, p);
  }
  static void store(void* p, auto some, Words v) {
    if constexpr (bytes == 64)
      _mm512_mask_storeu_epi32(p, some, (__m512i)v);
    else if constexpr (bytes == 32)
      _mm256_mask_storeu_epi32(p, some, (__m256i)v);
    else
      _mm_mask_storeu_epi32(p, some, (__m128i)v);
  }
};
#else
template <int bytes>
struct Masked;
#endif
#if defined __x86_64__ && !defined __AVX512F__
template <>
struct Masked<32> {
  static __m256i first(int words) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(words), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static __m256i load(const void* p, __m256i some) { return _mm256_maskload_epi32((const int*)p, some); }
  static void store(void* p, __m256i some, __m256i v) { _mm256_maskstore_epi32((int*)p, some, v); }
};
template <>
struct Masked<16> {
  static __m128i first(int words) {
    return _mm_cmpgt_epi32(_mm_set1_epi32(words), _mm_setr_epi32(0, 1, 2, 3));
  }
  static __m128i load(const void* p, __m128i some) { return _mm_maskload_epi32((const int*)p, some); }
  static void store(void* p, __m128i some, __m128i v) { _mm_maskstore_epi32((int*)p, some, v); }
};
#endif
#ifdef __aarch64__
template <>
struct Masked<16> {  // Neon has no masks: word by word
  typedef int Words [[gnu::vector_size(16)]];
  typedef int Word [[gnu::may_alias]];
  static int first(int words) { return words; }
  static Words load(const void* p, int some) {
    Words v = {};
#pragma GCC unroll 4
    for (int w = 0; w < 4; ++w)
      if (w < some) v[w] = static_cast<const Word*>(p)[w];
    return v;
  }
  static void store(void* p, int some, Words v) {
#pragma GCC unroll 4
    for (int w = 0; w < 4; ++w)
      if (w < some) static_cast<Word*>(p)[w] = v[w];
  }
};
template <int bytes>
struct Real {
  typedef std::conditional_t<bytes == 4, float, double> Anything [[gnu::may_alias]];
};
#endif
#ifdef __aarch64__
// [lane]
/// A number in the first lane of a register, which a multiply-add takes as the factor of all lanes. (asm: gcc
/// would often load it by ld1r, which broadcasts, on many cores in the units that multiply.)
template <class V>
auto factor(const typename V::Element* p) {
  auto x = *reinterpret_cast<const typename Real<sizeof(*p)>::Anything*>(p);  // of int, too
  asm("" : "+w"(x));
  return std::bit_cast<typename V::Element>(x);
}
// [/lane]
/// In a register from here on: gcc would load it anew for each use.
void keep(auto& lanes) {
  asm("" : "+w"(lanes));
}
#else
void keep(auto& lanes) {
  asm("" : "+v"(lanes));
}
/// A number beside a vector is broadcast. Minus: x - 0 is x, and costs nothing; -0.0 + 0 would be 0.
template <class V>
V factor(const typename V::Element* p) {
  return {*p - typename V::Lanes{}};
}
#endif

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

  static auto broadcast(const T* p) { return factor<Vector>(p); }
  static Vector load(const T* p) { return {*reinterpret_cast<const Anywhere*>(p)}; }
  static Vector load(const T* p, auto some) { return {(Lanes)Some::load(p, some)}; }
  void store(T* p) const { *reinterpret_cast<Anywhere*>(p) = v; }
  void store(T* p, auto some) const { Some::store(p, some, (decltype(Some::load(p, some)))v); }
  void add(Vector x) { v += x.v; }
  void multiply(Vector x) { v *= x.v; }
  void multiply(T x) { v *= x; }
  void multiply_add(Vector x, Vector y) { v += x.v * y.v; }
  void multiply_add(T x, Vector y) { v += x * y.v; }
  static auto first(Index count) { return Some::first(static_cast<int>(count) * int{sizeof(T)} / 4); }
};

}  // namespace
}  // namespace avx2
