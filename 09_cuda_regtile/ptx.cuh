// What the kernels of 09 use besides CUDA's own words: loads and stores of 16 bytes, and wrappers of PTX
// instructions, whose names are those of PTX or of CUDA's headers.
#pragma once

#ifdef __CUDACC__
#include <cuda/atomic>
#endif

#include "gpu/ptx.cuh"

namespace cuda_regtile {

using namespace course::ptx;
using course::in_global, course::in_shared, course::Index, course::SharedTile, course::View;

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
  static_cast<void>(row + (at + width<T> - 1));  // for the emulator, which watches bounds
  return in_shared<Vector<T>>(row + at);
}

/// Whether each row begins at a multiple of 16 bytes.
template <class T>
static bool is_aligned(View<T> view) {
  return reinterpret_cast<std::uintptr_t>(view.data()) % 16 == 0 && view.ld() * Index{sizeof(T)} % 16 == 0;
}

/// 16-byte loads are allowed everywhere: the fast kernel may run, else the guarded one does.
template <class T>
static bool all_aligned(View<const T> a, View<const T> b, View<T> c) {
  return is_aligned(a) && is_aligned(b) && is_aligned(c);
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

#ifdef __CUDACC__  // else gpu/emulator/ptx.hpp has these

/// Asks for the line at an address to be brought to L2.
__device__ inline void prefetch_l2(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}
/// A load that leaves L1 alone (ld.global.cg): what is read once need not displace A and B there.
template <class T>
__device__ T ldcg(const T* from) {
  return __ldcg(from);
}

/// The same value, but the compiler no longer knows how it was computed: an address in shared memory then
/// stays in a register, instead of being computed in each step …
template <class T>
__device__ T* opaque(T* address) {
  auto at = unsigned(__cvta_generic_to_shared(address));
  asm volatile("" : "+r"(at));
  return static_cast<T*>(__cvta_shared_to_generic(at));
}
/// … and what follows from a thread's number is computed again, instead of staying in registers that the
/// sums need.
__device__ inline int opaque(int value) {
  asm volatile("" : "+r"(value));
  return value;
}

// Between blocks: whoever has acquired `value` sees all that was written before it was released.
using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
__device__ inline void store_release(unsigned* flag, unsigned value) {
  Flag(*flag).store(value, cuda::memory_order_release);
}
__device__ inline void wait_acquire(unsigned* flag, unsigned value) {
  while (Flag(*flag).load(cuda::memory_order_acquire) != value) {
  }
}

#endif

}  // namespace cuda_regtile
