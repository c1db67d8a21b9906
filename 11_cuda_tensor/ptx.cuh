// What the kernels of 11 use besides CUDA's own words: matrices that a warp holds in its registers, loads and
// copies for them, products by the tensor cores. Names are those of PTX or of CUDA's headers; who holds what:
// NVIDIA, PTX ISA, "Matrix fragments for mma.m16n8k16" and "ldmatrix".
#pragma once

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <mma.h>
#else
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>
#include <tuple>
#include <vector>
#endif

#include "common/bf16.hpp"
#include "f32/f16.hpp"
#include "gpu/launch.hpp"

namespace cuda_tensor {

using course::bf16;

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

// [wide_fragments]
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
// [/wide_fragments]

constexpr int tensor_capability = 80;

#ifdef __CUDACC__

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define COURSE_FROM_80(...) __trap()  // no such instruction; the host does not start these kernels here
#else
#define COURSE_FROM_80(...) __VA_ARGS__
#endif

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
    COURSE_FROM_80(COURSE_MMA("bf16"));
  else
    COURSE_FROM_80(COURSE_MMA("f16"));
}

/// C += A·B as TF32: of A and B it takes the upper 19 bits, whatever follows them.
__device__ inline void mma_sync(WideC<float>& c, const WideA<float>& a, const WideB<float>& b) {
  COURSE_FROM_80(asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c.of[0]), "+f"(c.of[1]), "+f"(c.of[2]), "+f"(c.of[3])
      : "r"(__float_as_uint(a.of[0])), "r"(__float_as_uint(a.of[1])), "r"(__float_as_uint(a.of[2])),
        "r"(__float_as_uint(a.of[3])), "r"(__float_as_uint(b.of[0])), "r"(__float_as_uint(b.of[1]))));
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
    COURSE_FROM_80(
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(c.of[e % 2 * 2]), "+d"(c.of[e % 2 * 2 + 1])
                     : "d"(a.of[e]), "d"(b.of[e / 2])));
#endif
}

/// Loads four matrices of 8 × 8 from shared memory. Lane l gives the address of row l % 8 of matrix l / 8: 8
/// elements, at a multiple of 16 bytes. It receives in to[m] of matrix m the elements (i, j) and (i, j + 1),
/// i = l / 4, j = 2 (l % 4).
__device__ inline void ldmatrix_x4(std::uint32_t (&to)[4], const void* row) {
  COURSE_FROM_80(asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                              : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                              : "r"(unsigned(__cvta_generic_to_shared(row)))
                              : "memory"));
}
/// The same transposed: it receives (j, i) and (j + 1, i).
__device__ inline void ldmatrix_x4_trans(std::uint32_t (&to)[4], const void* row) {
  COURSE_FROM_80(asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                              : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                              : "r"(unsigned(__cvta_generic_to_shared(row)))
                              : "memory"));
}

