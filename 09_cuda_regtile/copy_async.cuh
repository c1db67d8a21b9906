// cp.async: global memory to shared memory, not by way of registers, and nobody waits.
#pragma once

#ifdef __CUDACC__
#include <cuda/atomic>
#else
#include <atomic>
#endif

#include "gpu/launch.hpp"

namespace cuda_regtile {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800

__device__ inline void copy_async(void*, const float*) {
  __trap();  // no such instruction; the host does not start these kernels here
}
__device__ inline void copy_async_one(void*, const float*, bool) {
  __trap();
}
__device__ inline void wait_for_copies() {}

#elif defined(__CUDACC__)

/// Begins to copy 16 bytes.
__device__ inline void copy_async(void* to, const float* from) {
  const auto at = unsigned(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from));
}
/// Begins to copy one element, or a zero if there is none.
__device__ inline void copy_async_one(void* to, const float* from, bool there) {
  const auto at = unsigned(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(from), "r"(there ? 4 : 0));
}
/// Until all that this thread began to copy is there.
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

#else

inline void copy_async_one(void* to, const float* from, bool there) {
  *static_cast<float*>(to) = there ? *from : 0;
}
inline void copy_async(void* to, const float* from) {
  for (int e = 0; e < 4; ++e) copy_async_one(static_cast<float*>(to) + e, from + e, true);
}
inline void wait_for_copies() {}

#endif

/// The thread's number, computed with anew: else the compiler keeps what follows from it in registers while
/// 64 of them hold sums.
__device__ inline int this_thread() {
  int thread = int(threadIdx.x);
#ifdef __CUDACC__
  asm volatile("" : "+r"(thread));
#endif
  return thread;
}

// Between blocks: all that the threads of a block wrote before its barrier is there for who has awaited
// `value`.
#ifdef __CUDACC__
template <class T>
using Atomic = cuda::atomic_ref<T, cuda::thread_scope_device>;
using cuda::memory_order_acquire, cuda::memory_order_release;
#else
template <class T>
using Atomic = std::atomic_ref<T>;
using std::memory_order_acquire, std::memory_order_release;
#endif
__device__ inline void publish(unsigned* flag, unsigned value) {
  Atomic<unsigned>(*flag).store(value, memory_order_release);
}
__device__ inline void await(unsigned* flag, unsigned value) {
  while (Atomic<unsigned>(*flag).load(memory_order_acquire) != value) {
  }
}

}  // namespace cuda_regtile
