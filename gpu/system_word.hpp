// How a kernel tells the host, and other kernels, what it has found.
#pragma once

#include "gpu/cuda.hpp"
#ifdef __CUDACC__
#include <cuda/atomic>
#endif

namespace course {

/// A word of pinned memory that a kernel writes and the host reads meanwhile: at the scope of the system, in
/// no order with other memory.
#ifdef __CUDACC__
using SystemWord = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;
constexpr auto relaxed = cuda::std::memory_order_relaxed;
#else
struct SystemWord {  // as much of it as is used: libc++ 16 has no std::atomic_ref
  unsigned& word;
  void store(unsigned value, int order) const { __atomic_store_n(&word, value, order); }
  unsigned load(int order) const { return __atomic_load_n(&word, order); }
};
constexpr int relaxed = __ATOMIC_RELAXED;
#endif

inline namespace COURSE_RUNTIME {
/// What a kernel reports in this word, which was 0, as it begins: the host may go on while it runs.
inline unsigned wait_for(unsigned* report) {
  const SystemWord word{*report};
#ifdef __CUDACC__
  while (word.load(relaxed) == 0 && Cuda::pending()) {
  }
#endif
  if (word.load(relaxed) == 0) Cuda::synchronize();  // the emulator runs it; on a GPU it says what went wrong
  return word.load(relaxed);
}
}  // namespace COURSE_RUNTIME

}  // namespace course

#ifndef __CUDACC__  // CUDA's, for the emulator: each returns what was there before
inline unsigned atomicOr(unsigned* at, unsigned bits) {
  return __atomic_fetch_or(at, bits, __ATOMIC_RELAXED);
}
inline int atomicAdd(int* at, int more) {
  return __atomic_fetch_add(at, more, __ATOMIC_RELAXED);
}
inline int atomicMax(int* at, int size) {
  int before = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (before < size &&
         !__atomic_compare_exchange_n(at, &before, size, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return before;
}
#endif
