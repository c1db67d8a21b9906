// The roof's kernels, written once over GCC's vector types, and compiled for each vector set with flags of
// its own: all but the table is this unit's, so that no function compiled for one set can become another's
// (cmake/course.cmake).
#include "kernels.hpp"

namespace machine {
namespace {

/// `bytes` bytes of T: the compiler's operators work on all elements at once. It may lie over an array of T.
template <class T, int bytes>
struct Vector {
  typedef T type [[gnu::vector_size(bytes), gnu::may_alias]];
};
template <>
struct Vector<float, 4> {  // a plain number; gcc keeps a vector of one in memory
  typedef float type [[gnu::may_alias]];
};

#ifdef MACHINE_NEON
/// sum + factor * term: fmla adds to its destination, and a sum that were a factor, too, would have to be
/// copied first.
template <class T, int bytes, int chains>
void multiply_add(T* state, Index rounds) {
  using V = typename Vector<T, bytes>::type;
  V* const vectors = reinterpret_cast<V*>(state);
  V factor = vectors[0];
  const V term = vectors[1];
  V sum[chains];
#pragma GCC unroll 32  // each sum becomes a register
  for (int c = 0; c < chains; ++c) sum[c] = vectors[2 + c];
  for (Index r = 0; r < rounds; ++r)
#pragma GCC unroll 32
    for (int c = 0; c < chains; ++c) {
      asm("" : "+w"(factor));  // else the product, the same in each chain and round, would be computed once
      sum[c] += factor * term;
    }
#pragma GCC unroll 32
  for (int c = 0; c < chains; ++c) vectors[2 + c] = sum[c];
}
#else
// [peak]
/// Sums start from memory and return there: exercise 3 asks why.
template <class T, int bytes, int chains>
void multiply_add(T* state, Index rounds) {
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
#endif

// [triad]
template <int bytes>
void triad(double* a, const double* b, const double* c, double factor, Index count, Index passes) {
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
std::uint64_t read(const std::uint64_t* numbers, Index count, Index passes) {
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

template <int lanes, int chains>
constexpr Few few() {
  return {multiply_add<float, lanes * 4, chains>, lanes, chains};
}

/// The kernels of a set of so many bytes, with the chains that keep its units busy, and those for integers.
template <int bytes, int chains, int chains_i32 = chains>
constexpr Kernels kernels_of(const char* name, const char* f32, const char* f64, const char* i32) {
  return {name,
          bytes,
          {multiply_add<float, bytes, chains>, chains, f32},
          {multiply_add<double, bytes, chains>, chains, f64},
          {multiply_add<std::uint32_t, bytes, chains_i32>, chains_i32, i32},
          {multiply_add<float, bytes, 1>},
          {multiply_add<double, bytes, 1>},
          triad<bytes>,
          read<bytes>};
}

}  // namespace
}  // namespace machine

using namespace machine;

#if defined(MACHINE_SSE2)
// Multiply, then add: two instructions. A chain waits 6 to 8 cycles, and at most two pairs start in one: 12
// chains and two constants fit 16 registers. A product of integers is made of six instructions and needs
// registers of its own.
constinit const Kernels machine_sse2::kernels = [] {
  Kernels set =
      kernels_of<16, 12, 4>("sse2", "mulps + addps", "mulpd + addpd", "2 pmuludq and shuffles + paddd");
  set.fma_f32 = {}, set.fma_f64 = {};
  return set;
}();
#elif defined(MACHINE_AVX2)
// Fused multiply-add: one instruction for both. It waits 4 or 5 cycles, two start in one: 10 chains are
// needed; 12 and two constants fit 16 registers.
constinit const Kernels machine_avx2::kernels = [] {
  Kernels set = kernels_of<32, 12>("avx2", "vfmadd", "vfmadd", "vpmulld + vpaddd");
  set.few = {few<1, 1>(), few<1, 2>(), few<1, 4>(), few<1, 8>(), few<1, 12>(),
             few<8, 1>(), few<8, 2>(), few<8, 4>(), few<8, 8>(), few<8, 12>()};
  return set;
}();
#elif defined(MACHINE_AVX512)
// Registers twice as wide, and twice as many, 32: 24 chains also hide vpmulld's 10 cycles.
constinit const Kernels machine_avx512::kernels =
    kernels_of<64, 24>("avx512", "vfmadd", "vfmadd", "vpmulld + vpaddd");
#elif defined(MACHINE_NEON)
// One instruction adds a product to its destination. It waits 4 cycles, at most four start in one: 16 chains
// are needed; 24 and two constants fit ARM's 32 registers of 16 bytes.
constinit const Kernels machine_neon::kernels = [] {
  Kernels set = kernels_of<16, 24>("neon", "fmla", "fmla", "mla");
  set.few = {few<1, 1>(), few<1, 4>(), few<1, 8>(), few<1, 16>(), few<1, 24>(),
             few<4, 1>(), few<4, 4>(), few<4, 8>(), few<4, 16>(), few<4, 24>()};
  return set;
}();
#endif
