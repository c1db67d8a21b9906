// What kernels use besides CUDA's own words from compute capability 8.0 on: matrices that a warp holds in its
// registers for tensor cores, loads and products of them; copies past the registers. Names are those of PTX
// or of CUDA's headers; who holds what: NVIDIA, PTX ISA, "Matrix fragments for mma.m16n8k16" and "ldmatrix".
#pragma once

#include "common/bf16.hpp"
#include "gpu/launch.hpp"

namespace course::ptx {

// [fragments]
/// Where in its matrix an element lies; place(lane, e) says it of the e-th that a lane holds.
struct Place {
  int row, col;
};
/// A, 16 × 16: a lane holds two elements in each register, the first in its lower half.
struct FragmentA {
  std::uint32_t of[4];
  static constexpr Place place(int lane, int e) {
    return {lane / 4 + e / 2 % 2 * 8, lane % 4 * 2 + e / 4 * 8 + e % 2};
  }
};
/// B, 16 × 8, by columns: two elements in each register are one above the other.
struct FragmentB {
  std::uint32_t of[2];
  static constexpr Place place(int lane, int e) { return {lane % 4 * 2 + e / 2 * 8 + e % 2, lane / 4}; }
};
/// C, 16 × 8.
struct FragmentC {
  float of[4];
  static constexpr Place place(int lane, int e) { return {lane / 4 + e / 2 * 8, lane % 4 * 2 + e % 2}; }
};
// [/fragments]

/// The same of elements that take a register or, f64, two: A, 16 × 8.
template <class T>
struct WideA {
  T of[4];
  static constexpr Place place(int lane, int e) { return {lane / 4 + e % 2 * 8, lane % 4 + e / 2 * 4}; }
};
/// B, 8 × 8.
template <class T>
struct WideB {
  T of[2];
  static constexpr Place place(int lane, int e) { return {lane % 4 + e * 4, lane / 4}; }
};
/// C, 16 × 8: as FragmentC.
template <class T>
struct WideC {
  T of[4];
  static constexpr Place place(int lane, int e) { return FragmentC::place(lane, e); }
};

/// The same of integers of 8 bits, four in a register, whose sums are of 32: A, 16 × 32.
struct BytesA {
  std::uint32_t of[4];
  static constexpr Place place(int lane, int e) {
    return {lane / 4 + e / 4 % 2 * 8, lane % 4 * 4 + e / 8 * 16 + e % 4};
  }
};
/// B, 32 × 8, by columns.
struct BytesB {
  std::uint32_t of[2];
  static constexpr Place place(int lane, int e) { return {lane % 4 * 4 + e / 4 * 16 + e % 4, lane / 4}; }
};

constexpr int tensor_capability = 80, async_capability = 80;

#ifdef __CUDACC__

#define COURSE_MMA(type)                                                         \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type            \
               ".f32 "                                                           \
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
               : "+f"(c.of[0]), "+f"(c.of[1]), "+f"(c.of[2]), "+f"(c.of[3])      \
               : "r"(a.of[0]), "r"(a.of[1]), "r"(a.of[2]), "r"(a.of[3]), "r"(b.of[0]), "r"(b.of[1]))

/// C += A·B, by all 32 threads of the warp; T: bf16 or f16.
template <class T>
__device__ void mma_sync(FragmentC& c, const FragmentA& a, const FragmentB& b) {
  if constexpr (std::is_same_v<T, bf16>)
    COURSE_MMA("bf16");
  else
    COURSE_MMA("f16");
}

