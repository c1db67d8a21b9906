// f64_tensor: as 11's, but one instruction multiplies 16 × 16 by 16 × 8, and a producer copies by TMA.
//   build/12_cuda_hopper/12_cuda_hopper --type f64 --size 4096
#pragma once

#include "../pipeline.cuh"

namespace cuda_hopper {

constexpr int f64_BM = 64, f64_BN = 128, f64_BK = 16, f64_WN = 32;  // 16 doubles are 128 bytes
constexpr int f64_threads = 256, f64_consumers = 4;

template <int depth>
struct alignas(1024) F64Ring {
  struct {
    SharedTile<double, f64_BM, f64_BK> a;
    SharedTile<double, f64_BK, 16> b[f64_BN / 16];
  } stage[depth];
  Barrier full[depth], empty[depth];
};

/// C += A·B in f64, A 16 × 16 and B 16 × 8: lane 4g + t holds of A rows g and g + 8, columns t, t + 4, t + 8
/// and t + 12, two elements a column, of B these rows of column g; of C as FragmentC.
__device__ inline void mma_sync_f64(WideC<double>& c, const double (&a)[8], const double (&b)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(c.of[0]), "+d"(c.of[1]), "+d"(c.of[2]), "+d"(c.of[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]),
        "d"(b[1]), "d"(b[2]), "d"(b[3]));
}

/// An element of a tile as TMA swizzles it.
template <int rows>
__device__ double in_f64(const SharedTile<double, rows, 16>& tile, int row, int col) {
  return tile[row][col ^ row % 8 * 2];
}
/// The column of A, and row of B, that lane 4g + t takes as its u-th: any order of the 16 will do. By bits
/// t1 t1^u1 t0 t0^u0 sixteen lanes never want a bank twice, neither in A nor in B.
__device__ inline int f64_place(int t, int u) {
  return (t / 2 * 12 + t % 2 * 3) ^ (u / 2 * 4 + u % 2);
}

/// A warp's sums += its rows of a stage's A times its columns of B.
template <class Stage>
__device__ void multiply_f64(WideC<double> (&sum)[f64_BM / 16][f64_WN / 8], const Stage& stage, int col) {
  const int lane = int(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  double b[f64_WN / 8][4];
#pragma unroll
  for (int s = 0; s < f64_WN / 8; ++s)
#pragma unroll
    for (int u = 0; u < 4; ++u) b[s][u] = in_f64(stage.b[(col + 8 * s) / 16], f64_place(t, u), s % 2 * 8 + g);
#pragma unroll
  for (int r = 0; r < f64_BM / 16; ++r) {
    double a[8];
#pragma unroll
    for (int e = 0; e < 8; ++e) a[e] = in_f64(stage.a, 16 * r + g + e % 2 * 8, f64_place(t, e / 2));
#pragma unroll
    for (int s = 0; s < f64_WN / 8; ++s) mma_sync_f64(sum[r][s], a, b[s]);
  }
}

/// A tile of 64 × 128 a block, 64 × 32 a warp; two blocks a multiprocessor: one multiplies while the other
/// adds to C.
template <int depth>
__global__ __launch_bounds__(f64_threads, 2) void f64_tensor(const __grid_constant__ CUtensorMap a,
                                                             const __grid_constant__ CUtensorMap b,
                                                             View<double> c, int k) {
  auto& ring = shared_memory<F64Ring<depth>>();
  const int steps = (k + f64_BK - 1) / f64_BK;
  const int i0 = int(blockIdx.y) * f64_BM, j0 = int(blockIdx.x) * f64_BN;
  prepare(ring.full, ring.empty, f64_consumers);
  PipelineState<depth> state;
  if (threadIdx.x >= 128) {
    registers_down<24>();
    if (threadIdx.x == 128)
      produce(ring, state, steps, [&](auto& stage, int step, Barrier& full) {
        arrive_expect(full, int(sizeof stage));
        bulk_load(stage.a, a, step * f64_BK, i0, 0, full);
#pragma unroll
        for (int s = 0; s < f64_BN / 16; ++s) bulk_load(stage.b[s], b, j0 + 16 * s, step * f64_BK, 0, full);
      });
  } else {
    registers_up<232>();
    const int col = int(threadIdx.x) / 32 * f64_WN;
    WideC<double> sum[f64_BM / 16][f64_WN / 8] = {};
    int before = 0;
    for (int step = 0; step < steps; ++step, ++state) {
      wait(ring.full[state.stage], state.parity);
      multiply_f64(sum, ring.stage[state.stage], col);
      __syncwarp();
      // A step later: given back at once, a stage was filled before A's last 16 rows had been read.
      if (step > 0 && threadIdx.x % 32 == 0) arrive(ring.empty[before]);
      before = state.stage;
    }
    course::add_fragments(c, i0, j0 + col, sum);
  }
}

}  // namespace cuda_hopper
