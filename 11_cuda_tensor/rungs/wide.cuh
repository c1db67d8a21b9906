// tf32, f64_tensor: C += A·B by tensor cores whose elements take a register or two: f32, whose factors are
// rounded to TF32, and f64. Against stages: fragments are put together by plain loads, for ldmatrix knows
// elements of two bytes only. Run: build/11_cuda_tensor/11_cuda_tensor --type tf32,f64 --size 2048
#pragma once

#include "elements.cuh"

namespace cuda_tensor {

using course::Result, course::tf32;

/// A block makes BM × BN elements of C by warps of WM × WN, BK columns of A a step, `depth` steps' tiles in
/// 48 KiB of shared memory; so many blocks a multiprocessor. Of a larger part of C a warp loads less for each
/// product, and holds more sums: those of 64 × 32 doubles are 128 registers, as those of 64 × 64 floats.
template <class T>
struct WideTiles {
  static constexpr int BM = 128, BN = 128, BK = 16, WM = 64, WN = 64, depth = 3, blocks = 2;
};
template <>
struct WideTiles<double> {
  static constexpr int BM = 128, BN = 128, BK = 8, WM = 64, WN = 32, depth = 3, blocks = 1;
};
template <class S>
constexpr int wide_threads = S::BM / S::WM*(S::BN / S::WN) * 32;

/// Where column `col` of a tile's row lies. A row is cut into chunks of `chunk` elements, what one row gives
/// to a load; chunk e lies at e XOR the row's number, or its half or quarter where a row has less than the
/// 128 bytes of all banks. So the chunks of rows below each other lie in different banks.
template <class T, int chunk, int cols>
__device__ constexpr int swizzled(int row, int col) {
  constexpr int chunks = cols / chunk, all_banks = 128 / (chunk * int(sizeof(T)));
  const int mask = chunks < all_banks ? row / (all_banks / chunks) % chunks : row % all_banks;
  return (col / chunk ^ mask) * chunk + col % chunk;
}
/// A warp's load of A reads 4 adjacent elements in 8 rows; of B, 32 bytes in 4 rows. (Doubles come in two
/// halves: of A 4 rows, of B 4 rows of 4.)
template <class T, int cols>
__device__ constexpr int place_in_a(int row, int col) {
  return swizzled<T, 4, cols>(row, col);
}
template <class T, int cols>
__device__ constexpr int place_in_b(int row, int col) {
  return swizzled<T, 32 / sizeof(T), cols>(row, col);
}

/// Copies the tile from (i0, j0) on, 16 bytes at a time, zeros for what is beyond the matrix; by cp.async
/// where rows are aligned, and then it does not wait. `place`: where an element lies in its row.
template <bool aligned, int threads, class T, int rows, int cols>
__device__ void begin_wide(SharedTile<T, rows, cols>& tile, int (*place)(int row, int col),
                           View<const T> from, Index i0, Index j0) {
  constexpr int at_once = 16 / sizeof(T), across = cols / at_once, down = threads / across;
  static_assert(threads % across == 0 && rows % down == 0);
  const int first = int(threadIdx.x) / across, col = int(threadIdx.x) % across * at_once;
  const Index j = j0 + col;
  const int there = int(std::clamp(from.cols() - j, Index{0}, Index{at_once}));
#pragma unroll 1  // unrolled, it would need address registers that the sums use
  for (int row = first; row < rows; row += down) {
    const Index i = i0 + row;
    const auto to = tile[row] + place(row, col);
    if (aligned) {
      const bool inside = i < from.rows() && there > 0;
      cp_async(to, inside ? from.block(i, j, 1, there).data() : from.data(),
               inside ? there * int(sizeof(T)) : 0);
    } else {
      for (int n = 0; n < at_once; ++n)
        course::in_shared<T>(to + n) = i < from.rows() && n < there ? from(i, j + n) : T(0);
    }
  }
}

/// A warp's part of C.
template <class T, class S>
using WideSums = WideC<Result<T>>[S::WM / 16][S::WN / 8];

/// A warp's sums += its rows of A's tile times its columns of B's. To take an element as a Result<T> rounds
/// it, if T is tf32.
template <class T, class S, class TileA, class TileB>
__device__ void multiply_wide(WideSums<T, S>& sum, TileA& a_tile, TileB& b_tile, int row, int col) {
  using R = Result<T>;
  const int lane = int(threadIdx.x) % 32;
#pragma unroll
  for (int q = 0; q < S::BK; q += 8) {
    WideB<R> b_q[S::WN / 8];
#pragma unroll
    for (int s = 0; s < S::WN / 8; ++s)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const Place at = WideB<R>::place(lane, e);
        const int p = q + at.row, j = col + 8 * s + at.col;
        b_q[s].of[e] = R(b_tile[p][place_in_b<T, S::BN>(p, j)]);
      }
#pragma unroll
    for (int r = 0; r < S::WM / 16; ++r) {
      WideA<R> a_q;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const Place at = WideA<R>::place(lane, e);
        const int i = row + 16 * r + at.row, p = q + at.col;
        a_q.of[e] = R(a_tile[i][place_in_a<T, S::BK>(i, p)]);
      }
#pragma unroll
      for (int s = 0; s < S::WN / 8; ++s) mma_sync(sum[r][s], a_q, b_q[s]);
    }
  }
}