/// C += A·B as TF32: of A and B it takes the upper 19 bits, whatever follows them.
__device__ inline void mma_sync(WideC<float>& c, const WideA<float>& a, const WideB<float>& b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c.of[0]), "+f"(c.of[1]), "+f"(c.of[2]), "+f"(c.of[3])
      : "r"(__float_as_uint(a.of[0])), "r"(__float_as_uint(a.of[1])), "r"(__float_as_uint(a.of[2])),
        "r"(__float_as_uint(a.of[3])), "r"(__float_as_uint(b.of[0])), "r"(__float_as_uint(b.of[1])));
}
/// C += A·B in f64. Before capability 9.0 the largest product is 8 × 8 × 4: it takes four of them.
__device__ inline void mma_sync(WideC<double>& c, const WideA<double>& a, const WideB<double>& b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(c.of[0]), "+d"(c.of[1]), "+d"(c.of[2]), "+d"(c.of[3])
      : "d"(a.of[0]), "d"(a.of[1]), "d"(a.of[2]), "d"(a.of[3]), "d"(b.of[0]), "d"(b.of[1]));
#else
#pragma unroll
  for (int e = 0; e < 4; ++e)  // A's element e: of rows 8 (e mod 2) on, of columns 4 (e / 2) on
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c.of[e % 2 * 2]), "+d"(c.of[e % 2 * 2 + 1])
                 : "d"(a.of[e]), "d"(b.of[e / 2]));
#endif
}

/// C += A·B of integers of 8 bits, modulo 2^32.
__device__ inline void mma_sync(WideC<int>& c, const BytesA& a, const BytesB& b) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c.of[0]), "+r"(c.of[1]), "+r"(c.of[2]), "+r"(c.of[3])
      : "r"(a.of[0]), "r"(a.of[1]), "r"(a.of[2]), "r"(a.of[3]), "r"(b.of[0]), "r"(b.of[1]));
}
/// at += x, in L2: nobody waits for what was there.
__device__ inline void add_in_memory(double& at, double x) {
  atomicAdd(&at, x);
}
/// sum + the products of four bytes, 0 to 255, with four weights, -128 to 127.
__device__ inline std::uint32_t dp4a(std::uint32_t bytes, std::uint32_t weights, std::uint32_t sum) {
  asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(bytes), "r"(weights));
  return sum;
}

/// Loads four matrices of 8 × 8 from shared memory. Lane l gives the address of row l % 8 of matrix l / 8: 8
/// elements, at a multiple of 16 bytes. It receives in to[m] of matrix m the elements (i, j) and (i, j + 1),
/// i = l / 4, j = 2 (l % 4).
__device__ inline void ldmatrix_x4(std::uint32_t (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(unsigned(__cvta_generic_to_shared(row)))
               : "memory");
}
/// The same transposed: it receives (j, i) and (j + 1, i).
__device__ inline void ldmatrix_x4_trans(std::uint32_t (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(unsigned(__cvta_generic_to_shared(row)))
               : "memory");
}

// cp.async copies from global to shared memory and leaves registers out. A thread commits what it has begun,
// goes on, and waits for what it has committed; a barrier then tells the others.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define COURSE_CP_ASYNC(...) __trap()  // no such instructions: the host does not start these kernels here
#else
#define COURSE_CP_ASYNC(...) asm volatile(__VA_ARGS__)
#endif

/// Begins to copy `size` bytes, 4, 8 or 16: the first `bytes` of them, and zeros for the rest.
template <int size = 16>
__device__ void cp_async(void* to, const void* from, int bytes = size) {
  [[maybe_unused]] const auto at = unsigned(__cvta_generic_to_shared(to));
  if constexpr (size == 16)
    COURSE_CP_ASYNC("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(bytes));
  else
    COURSE_CP_ASYNC("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(at), "l"(from), "n"(size),
                    "r"(bytes));
}
/// Closes the group of copies that this thread has begun.
__device__ inline void cp_async_commit() {
  COURSE_CP_ASYNC("cp.async.commit_group;" ::: "memory");
}
/// Waits for the groups that this thread has closed, but for the n latest.
template <int n>
__device__ void cp_async_wait() {
  COURSE_CP_ASYNC("cp.async.wait_group %0;" ::"n"(n) : "memory");
}

#endif

/// Waits for the kernels before, which code for Hopper may overlap; or lets the next one's blocks come first.
template <bool and_next = false>
__device__ void wait_for_kernels_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if (and_next) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace course::ptx

#ifndef __CUDACC__
#include "gpu/emulator/ptx.hpp"
#endif
