// What kernels for Hopper ("sm_90a") use besides gpu/ptx.cuh: barriers that count bytes, bulk copies of tiles
// (TMA), and products of tiles in shared memory by four warps (wgmma). Names are those of PTX; NVIDIA, PTX
// ISA, "mbarrier", "cp.async.bulk.tensor", "Asynchronous warpgroup level matrix instructions".
#pragma once

#include <cuda.h>

#include "gpu/ptx.cuh"

namespace course::ptx {

__device__ inline unsigned shared_address(const void* at) {
  return unsigned(__cvta_generic_to_shared(at));
}

/// A barrier in shared memory. A phase ends when as many have arrived as init() was told, and all bytes that
/// were expected; then the next one begins.
struct Barrier {
  std::uint64_t state;
};
__device__ inline void init(Barrier& barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals));
}
/// Makes initialised barriers visible to the unit that copies.
__device__ inline void fence_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void arrive(Barrier& barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
}
/// Arrives; the phase lasts until so many bytes have arrived, too.
__device__ inline void arrive_expect(Barrier& barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)),
               "r"(bytes)
               : "memory");
}
/// Arrives, as one of the arrivals that init() was told, when all is there that this thread has begun to copy
/// by cp_async.
__device__ inline void arrive_after_copies(Barrier& barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(&barrier))
               : "memory");
}
/// Waits for the end of the phase of this parity: 0 for the first, 1 for the second, 0 for the third, ….
__device__ inline void wait(Barrier& barrier, unsigned parity) {
  unsigned done = 0;
  while (done == 0)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(shared_address(&barrier)), "r"(parity)
        : "memory");
}

/// Begins to copy the box at (x, y, z) of a tensor to shared memory; its bytes arrive at the barrier. What
/// lies outside of the tensor becomes zeros.
__device__ inline void bulk_load(void* to, const CUtensorMap& from, int x, int y, int z, Barrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
      "[%5];" ::"r"(shared_address(to)),
      "l"(&from), "r"(x), "r"(y), "r"(z), "r"(shared_address(&barrier))
      : "memory");
}
/// Begins to copy bytes that lie one after the other, multiples of 16 of them, at multiples of 16.
__device__ inline void bulk_load(void* to, const void* from, int bytes, Barrier& barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(&barrier))
      : "memory");
}
/// Begins to add a box in shared memory to that at (x, y, z) of a tensor of floats, but for what lies
/// outside; in the open group. Denormals, in C or as sums, become 0.
__device__ inline void bulk_add(const CUtensorMap& to, int x, int y, int z, const void* from) {
  asm volatile(
      "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(
          &to),
      "r"(x), "r"(y), "r"(z), "r"(shared_address(from))
      : "memory");
}
__device__ inline void bulk_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// Waits until this thread's groups, but for the n latest, have been read from shared memory.
template <int n>
__device__ void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory");
}
/// Makes this thread's writes to shared memory visible to the units that copy and multiply.
__device__ inline void fence_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Describes a tile in shared memory, 128 bytes a row, as bulk_load lays it out (swizzled). Groups of eight
/// rows are 1024 bytes apart; `beside`: the bytes from 64 columns to the next 64, where a tile has several.
__device__ inline std::uint64_t describe(const void* tile, int beside = 16) {
  constexpr std::uint64_t swizzle_128 = std::uint64_t{1} << 62;
  return (shared_address(tile) & 0x3ffff) >> 4 | std::uint64_t(beside >> 4) << 16 |
         std::uint64_t{1024 >> 4} << 32 | swizzle_128;
}

#define COURSE_R0                                                          \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define COURSE_R1                                                                    \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define COURSE_R2                                                                    \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define COURSE_R3                                                                                \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define COURSE_F(s) "+f"(s.of[0]), "+f"(s.of[1]), "+f"(s.of[2]), "+f"(s.of[3])
#define COURSE_I(s) "+r"(s.of[0]), "+r"(s.of[1]), "+r"(s.of[2]), "+r"(s.of[3])
#define COURSE_8(E, j)                                                                                 \
  E(sum[j]), E(sum[j + 1]), E(sum[j + 2]), E(sum[j + 3]), E(sum[j + 4]), E(sum[j + 5]), E(sum[j + 6]), \
      E(sum[j + 7])
#define COURSE_WGMMA(N, kind, list, a_, b_, add_, rest, ...)                                          \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, " add_ ", 0; wgmma.mma_async.sync.aligned.m64n" N kind \
               " {" list "}, " a_ ", " b_ ", p" rest "; }"                                            \
               : __VA_ARGS__                                                                          \
               : "l"(a), "l"(b), "r"(int(add)))
