// The roof's kernels, written once over GCC's vector types. Each peak_SET.cpp compiles them with flags of its
// own: all of it is inlined, so that no function compiled for one set can become another's
// (cmake/course.cmake).
#pragma once

#include "kernels.hpp"

namespace machine {

/// `bytes` bytes of T: the compiler's operators work on all elements at once. It may lie over an array of T.
template <class T, int bytes>
struct Vector {
  typedef T type [[gnu::vector_size(bytes), gnu::may_alias]];
};
template <>
struct Vector<float, 4> {  // a plain number; gcc keeps a vector of one in memory
  typedef float type [[gnu::may_alias]];
};

// [peak]
/// Sums start from memory and return there: exercise 3 asks why.
template <class T, int bytes, int chains>
COURSE_INLINE void multiply_add(T* state, Index rounds) {
  using V = typename Vector<T, bytes>::type;
  V* const vectors = reinterpret_cast<V*>(state);
  const V factor = vectors[0], term = vectors[1];
  V sum[chains];
#pragma GCC unroll 32  // each sum becomes a register
  for (int c = 0; c < chains; ++c) sum[c] = vectors[2 + c];
  for (Index r = 0; r < rounds; ++r)
#pragma GCC unroll 32
    for (int c = 0; c < chains; ++c) sum[c] = sum[c] * factor + term;
#pragma GCC unroll 32
  for (int c = 0; c < chains; ++c) vectors[2 + c] = sum[c];
}
// [/peak]

// [triad]
template <int bytes>
COURSE_INLINE void triad(double* a, const double* b, const double* c, double factor, Index count,
                         Index passes) {
  using V = typename Vector<double, bytes>::type;
  const Index vectors = count * static_cast<Index>(sizeof(double)) / bytes;
  for (Index pass = 0; pass < passes; ++pass) {
    auto* const to = reinterpret_cast<V*>(a);
    const auto *const from = reinterpret_cast<const V*>(b), *const scaled = reinterpret_cast<const V*>(c);
#pragma GCC unroll 4
    for (Index i = 0; i < vectors; ++i) to[i] = from[i] + factor * scaled[i];
    asm volatile("" ::: "memory");  // otherwise one pass would do: all write the same
  }
}
// [/triad]

// [read]
/// Integers: an addition takes one cycle, so the loads decide. Of eight sums gcc would load lines out of
/// order.
template <int bytes>
COURSE_INLINE std::uint64_t read(const std::uint64_t* numbers, Index count, Index passes) {
  using V = typename Vector<std::uint64_t, bytes>::type;
  constexpr int sums = 4, lanes = bytes / 8;
  V sum[sums] = {};
  for (Index pass = 0; pass < passes; ++pass) {
    const auto* const from = reinterpret_cast<const V*>(numbers);
    for (Index i = 0; i < count / lanes; i += sums)
#pragma GCC unroll 4
      for (int s = 0; s < sums; ++s) sum[s] += from[i + s];
    asm volatile("" ::: "memory");  // otherwise one pass would do: all read the same
  }
  for (int s = 1; s < sums; ++s) sum[0] += sum[s];
  std::uint64_t total = 0;
  for (int lane = 0; lane < lanes; ++lane) total += sum[0][lane];
  return total;
}
// [/read]

}  // namespace machine