/// Begins to copy 16 bytes from global to shared memory: the first `bytes` of them, and zeros for the rest.
__device__ inline void cp_async(void* to, const void* from, int bytes) {
  COURSE_FROM_80(asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(unsigned(__cvta_generic_to_shared(to))),
      "l"(from), "r"(bytes)
      : "memory"));
}
/// Closes the group of copies that this thread has begun.
__device__ inline void cp_async_commit() {
  COURSE_FROM_80(asm volatile("cp.async.commit_group;" ::: "memory"));
}
/// Waits for the groups that this thread has closed, but for the n latest.
template <int n>
__device__ void cp_async_wait() {
  COURSE_FROM_80(asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory"));
}

// [wmma]
/// Matrices of 16 × 16 for WMMA; CUDA does not say which lane holds what. In memory they are row-major, at a
/// multiple of 32 bytes, their rows a multiple of 16 bytes apart.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
struct WmmaA {};
struct WmmaB {};
struct WmmaC {};
#else
namespace in_cuda = nvcuda::wmma;
using WmmaA = in_cuda::fragment<in_cuda::matrix_a, 16, 16, 16, __nv_bfloat16, in_cuda::row_major>;
using WmmaB = in_cuda::fragment<in_cuda::matrix_b, 16, 16, 16, __nv_bfloat16, in_cuda::row_major>;
using WmmaC = in_cuda::fragment<in_cuda::accumulator, 16, 16, 16, float>;
#endif
__device__ inline void wmma_load_a(WmmaA& a, const bf16* from, int ld) {
  COURSE_FROM_80(in_cuda::load_matrix_sync(a, reinterpret_cast<const __nv_bfloat16*>(from), unsigned(ld)));
}
__device__ inline void wmma_load_b(WmmaB& b, const bf16* from, int ld) {
  COURSE_FROM_80(in_cuda::load_matrix_sync(b, reinterpret_cast<const __nv_bfloat16*>(from), unsigned(ld)));
}
__device__ inline void wmma_load_c(WmmaC& c, const float* from, int ld) {
  COURSE_FROM_80(in_cuda::load_matrix_sync(c, from, unsigned(ld), in_cuda::mem_row_major));
}
__device__ inline void wmma_store_c(float* to, const WmmaC& c, int ld) {
  COURSE_FROM_80(in_cuda::store_matrix_sync(to, c, unsigned(ld), in_cuda::mem_row_major));
}
__device__ inline void wmma_fill(WmmaC& c, float value) {
  COURSE_FROM_80(in_cuda::fill_fragment(c, value));
}
/// C += A·B.
__device__ inline void wmma_mma(WmmaC& c, const WmmaA& a, const WmmaB& b) {
  COURSE_FROM_80(in_cuda::mma_sync(c, a, b, c));
}
// [/wmma]

#else

#define COURSE_WHERE const char *file = __builtin_FILE(), int line = __builtin_LINE()  // of the call

inline void need(const void* address, std::uintptr_t multiple) {
  if (reinterpret_cast<std::uintptr_t>(address) % multiple != 0)
    throw std::runtime_error("misaligned address");  // what CUDA says
}

/// C += A·B, for fragments and for WMMA's matrices.
template <class T, class C, class A, class B>
void mma_sync(C& c, const A& a, const B& b, COURSE_WHERE) {
  auto mine = std::tie(c, a, b);
  const auto work = [](void* const(&lanes)[32]) {
    constexpr int least = std::is_same_v<T, bf16> ? -126 : -14;
    float rows[16][16], cols[16][16];
    for (int l = 0; l < 32; ++l) {
      const auto& lane = *static_cast<decltype(mine)*>(lanes[l]);
      T of_a[8], of_b[8];
      std::memcpy(of_a, &std::get<1>(lane), sizeof(A)), std::memcpy(of_b, &std::get<2>(lane), sizeof(B));
      for (int e = 0; e < 8; ++e) rows[A::place(l, e).row][A::place(l, e).col] = of_a[e];
      for (int e = 0; e < int(sizeof(B) / 2); ++e) cols[B::place(l, e).col][B::place(l, e).row] = of_b[e];
    }
    for (int l = 0; l < 32; ++l)
      for (int e = 0; e < int(sizeof(C) / 4); ++e) {
        float& sum = std::get<0>(*static_cast<decltype(mine)*>(lanes[l])).of[e];
        sum = course::emulator::truncated_sum(sum, rows[C::place(l, e).row], cols[C::place(l, e).col], least);
      }
  };
  course::emulator::together(&mine, work, file, line);
}

/// What a tensor core takes of a factor, and how it adds eight products to a sum.
inline float factor(float x) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & ~0x1fffu);
}
inline double factor(double x) {
  return x;
}
inline float sum_of_eight(float sum, const float (&a)[16], const float (&b)[16]) {
  return course::emulator::truncated_sum(sum, a, b, -126);
}
inline double sum_of_eight(double sum, const double (&a)[16], const double (&b)[16]) {
  for (int p = 0; p < 8; ++p) sum = std::fma(a[p], b[p], sum);
  return sum;
}
template <class T>
void mma_sync(WideC<T>& c, const WideA<T>& a, const WideB<T>& b, COURSE_WHERE) {
  auto mine = std::tie(c, a, b);
  const auto work = [](void* const(&lanes)[32]) {
    T rows[16][16] = {}, cols[8][16] = {};  // from p = 8 on zeros
    const auto of = [&](int l) { return *static_cast<decltype(mine)*>(lanes[l]); };
    for (int l = 0; l < 32; ++l)
      for (int e = 0; e < 4; ++e) {
        const Place in_a = WideA<T>::place(l, e), in_b = WideB<T>::place(l, e / 2);
        rows[in_a.row][in_a.col] = factor(std::get<1>(of(l)).of[e]);
        cols[in_b.col][in_b.row] = factor(std::get<2>(of(l)).of[e / 2]);
      }
    for (int l = 0; l < 32; ++l)
      for (int e = 0; e < 4; ++e) {
        const Place at = WideC<T>::place(l, e);
        T& sum = std::get<0>(of(l)).of[e];
        sum = sum_of_eight(sum, rows[at.row], cols[at.col]);
      }
  };
  course::emulator::together(&mine, work, file, line);
}