/// As stages: while one pair of tiles is multiplied, those of the next steps are on their way. `aligned`: A
/// and B begin at multiples of 16 bytes, and so do their rows.
template <class T, bool aligned, class S = WideTiles<T>>
__global__ __launch_bounds__(wide_threads<S>, S::blocks) void wide_stages(View<const T> a, View<const T> b,
                                                                          View<Result<T>> c) {
  alignas(32) __shared__ SharedTile<T, S::BM, S::BK> a_tile[S::depth];
  alignas(32) __shared__ SharedTile<T, S::BK, S::BN> b_tile[S::depth];
  constexpr int across = S::BN / S::WN, threads = wide_threads<S>;
  const int warp = int(threadIdx.x) / 32, row = warp / across * S::WM, col = warp % across * S::WN;
  const Index i0 = Index{blockIdx.y} * S::BM, j0 = Index{blockIdx.x} * S::BN;
  const int steps = int(course::ceil_div(a.cols(), S::BK));
  const auto begin = [&](int step) {
    if (step < steps) {
      const Index p = Index{step} * S::BK;
      begin_wide<aligned, threads>(a_tile[step % S::depth], place_in_a<T, S::BK>, a, i0, p);
      begin_wide<aligned, threads>(b_tile[step % S::depth], place_in_b<T, S::BN>, b, p, j0);
    }
    cp_async_commit();
  };
  for (int step = 0; step < S::depth - 1; ++step) begin(step);
  WideSums<T, S> sum = {};
  for (int step = 0; step < steps; ++step) {
    cp_async_wait<S::depth - 2>();  // this step's tiles are there, of this thread …
    __syncthreads();                // … and of all; and nobody reads those of the step before any more
    begin(step + S::depth - 1);
    multiply_wide<T, S>(sum, a_tile[step % S::depth], b_tile[step % S::depth], row, col);
  }
  add_fragments(c, i0 + row, j0 + col, sum);
}

/// C += A·B on the GPU, of any size and leading dimension; T: tf32 or double.
template <class T>
static void product_of_wide(View<const T> a, View<const T> b, View<Result<T>> c) {
  using S = WideTiles<T>;
  const auto aligned = [](View<const T> view) {
    return reinterpret_cast<std::uintptr_t>(view.data()) % 16 == 0 && view.ld() * Index(sizeof(T)) % 16 == 0;
  };
  const auto kernel = aligned(a) && aligned(b) ? wide_stages<T, true> : wide_stages<T, false>;
  tile_a_block<T>(kernel, S::BM, S::BN, wide_threads<S>, a, b, c);
}

}  // namespace cuda_tensor
