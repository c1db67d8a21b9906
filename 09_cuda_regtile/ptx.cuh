// Wrappers of PTX instructions for the kernels of 09: loads and stores of 16 bytes, cp.async, and flags
// between blocks. Names are those of PTX or of CUDA's headers.
#pragma once

#ifdef __CUDACC__
#include <cuda/atomic>
#else
#include <algorithm>
#include <atomic>
#include <map>
#include <stdexcept>
#include <vector>
#endif
#include <cstdint>

#include "gpu/launch.hpp"

namespace cuda_regtile {

using course::in_global, course::in_shared, course::Index, course::View;

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

/// Asks for the line at an address to be brought to L2.
__device__ inline void prefetch_l2([[maybe_unused]] const void* address) {
#ifdef __CUDACC__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
#endif
}

// cp.async copies from global to shared memory and leaves registers out. A thread commits what it has begun,
// goes on, and waits for what it has committed; a barrier then tells the others.
constexpr int async_capability = 80;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800

template <class T>
__device__ void cp_async(T*, const T*) {
  __trap();  // no such instruction; the host does not start these kernels here
}
template <class T>
__device__ void cp_async_or_zero(T*, const T*, bool) {
  __trap();
}
__device__ inline void cp_async_commit() {}
__device__ inline void cp_async_wait() {}

#elif defined(__CUDACC__)

/// Begins to copy 16 bytes.
template <class T>
__device__ void cp_async(T* to, const T* from) {
  const auto at = unsigned(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from));
}
/// Begins to copy one element, or a zero if it is not there.
template <class T>
__device__ void cp_async_or_zero(T* to, const T* from, bool there) {
  const auto at = unsigned(__cvta_generic_to_shared(to));
  constexpr int bytes = sizeof(T);
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(at), "l"(from), "n"(bytes),
               "r"(there ? bytes : 0));
}
/// Closes the group of copies that this thread has begun.
__device__ inline void cp_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits until all groups that this thread has committed are there.
__device__ inline void cp_async_wait() {
  asm volatile("cp.async.wait_group 0;" ::: "memory");
}

#else

/// The copies that the threads of a block have begun: made when they are waited for, so that a missing wait
/// shows.
class Copies {
 public:
  using Copy = std::function<void()>;

  Copies() {
    course::emulator::before_each_block([this] { of_thread_.clear(); });
  }
  void begin(Copy copy) { mine().begun.push_back(std::move(copy)); }
  void commit() { mine().committed = mine().begun.size(); }
  void wait() {
    const auto first = mine().begun.begin(), end = first + std::ptrdiff_t(mine().committed);
    std::for_each(first, end, [](const Copy& copy) { copy(); });
    mine().begun.erase(first, end), mine().committed = 0;
  }

 private:
  struct OfThread {
    std::vector<Copy> begun;
    std::size_t committed = 0;  // that many of them can be waited for
  };
  OfThread& mine() { return of_thread_[{threadIdx.x, threadIdx.y}]; }
  std::map<std::pair<unsigned, unsigned>, OfThread> of_thread_;
};
inline thread_local Copies copies_begun;

template <class T>
void cp_async_or_zero(T* to, const T* from, bool there) {
  in_shared<T>(to);
  if (there) in_global<const T>(from);
  copies_begun.begin([=] { *to = there ? *from : T(0); });
}
template <class T>
void cp_async(T* to, const T* from) {
  if ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % 16 != 0)
    throw std::runtime_error("misaligned address");  // what CUDA says
  in_shared<Vector<T>>(to), in_global<const T>(from);
  copies_begun.begin([=] { std::copy_n(from, width<T>, to); });
}
inline void cp_async_commit() {
  copies_begun.commit();
}
inline void cp_async_wait() {
  copies_begun.wait();
}

#endif

// [opaque]
/// The same value, but the compiler no longer knows how it was computed: an address in shared memory then
/// stays in a register, instead of being computed in each step …
template <class T>
__device__ T* opaque(T* address) {
#ifdef __CUDACC__
  auto at = unsigned(__cvta_generic_to_shared(address));
  asm volatile("" : "+r"(at));
  return static_cast<T*>(__cvta_shared_to_generic(at));
#else
  return address;
#endif
}
/// … and what follows from a thread's number is computed again, instead of staying in registers that the
/// sums need.
__device__ inline int opaque(int value) {
#ifdef __CUDACC__
  asm volatile("" : "+r"(value));
#endif
  return value;
}
// [/opaque]

// Between blocks: whoever has acquired `value` sees all that was written before it was released.
#ifdef __CUDACC__
using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
__device__ inline void store_release(unsigned* flag, unsigned value) {
  Flag(*flag).store(value, cuda::memory_order_release);
}
__device__ inline void wait_acquire(unsigned* flag, unsigned value) {
  while (Flag(*flag).load(cuda::memory_order_acquire) != value) {
  }
}
#else  // std::atomic_ref is not in every library
inline void store_release(unsigned* flag, unsigned value) {
  __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}
inline void wait_acquire(unsigned* flag, unsigned value) {
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != value) {
  }
}
#endif

/// A load that leaves L1 alone (ld.global.cg): what is read once need not displace A and B there.
template <class T>
__device__ T ldcg(const T* from) {
#ifdef __CUDACC__
  return __ldcg(from);
#else
  return in_global<const T>(from);
#endif
}

}  // namespace cuda_regtile
