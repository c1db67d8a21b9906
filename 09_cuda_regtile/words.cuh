// What the kernels of 09 say besides CUDA's words: 16 bytes at a time, copies that nobody waits for, and word
// from block to block.
#pragma once

#ifdef __CUDACC__
#include <cuda/atomic>
#else
#include <atomic>
#endif
#include <cstdint>

#include "gpu/launch.hpp"

namespace cuda_regtile {

using course::Index, course::View;

/// As many elements as one instruction loads or stores: 4 of f32 and i32, 2 of f64.
template <class T>
struct alignas(16) Vector {
  T element[16 / sizeof(T)];
};
template <class T>
constexpr int width = 16 / sizeof(T);

/// The elements of a tile's row from `at` on, a multiple of the width.
template <class T, class Row>
__device__ Vector<T>& in_tile(Row row, int at) {
  static_cast<void>(row[at + width<T> - 1]);  // for the emulator, which watches bounds
  return reinterpret_cast<Vector<T>&>(row[at]);
}

/// Whether each row begins at a multiple of 16 bytes.
template <class T>
static bool is_aligned(View<T> view) {
  return reinterpret_cast<std::uintptr_t>(view.data()) % 16 == 0 && view.ld() * Index{sizeof(T)} % 16 == 0;
}

// [load]
/// The elements from (i, j) on, by one load if all are there and rows are aligned; zeros beyond the matrix.
template <bool aligned, class T>
__device__ Vector<T> load(View<const T> from, Index i, Index j) {
  if (aligned && i < from.rows() && j + width<T> <= from.cols())
    return reinterpret_cast<const Vector<T>&>(from(i, j));
  Vector<T> vector;
#pragma unroll
  for (int e = 0; e < width<T>; ++e)
    vector.element[e] = i < from.rows() && j + e < from.cols() ? from(i, j + e) : T(0);
  return vector;
}
// [/load]

/// C(i, j), … += sum[0], …, by one load and one store if all are there and rows are aligned.
template <bool aligned, class T>
__device__ void add(View<T> c, Index i, Index j, const T* sum) {
  if (aligned && i < c.rows() && j + width<T> <= c.cols()) {
    Vector<T>& there = reinterpret_cast<Vector<T>&>(c(i, j));
    Vector<T> vector = there;
#pragma unroll
    for (int e = 0; e < width<T>; ++e) vector.element[e] += sum[e];
    there = vector;
    return;
  }
#pragma unroll
  for (int e = 0; e < width<T>; ++e)
    if (i < c.rows() && j + e < c.cols()) c(i, j + e) += sum[e];
}

// cp.async: from global memory to shared memory, not by way of registers.
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
__device__ inline int thread_number() {
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
