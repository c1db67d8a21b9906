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

template <bool aligned>
__device__ void copy_async(void*, const float*, int) {
  __trap();  // no such instruction; the host does not start these kernels here
}
__device__ inline void wait_for_copies() {}

#elif defined(__CUDACC__)

/// Begins to copy `there` of 4 elements, and zeros for the rest: by 16 bytes where rows are `aligned`.
template <bool aligned>
__device__ void copy_async(void* to, const float* from, int there) {
  const auto at = unsigned(__cvta_generic_to_shared(to));
  if (aligned) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(4 * there));
  } else {
#pragma unroll
    for (int e = 0; e < 4; ++e)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at + 4 * e), "l"(from + e), "r"(e < there ? 4 : 0));
  }
}
/// Until all that this thread began to copy is there.
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

#else

template <bool aligned>
void copy_async(void* to, const float* from, int there) {
  for (int e = 0; e < 4; ++e) static_cast<float*>(to)[e] = e < there ? from[e] : 0;
}
inline void wait_for_copies() {}

#endif

// Between blocks: all that the threads of a block wrote before its barrier is there for who has awaited `value`.
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
