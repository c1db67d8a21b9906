// The measured kernels of each vector set, and the plain chain of additions.
#pragma once

#include <array>
#include <cstdint>

#include "common/view.hpp"

namespace machine {

using course::Index;

/// `rounds` times sum = sum * factor + term (Neon: sum + factor * term) on each of `chains` vectors. `state`
/// is aligned to 64 bytes and holds a vector of factors, one of terms, and the sums, which are written back.
template <class T>
struct Peak {
  void (*run)(T* state, Index rounds);
  int chains;
  const char* instructions;
};

/// Multiply-adds that wait for one another; no run where the set has no single instruction for it.
template <class T>
struct Chain {
  void (*run)(T* state, Index rounds);
};

/// The peak's loop with fewer sums, in f32: on `lanes` numbers at a time, which may be one.
struct Few {
  void (*run)(float* state, Index rounds) = nullptr;
  int lanes = 0, chains = 0;
};

/// The kernels of one vector set: all that its translation unit shows to the linker.
struct Kernels {
  const char* name;
  int bytes;
  Peak<float> f32;
  Peak<double> f64;
  Peak<std::uint32_t> i32;  // unsigned: overflow is defined, the instructions are the same
  Chain<float> fma_f32;
  Chain<double> fma_f64;
  /// a = b + factor * c, `passes` times over `count` elements (a multiple of 64; arrays aligned to 64 bytes).
  void (*triad)(double* a, const double* b, const double* c, double factor, Index count, Index passes);
  /// The sum of `count` numbers (a multiple of 64, aligned to 64 bytes), `passes` times over.
  std::uint64_t (*read)(const std::uint64_t* numbers, Index count, Index passes);
  std::array<Few, 10> few = {};  // where one instruction multiplies and adds
};

/// `rounds` additions, each of which needs the one before: state[1] += state[0].
void additions(float* state, Index rounds);
void additions(double* state, Index rounds);
void additions(std::uint32_t* state, Index rounds);

}  // namespace machine

// clang-format off
namespace machine_sse2 { extern const machine::Kernels kernels; }
namespace machine_avx2 { extern const machine::Kernels kernels; }
namespace machine_avx512 { extern const machine::Kernels kernels; }
namespace machine_neon { extern const machine::Kernels kernels; }
// clang-format on
