// wgmma and bulk copies are instructions of compute capability 9.0: this file is compiled for sm_90a only.
#include "hopper.hpp"

#include "gpu/ptx_hopper.cuh"
#include "mma.cuh"

namespace machine {
namespace {

constexpr int m = 64, n = 256, line_words = 32;  // of k, 128 bytes: what a swizzled row holds
constexpr int b_words = n * line_words, a_words = m * line_words, sums_each = m * n / 128;

/// How a matrix of rows of 128 bytes lies in shared memory, swizzled: groups of eight rows are 1024 bytes
/// apart. In the descriptor sizes count in 16 bytes; the next 32 bytes of k are 2 on.
__device__ std::uint64_t descriptor(const void* matrix) {
  const std::uint64_t address = __cvta_generic_to_shared(matrix);
  return (address & 0x3ffff) >> 4 | std::uint64_t{1} << 16 | std::uint64_t{1024 >> 4} << 32 |
         std::uint64_t{1} << 62;
}

// The 128 sums of a thread.
#define SUMS                                                                                               \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "  \
  "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "   \
  "%42, %43, "                                                                                             \
  "%44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "   \
  "%64, %65, "                                                                                             \
  "%66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, "   \
  "%86, %87, "                                                                                             \
  "%88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, " \
  "%107, %108, %109, "                                                                                     \
  "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, " \
  "%127}"
#define SUMS_4(i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3])
#define SUMS_16(i) SUMS_4(i), SUMS_4(i + 4), SUMS_4(i + 8), SUMS_4(i + 12)
#define SUMS_64(i) SUMS_16(i), SUMS_16(i + 16), SUMS_16(i + 32), SUMS_16(i + 48)
#define ALWAYS "{.reg .pred p; setp.eq.u32 p, 0, 0; "  // C is added to
#define BF16 ALWAYS "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 " SUMS
#define TF32 ALWAYS "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 " SUMS

/// C += A·B of the warpgroup, begun: A in registers, or where its descriptor says.
template <class T>
__device__ void wgmma(float (&c)[sums_each], const std::uint32_t (&a)[4], std::uint64_t b) {
#define OPERANDS SUMS_64(0), SUMS_64(64) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)
  if constexpr (std::is_same_v<T, bf16>)
    asm volatile(BF16 ", {%128, %129, %130, %131}, %132, p, 1, 1, 0;}" : OPERANDS);
  else
    asm volatile(TF32 ", {%128, %129, %130, %131}, %132, p, 1, 1;}" : OPERANDS);
#undef OPERANDS
}
template <class T>
__device__ void wgmma(float (&c)[sums_each], std::uint64_t a, std::uint64_t b) {
  if constexpr (std::is_same_v<T, bf16>)
    asm volatile(BF16 ", %128, %129, p, 1, 1, 0, 0;}" : SUMS_64(0), SUMS_64(64) : "l"(a), "l"(b));
  else
    asm volatile(TF32 ", %128, %129, p, 1, 1;}" : SUMS_64(0), SUMS_64(64) : "l"(a), "l"(b));
}

template <class T>
__device__ void wgmma(int (&c)[sums_each], std::uint64_t a, std::uint64_t b) {
  using course::ptx::WideC;
  course::ptx::wgmma<n>(reinterpret_cast<WideC<int>(&)[n / 8]>(c), a, b, true);
}

/// Both warpgroups of a block multiply by one B, each an A of its own. The order of the tiles' elements does
/// not matter here.
template <class T, bool from_registers, class Sum = float>
__global__ void __launch_bounds__(tensor_threads) peak(const std::uint32_t* from, int rounds, Sum* sums) {
  __shared__ alignas(1024) std::uint32_t b[b_words], a[2][a_words];
  for (int i = int(threadIdx.x); i < b_words; i += tensor_threads) b[i] = from[i];
  for (int i = int(threadIdx.x); i < 2 * a_words; i += tensor_threads) a[0][i] = from[b_words + i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // wgmma sees what threads wrote
  __syncthreads();
  const std::uint64_t of_a = descriptor(a[threadIdx.x / 128]), of_b = descriptor(b);
  std::uint32_t mine[wgmma_steps][4];
  for (int step = 0; step < wgmma_steps; ++step)
    for (int e = 0; e < 4; ++e) mine[step][e] = from[(4 * step + e) * tensor_threads + int(threadIdx.x)];
  Sum c[sums_each] = {}, sum = 0;
  for (int r = 0; r < rounds; ++r) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int step = 0; step < wgmma_steps; ++step)
      if constexpr (from_registers)
        wgmma<T>(c, mine[step], of_b + 2 * step);
      else
        wgmma<T>(c, of_a + 2 * step, of_b + 2 * step);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");  // the round before
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (Sum& element : c)  // not read before
    if constexpr (std::is_same_v<Sum, int>)
      asm volatile("" : "+r"(element)::"memory");
    else
      asm volatile("" : "+f"(element)::"memory");
  for (const Sum element : c) sum += element;
  sums[blockIdx.x * tensor_threads + threadIdx.x] = sum;
}

using namespace course::ptx;

constexpr int under_way = 5;  // copies of a block

__global__ void copy_pieces(const void* from, int pieces, int rounds, int together) {
  __shared__ alignas(128) unsigned char to[under_way][piece_bytes];
  __shared__ Barrier full[under_way];
  if (threadIdx.x > 0) return;
  for (Barrier& each : full) init(each, 1);
  fence_init();
  const int groups = int(gridDim.x) / together, first = int(blockIdx.x) / together;
  const int count = pieces / groups, copies = count * rounds;
  for (int i = 0; i < copies + under_way; ++i) {
    Barrier& barrier = full[i % under_way];
    if (i >= under_way) wait(barrier, unsigned(i / under_way - 1) % 2);
    if (i >= copies) continue;
    arrive_expect(barrier, piece_bytes);
    const long piece = first + long{groups} * (i % count);
    bulk_load(to[i % under_way], static_cast<const unsigned char*>(from) + piece * piece_bytes, piece_bytes,
              barrier);
  }
}

}  // namespace

Wgmma<float> wgmma_of(bool in_bf16, bool from_registers) {
  if (in_bf16) return from_registers ? peak<bf16, true> : peak<bf16, false>;
  return from_registers ? peak<float, true> : peak<float, false>;
}

Wgmma<int> wgmma_of_bytes() {
  return peak<std::int8_t, false, int>;
}

Bulk bulk() {
  return copy_pieces;
}

}  // namespace machine
