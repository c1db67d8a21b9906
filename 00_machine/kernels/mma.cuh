// The tensor cores' peaks by mma.sync: a warp multiplies matrices that it holds in its registers.
#pragma once

#include <cstdint>

#include "common/bf16.hpp"
#include "gpu/launch.hpp"

namespace machine {

using course::bf16;

constexpr int tensor_threads = 256, operand_count = 12288;  // of a block; in registers' words, for any kernel

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define MACHINE_FROM_80(...) __trap()  // no such instruction; the host does not start these kernels here
#else
#define MACHINE_FROM_80(...) __VA_ARGS__
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define MACHINE_FROM_90(...) __trap()
#else
#define MACHINE_FROM_90(...) __VA_ARGS__
#endif

/// An instruction: what a lane holds of A, B and C, and the multiply-adds of the warp.
template <class Element_, class Operand_, class Sum_, int a_, int b_, int c_, int madds_>
struct Mma {
  using Element = Element_;
  using Operand = Operand_;  // a register of A or B
  using Sum = Sum_;
  static constexpr int a = a_, b = b_, c = c_, madds = madds_;
};

#define MACHINE_MMA_F32(instruction)                                                                     \
  asm volatile(                                                                                          \
      "mma.sync.aligned." instruction " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
      : "+f"(to[0]), "+f"(to[1]), "+f"(to[2]), "+f"(to[3])                                               \
      : "r"(from_a[0]), "r"(from_a[1]), "r"(from_a[2]), "r"(from_a[3]), "r"(from_b[0]), "r"(from_b[1]))

struct MmaBf16 : Mma<bf16, std::uint32_t, float, 4, 2, 4, 16 * 8 * 16> {
  static __device__ void multiply(Sum (&to)[c], const Operand (&from_a)[a], const Operand (&from_b)[b]) {
    MACHINE_FROM_80(MACHINE_MMA_F32("m16n8k16.row.col.f32.bf16.bf16.f32"));
  }
};
struct MmaTf32 : Mma<float, std::uint32_t, float, 4, 2, 4, 16 * 8 * 8> {
  static __device__ void multiply(Sum (&to)[c], const Operand (&from_a)[a], const Operand (&from_b)[b]) {
    MACHINE_FROM_80(MACHINE_MMA_F32("m16n8k8.row.col.f32.tf32.tf32.f32"));
  }
};
struct MmaI8 : Mma<std::int8_t, std::uint32_t, int, 4, 2, 4, 16 * 8 * 32> {
  static __device__ void multiply(Sum (&to)[c], const Operand (&from_a)[a], const Operand (&from_b)[b]) {
    MACHINE_FROM_80(asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
        "%1, %2, %3};"
        : "+r"(to[0]), "+r"(to[1]), "+r"(to[2]), "+r"(to[3])
        : "r"(from_a[0]), "r"(from_a[1]), "r"(from_a[2]), "r"(from_a[3]), "r"(from_b[0]), "r"(from_b[1])));
  }
};
struct MmaF64 : Mma<double, double, double, 1, 1, 2, 8 * 8 * 4> {
  static __device__ void multiply(Sum (&to)[c], const Operand (&from_a)[a], const Operand (&from_b)[b]) {
    MACHINE_FROM_80(
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(to[0]), "+d"(to[1])
                     : "d"(from_a[0]), "d"(from_b[0])));
  }
};
struct LargeMmaF64 : Mma<double, double, double, 8, 4, 4, 16 * 8 * 16> {
  static __device__ void multiply(Sum (&to)[c], const Operand (&from_a)[a], const Operand (&from_b)[b]) {
    MACHINE_FROM_90(asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(to[0]), "+d"(to[1]), "+d"(to[2]), "+d"(to[3])
        : "d"(from_a[0]), "d"(from_a[1]), "d"(from_a[2]), "d"(from_a[3]), "d"(from_a[4]), "d"(from_a[5]),
          "d"(from_a[6]), "d"(from_a[7]), "d"(from_b[0]), "d"(from_b[1]), "d"(from_b[2]), "d"(from_b[3])));
  }
};

constexpr int rows_of_tiles = 2, cols_of_tiles = 4;  // eight independent sums a warp

/// `rounds` times the product of a column and a row of tiles, as a warp's part of a product has them: the
/// operands change from one instruction to the next, for what toggles takes power.
template <class Instruction>
__global__ void __launch_bounds__(tensor_threads)
    mma(const typename Instruction::Operand* from, int rounds, typename Instruction::Sum* sums) {
  typename Instruction::Operand a[rows_of_tiles][Instruction::a], b[cols_of_tiles][Instruction::b];
  typename Instruction::Sum c[rows_of_tiles][cols_of_tiles][Instruction::c] = {}, sum = 0;
  from += threadIdx.x;
  for (auto& tile : a)
    for (auto& element : tile) element = *from, from += tensor_threads;
  for (auto& tile : b)
    for (auto& element : tile) element = *from, from += tensor_threads;
#pragma unroll 4
  for (int r = 0; r < rounds; ++r)
    for (int i = 0; i < rows_of_tiles; ++i)
      for (int j = 0; j < cols_of_tiles; ++j) Instruction::multiply(c[i][j], a[i], b[j]);
  for (const auto& row : c)
    for (const auto& tile : row)
      for (const auto element : tile) sum += element;
  sums[blockIdx.x * tensor_threads + threadIdx.x] = sum;
}

}  // namespace machine
