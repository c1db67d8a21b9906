// double_buffered: as conflict_free, but the next tiles come by registers into a second pair of tiles.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --size 2048 --variant conflict_free,double_buffered
#pragma once

#include "elements.cuh"

namespace cuda_regtile {

// [double_buffered]
/// C += A·B, the next tiles on their way while these are multiplied. One barrier a step is enough.
template <class T, bool aligned>
__global__ __launch_bounds__(threads, at_once<T>) void double_buffered(View<const T> a, View<const T> b,
                                                                       View<T> c) {
  constexpr int W = width<T>, down = BM / (TM / W), right = BN / (TN / W);
  alignas(16) __shared__ SharedTile<T, BK, BM + W> a_tile[2];
  alignas(16) __shared__ SharedTile<T, BK, BN> b_tile[2];
  const int thread = int(threadIdx.x), row = thread / (BN / TN) * W, col = thread % (BN / TN) * W;
  const Index i0 = Index{blockIdx.y} * BM, j0 = Index{blockIdx.x} * BN;
  constexpr int a_loads = BM * BK / W / threads, b_loads = BK * BN / W / threads;
  Vector<T> a_next[a_loads], b_next[b_loads];
  const auto fetch = [&](Index p) {
    const int thread = opaque(int(threadIdx.x));
#pragma unroll
    for (int l = 0; l < a_loads; ++l) {
      const int v = thread + l * threads;
      a_next[l] = load<aligned>(a, i0 + v / (BK / W), p + v % (BK / W) * W);
    }
#pragma unroll
    for (int l = 0; l < b_loads; ++l) {
      const int v = thread + l * threads;
      b_next[l] = load<aligned>(b, p + v / (BN / W), j0 + v % (BN / W) * W);
    }
  };
  const auto put = [&](int stage) {
    const int thread = opaque(int(threadIdx.x));
#pragma unroll
    for (int l = 0; l < a_loads; ++l)
#pragma unroll
      for (int e = 0; e < W; ++e) {
        const int v = thread + l * threads;
        a_tile[stage][v % (BK / W) * W + e][v / (BK / W)] = a_next[l].element[e];
      }
#pragma unroll
    for (int l = 0; l < b_loads; ++l) {
      const int v = thread + l * threads;
      in_tile<T>(b_tile[stage][v / (BN / W)], v % (BN / W) * W) = b_next[l];
    }
  };
  T sum[TM][TN] = {};
  // [buffers]
  fetch(0);
  put(0);
  __syncthreads();
  int stage = 0;
  for (Index p = 0; p < a.cols(); p += BK, stage ^= 1) {
    fetch(p + BK);  // beyond k: zeros, and no load
#pragma unroll
    for (int q = 0; q < BK; ++q) {
      T a_q[TM], b_q[TN];
      take(a_q, a_tile[stage][q], row, down);
      take(b_q, b_tile[stage][q], col, right);
      multiply_add(sum, a_q, b_q);
    }
    put(stage ^ 1);
    __syncthreads();
  }
  // [/buffers]
#pragma unroll
  for (int r = 0; r < TM; ++r)
#pragma unroll
    for (int s = 0; s < TN; s += W)
      add<aligned>(c, i0 + row + r / W * down + r % W, j0 + col + s / W * right, &sum[r][s]);
}
// [/double_buffered]

}  // namespace cuda_regtile