#define COURSE_WGMMA_OF(kind, rest, E)                                                                \
  if constexpr (N == 64)                                                                              \
    COURSE_WGMMA("64", kind, COURSE_R0, "%32", "%33", "%34", rest, COURSE_8(E, 0));                   \
  else if constexpr (N == 128)                                                                        \
    COURSE_WGMMA("128", kind, COURSE_R0 ", " COURSE_R1, "%64", "%65", "%66", rest, COURSE_8(E, 0),    \
                 COURSE_8(E, 8));                                                                     \
  else if constexpr (N == 192)                                                                        \
    COURSE_WGMMA("192", kind, COURSE_R0 ", " COURSE_R1 ", " COURSE_R2, "%96", "%97", "%98", rest,     \
                 COURSE_8(E, 0), COURSE_8(E, 8), COURSE_8(E, 16));                                    \
  else                                                                                                \
    COURSE_WGMMA("256", kind, COURSE_R0 ", " COURSE_R1 ", " COURSE_R2 ", " COURSE_R3, "%128", "%129", \
                 "%130", rest, COURSE_8(E, 0), COURSE_8(E, 8), COURSE_8(E, 16), COURSE_8(E, 24))

/// Begins sum += A·B (or sum = A·B, unless `add`) by a warpgroup, four warps: A 64 × 32 bytes and B, N wide,
/// from shared memory, as described. Warp w holds rows 16 w to 16 w + 15 of the sum, as fragments of
/// mma.sync. T: bf16 or f16, whose B has rows, so that the transpose is asked for; or tf32, floats cut off
/// after 19 bits, whose B has columns: N tile rows. No "memory" clobber: only wgmma touches `sum` meanwhile.
template <class T, int N>
__device__ void wgmma(FragmentC (&sum)[N / 8], std::uint64_t a, std::uint64_t b, bool add) {
  static_assert(N == 64 || N == 128 || N == 192 || N == 256);
  if constexpr (std::is_same_v<T, bf16>) {
    COURSE_WGMMA_OF("k16.f32.bf16.bf16", ", 1, 1, 0, 1", COURSE_F);
  } else if constexpr (std::is_same_v<T, tf32>) {
    COURSE_WGMMA_OF("k8.f32.tf32.tf32", ", 1, 1", COURSE_F);
  } else {
    COURSE_WGMMA_OF("k16.f32.f16.f16", ", 1, 1, 0, 1", COURSE_F);
  }
}
/// The same of integers of 8 bits; B has columns.
template <int N>
__device__ void wgmma(WideC<int> (&sum)[N / 8], std::uint64_t a, std::uint64_t b, bool add) {
  COURSE_WGMMA_OF("k32.s32.s8.s8", "", COURSE_I);
}
/// Before the first wgmma, and after a thread has touched the sums.
__device__ inline void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Waits for the groups of products, but for the n latest.
template <int n>
__device__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory");
}
/// Sets the sums to zero, for the first product to be added to.
template <int n>
__device__ void clear(FragmentC (&sum)[n]) {
#pragma unroll
  for (FragmentC& each : sum)
#pragma unroll
    for (float& x : each.of) asm volatile("mov.f32 %0, 0f00000000;" : "=f"(x));
}
/// Keeps reads of these sums behind wgmma_wait, which does not name their registers to the compiler.
template <int n>
__device__ void fence_registers(FragmentC (&sum)[n]) {
#pragma unroll
  for (FragmentC& each : sum) asm volatile("" : COURSE_F(each)::"memory");
}

template <int n>
__device__ void fence_registers(WideC<int> (&sum)[n]) {
#pragma unroll
  for (WideC<int>& each : sum) asm volatile("" : COURSE_I(each)::"memory");
}

/// This block's number in its cluster.
__device__ inline int cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return int(rank);
}
/// Waits for all threads of the cluster.
__device__ inline void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}
/// Arrives at the barrier that lies in the same place in another block of the cluster. (`.release.cluster`
/// would be a fence for all memory.)
__device__ inline void arrive_at(Barrier& barrier, int rank) {
  asm volatile(
      "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.shared::cluster.b64 _, "
      "[there]; }" ::"r"(shared_address(&barrier)),
      "r"(rank)
      : "memory");
}
/// As bulk_load, but to the same place in both blocks of a cluster, and at the barriers of both.
__device__ inline void bulk_load_for_both(void* to, const CUtensorMap& from, int x, int y, int z,
                                          Barrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared_address(to)),
      "l"(&from), "r"(x), "r"(y), "r"(z), "r"(shared_address(&barrier)), "h"(std::uint16_t{3})
      : "memory");
}

/// A named barrier, 1 to 15 (0 is that of __syncthreads()): arrives, and waits until so many threads have
/// arrived, of whole warps.
template <int threads>
__device__ void sync_named(int barrier) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "n"(threads) : "memory");
}
/// Arrives at it, and goes on.
template <int threads>
__device__ void arrive_named(int barrier) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "n"(threads) : "memory");
}

/// Gives registers of this warpgroup back, down to n a thread, or asks for as many.
template <int n>
__device__ void registers_down() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(n));
}
template <int n>
__device__ void registers_up() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(n));
}

}  // namespace course::ptx