template <bool transposed>
void load_of_lanes(std::uint32_t* to, const void* row, const char* file, int line) {
  struct Mine {
    std::uint32_t* to;
    std::uint16_t row[8];
  } mine{to, {}};
  need(row, 16);
  std::memcpy(mine.row, row, 16);  // now: what another lane has yet to write is not there
  const auto work = [](void* const(&lanes)[32]) {
    for (int l = 0; l < 32; ++l)
      for (int m = 0; m < 4; ++m) {
        const auto bits = [&](int i, int j) {
          return std::uint32_t{static_cast<Mine*>(lanes[8 * m + i])->row[j]};
        };
        const int i = l / 4, j = l % 4 * 2;
        static_cast<Mine*>(lanes[l])->to[m] =
            transposed ? bits(j, i) | bits(j + 1, i) << 16 : bits(i, j) | bits(i, j + 1) << 16;
      }
  };
  course::emulator::together(&mine, work, file, line);
#ifdef COURSE_COUNTED
  for (int m = 0, l = course::emulator::lane(); m < 4; ++m)  // eight rows at a time
    course::emulator::touched_shared(static_cast<const char*>(__shfl_sync(0xffffffff, row, 8 * m + l / 4)) +
                                     l % 4 * 4);
#endif
}
inline void ldmatrix_x4(std::uint32_t (&to)[4], const void* row, COURSE_WHERE) {
  load_of_lanes<false>(to, row, file, line);
}
inline void ldmatrix_x4_trans(std::uint32_t (&to)[4], const void* row, COURSE_WHERE) {
  load_of_lanes<true>(to, row, file, line);
}

/// The copies that each thread has begun, by groups, the last one open. They are made when they are waited
/// for.
struct Copies {
  using Groups = std::vector<std::vector<std::function<void()>>>;
  Copies() {
    course::emulator::before_each_block([this] { of_thread.clear(); });
  }
  Groups& mine() { return of_thread.try_emplace({threadIdx.x, threadIdx.y}, 1).first->second; }
  std::map<std::pair<unsigned, unsigned>, Groups> of_thread;
};
inline thread_local Copies copies_begun;

inline void cp_async(void* to, const void* from, int bytes) {
  need(to, 16), need(from, 16);
#ifdef COURSE_COUNTED
  course::emulator::touched_shared(to);
#endif
  std::memset(to, 0xff, 16);  // NaN: from now on nobody knows what is there
  copies_begun.mine().back().push_back(
      [=] { std::memset(to, 0, 16), std::memcpy(to, from, std::size_t(bytes)); });
}
inline void cp_async_commit() {
  copies_begun.mine().emplace_back();
}
template <std::size_t n>
void cp_async_wait() {
  for (auto& groups = copies_begun.mine(); groups.size() > n + 1; groups.erase(groups.begin()))
    for (const auto& copy : groups.front()) copy();
}

template <class T, char matrix>
struct Wmma {  // in a layout of the emulator's own
  T of[8];
  static constexpr Place place(int lane, int e) { return {lane / 2, lane % 2 * 8 + e}; }
};
using WmmaA = Wmma<bf16, 'A'>;
using WmmaB = Wmma<bf16, 'B'>;
using WmmaC = Wmma<float, 'C'>;

/// Where this lane's elements of a matrix lie.
auto* wmma_mine(auto* matrix, int ld) {
  need(matrix, 32), need(matrix + ld, 16);
  return matrix + course::emulator::lane() / 2 * course::Index{ld} + course::emulator::lane() % 2 * 8;
}
inline void wmma_load_a(WmmaA& a, const bf16* from, int ld, COURSE_WHERE) {
  std::copy_n(wmma_mine(from, ld), 8, a.of), __syncwarp(file, line);
}
inline void wmma_load_b(WmmaB& b, const bf16* from, int ld, COURSE_WHERE) {
  std::copy_n(wmma_mine(from, ld), 8, b.of), __syncwarp(file, line);
}
inline void wmma_load_c(WmmaC& c, const float* from, int ld, COURSE_WHERE) {
  std::copy_n(wmma_mine(from, ld), 8, c.of), __syncwarp(file, line);
}
inline void wmma_store_c(float* to, const WmmaC& c, int ld, COURSE_WHERE) {
  __syncwarp(file, line), std::copy_n(c.of, 8, wmma_mine(to, ld));
}
inline void wmma_fill(WmmaC& c, float value) {
  std::fill_n(c.of, 8, value);
}
inline void wmma_mma(WmmaC& c, const WmmaA& a, const WmmaB& b, COURSE_WHERE) {
  mma_sync<bf16>(c, a, b, file, line);
}

#endif

}  // namespace cuda_tensor
