// f64_tensor: as 11's, but one instruction multiplies 16 × 16 by 16 × 8, and a producer copies by TMA.
// Threads copy where rows begin anywhere; tiles are narrower where C is, and k is in parts where C has few
// tiles.
//   build/12_cuda_hopper/12_cuda_hopper --type f64 --shape 4096x4096x4096,4097x4097x4097,75x966x8000
#pragma once

#include <algorithm>
#include <limits>

#include "../pipeline.cuh"

namespace cuda_hopper {

constexpr int f64_BM = 64, f64_BK = 16;  // 16 doubles are 128 bytes
constexpr int f64_threads = 256, f64_consumers = 4;

template <int BN, int depth>
struct alignas(1024) F64Ring {
  struct {
    SharedTile<double, f64_BM, f64_BK> a;
    SharedTile<double, f64_BK, 16> b[BN / 16];
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

/// A warp's sums += its rows of a stage's A, `live` times 16 of them, times its columns of B, from `col` on.
template <class Stage, int down, int across>
__device__ void multiply_f64(WideC<double> (&sum)[down][across], const Stage& stage, int col, int live) {
  const int lane = int(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  double b[across][4];
#pragma unroll
  for (int s = 0; s < across; ++s)
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      const int j = col + 8 * s + g;
      b[s][u] = in_f64(stage.b[j / 16], f64_place(t, u), j % 16);
    }
#pragma unroll
  for (int r = 0; r < down; ++r) {
    if (r >= live) break;
    double a[8];
#pragma unroll
    for (int e = 0; e < 8; ++e) a[e] = in_f64(stage.a, 16 * r + g + e % 2 * 8, f64_place(t, e / 2));
#pragma unroll
    for (int s = 0; s < across; ++s) mma_sync_f64(sum[r][s], a, b[s]);
  }
}

template <int BN>
using F64Sums = SharedTile<double, f64_BM, BN + 8>;  // rows begin 16 banks apart
/// The consumers' sums are added to C, or stored, by way of shared memory: a warp does 32 elements of a row
/// at once, wherever rows begin.
template <int BN, int down, int across>
__device__ void put_rows(View<double> c, Index i0, Index j0, F64Sums<BN>& tile,
                         const WideC<double> (&sum)[down][across], bool adds) {
  constexpr int at_once = 16, apart = 128 / BN;
  const int thread = int(threadIdx.x), lane = thread % 32;
  sync_named<128>(1);  // nobody reads the ring, which the tile overwrites
#pragma unroll
  for (int r = 0; r < down; ++r)
#pragma unroll
    for (int s = 0; s < across; ++s)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const auto [row, col] = WideC<double>::place(lane, e);
        tile[16 * r + row][thread / 32 * (BN / 4) + 8 * s + col] = sum[r][s].of[e];
      }
  sync_named<128>(1);
  const int rows = int(std::min<Index>(f64_BM, c.rows() - i0)), col = thread % BN;
  if (j0 + col >= c.cols()) return;
  for (int r0 = thread / BN; r0 < rows; r0 += at_once * apart) {
    double before[at_once];
#pragma unroll
    for (int q = 0; q < at_once; ++q)
      before[q] = adds && r0 + q * apart < rows ? c(i0 + r0 + q * apart, j0 + col) : 0;
#pragma unroll
    for (int q = 0; q < at_once; ++q)
      if (const int r = r0 + q * apart; r < rows) c(i0 + r, j0 + col) = before[q] + tile[r][col];
  }
}

/// A stage's tiles by TMA.
struct F64ByTma {
  static constexpr int threads = 1;
  CUtensorMap a, b;
  template <class Stage>
  __device__ void begin(Stage& stage, int i0, int j0, int p, Barrier& full) const {
    arrive_expect(full, int(sizeof stage));
    bulk_load(stage.a, a, p, i0, 0, full);
#pragma unroll
    for (int s = 0; s < int(sizeof stage.b / sizeof stage.b[0]); ++s)
      bulk_load(stage.b[s], b, j0 + 16 * s, p, 0, full);
  }
};
/// The same by 128 threads, eight bytes at once, where rows do not begin at multiples of 16.
struct F64ByThreads {
  static constexpr int threads = 128;
  View<const double> a, b;
  template <class Stage>
  __device__ void begin(Stage& stage, int i0, int j0, int p, Barrier& full) const {
    copy(stage.a, a, i0, p);
#pragma unroll
    for (int s = 0; s < int(sizeof stage.b / sizeof stage.b[0]); ++s) copy(stage.b[s], b, p, j0 + 16 * s);
    arrive_after_copies(full);
  }
  /// The tile from (i0, j0) on; zeros beyond the matrix.
  template <int rows>
  __device__ static void copy(SharedTile<double, rows, 16>& tile, View<const double> from, int i0, int j0) {
    const int row = int(threadIdx.x) % 128 / 16, col = int(threadIdx.x) % 16;
    const bool in_row = j0 + col < from.cols();
#pragma unroll
    for (int r = row; r < rows; r += 8) {
      const bool inside = in_row && i0 + r < from.rows();
      cp_async<8>(&tile[r][col ^ row * 2], from.data() + (inside ? (i0 + r) * from.ld() + j0 + col : 0),
                  8 * inside);
    }
  }
};

/// A tile of 64 × BN a block, 64 × BN / 4 a warp, of `steps` steps; two blocks a multiprocessor: one
/// multiplies while the other adds to C. Of several parts of k each has a matrix of its own in `to`, below
/// each other, where its sums are stored.
template <class Copies, int BN, int depth>
__global__ __launch_bounds__(f64_threads, 2) void f64_tensor(const __grid_constant__ Copies copies,
                                                             View<double> to, int steps) {
  constexpr int WN = BN / 4;
  auto& ring = shared_memory<F64Ring<BN, depth>>();
  const int i0 = int(blockIdx.y) * f64_BM, j0 = int(blockIdx.x) * BN, p0 = int(blockIdx.z) * steps * f64_BK;
  prepare(ring.full, ring.empty, f64_consumers, Copies::threads);
  PipelineState<depth> state;
  if (threadIdx.x >= 128) {
    registers_down<40>();
    if (threadIdx.x < 128 + Copies::threads)
      produce(ring, state, steps, [&](auto& stage, int step, Barrier& full) {
        copies.begin(stage, i0, j0, p0 + step * f64_BK, full);
      });
  } else {
    registers_up<216>();
    const int col = int(threadIdx.x) / 32 * WN;
    WideC<double> sum[f64_BM / 16][WN / 8] = {};
    const int live = (int(to.rows() / gridDim.z) - i0 + 15) / 16;
    int before = 0;
    for (int step = 0; step < steps; ++step, ++state) {
      wait(ring.full[state.stage], state.parity);
      multiply_f64(sum, ring.stage[state.stage], col, live);
      __syncwarp();
      // A step later: given back at once, a stage was filled before A's last 16 rows had been read.
      if (step > 0 && threadIdx.x % 32 == 0) arrive(ring.empty[before]);
      before = state.stage;
    }
    const Index rows = to.rows() / gridDim.z;
    const bool whole = i0 + f64_BM <= rows && j0 + BN <= to.cols(), pairs = to.ld() % 2 == 0;
    if (gridDim.z == 1 && whole && pairs && reinterpret_cast<std::uintptr_t>(to.data()) % 16 == 0)
      return course::add_fragments(to, i0, j0 + col, sum);
    auto& tile = reinterpret_cast<F64Sums<BN>&>(ring);
    static_assert(sizeof tile <= sizeof ring.stage);
    put_rows<BN>(to.block(blockIdx.z * rows, 0, rows, to.cols()), i0, j0, tile, sum, gridDim.z == 1);
  }
}

/// How many columns a tile has, and how many parts k.
struct F64Choice {
  int width;
  Index parts;
};
/// The ones that take the least time: rounds of blocks, two a multiprocessor, times the steps of each (and
/// five before the first), in ns as measured; parts fill one to four rounds, and are paid for.
constexpr F64Choice choose_f64(Index m, Index n, Index k, int multiprocessors) {
  const struct {
    int width;
    Index step;
  } ways[] = {{128, 1180}, {64, 760}, {32, 620}};
  const Index at_once = 2 * multiprocessors, steps = course::ceil_div(k, f64_BK);
  F64Choice best{};
  Index least = std::numeric_limits<Index>::max();
  for (const auto& way : ways)
    for (Index rounds = 0; rounds <= 4; ++rounds) {  // 0: k is whole
      const Index tiles = course::ceil_div(m, f64_BM) * course::ceil_div(n, way.width);
      const Index most = std::clamp<Index>(rounds * at_once / tiles, 1, steps);
      const Index of_part = course::ceil_div(steps, most), parts = course::ceil_div(steps, of_part);
      const Index ns = course::ceil_div(tiles * parts, at_once) * (of_part + 5) * way.step +
                       (parts > 1 ? parts * (m * n / 100 + 20) : 0);
      if (ns < least) least = ns, best = {way.width, parts};
    }
  return best;
}

}  // namespace cuda_hopper
