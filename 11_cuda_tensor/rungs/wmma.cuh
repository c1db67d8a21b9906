// wmma: against 09, a warp's instruction multiplies 16 × 16 elements; fragments come from global memory.
//   build/11_cuda_tensor/11_cuda_tensor --type bf16 --size 2048 --variant wmma
#pragma once

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <mma.h>
#endif

#include "elements.cuh"

namespace cuda_tensor {

#ifdef __CUDACC__  // else gpu/emulator/ptx.hpp has these
/// Matrices of 16 × 16 for WMMA; CUDA does not say which lane holds what. In memory they are row-major, at a
/// multiple of 32 bytes, their rows a multiple of 16 bytes apart.
namespace in_cuda = nvcuda::wmma;
using WmmaA = in_cuda::fragment<in_cuda::matrix_a, 16, 16, 16, __nv_bfloat16, in_cuda::row_major>;
using WmmaB = in_cuda::fragment<in_cuda::matrix_b, 16, 16, 16, __nv_bfloat16, in_cuda::row_major>;
using WmmaC = in_cuda::fragment<in_cuda::accumulator, 16, 16, 16, float>;
__device__ inline void wmma_load_a(WmmaA& a, const bf16* from, int ld) {
  in_cuda::load_matrix_sync(a, reinterpret_cast<const __nv_bfloat16*>(from), unsigned(ld));
}
__device__ inline void wmma_load_b(WmmaB& b, const bf16* from, int ld) {
  in_cuda::load_matrix_sync(b, reinterpret_cast<const __nv_bfloat16*>(from), unsigned(ld));
}
__device__ inline void wmma_store_c(float* to, const WmmaC& c, int ld) {
  in_cuda::store_matrix_sync(to, c, unsigned(ld), in_cuda::mem_row_major);
}
__device__ inline void wmma_fill(WmmaC& c, float value) {
  in_cuda::fill_fragment(c, value);
}
/// C += A·B.
__device__ inline void wmma_mma(WmmaC& c, const WmmaA& a, const WmmaB& b) {
  in_cuda::mma_sync(c, a, b, c);
}
#endif

/// 16 × 16 elements in memory, whose rows lie `ld` apart.
struct Tile16 {
  const bf16* first;
  int ld;
};

/// The 16 × 16 elements from (i0, j0) on where they lie; at an edge copied to `edge`, with zeros round them.
template <bool aligned>
__device__ Tile16 tile_16(View<const bf16> from, Index i0, Index j0, bf16* edge) {
  if (aligned && i0 + 16 <= from.rows() && j0 + 16 <= from.cols()) return {&from(i0, j0), int(from.ld())};
  __syncwarp();  // no lane writes before all have read
  for (int e = int(threadIdx.x) % 32; e < 256; e += 32) {
    const Index i = i0 + e / 16, j = j0 + e % 16;
    edge[e] = i < from.rows() && j < from.cols() ? from(i, j) : bf16(0.f);
  }
  __syncwarp();  // no lane reads before all have written
  return {edge, 16};
}

/// C += a fragment, from (i0, j0) on. Which lane holds which element is not told: it is stored in `scratch`
/// first.
__device__ inline void add_fragment(View<float> c, Index i0, Index j0, const WmmaC& sum, float* scratch) {
  wmma_store_c(scratch, sum, 16);
  __syncwarp();
  for (int e = int(threadIdx.x) % 32; e < 256; e += 32) {
    const Index i = i0 + e / 16, j = j0 + e % 16;
    if (i < c.rows() && j < c.cols()) c(i, j) += scratch[e];
  }
  __syncwarp();  // the next fragment is stored in the same place
}

/// A warp makes 16 × 16 elements of C, its fragments from global memory; a block of 4 warps 32 × 32.
template <bool aligned>
__global__ void wmma(View<const bf16> a, View<const bf16> b, View<float> c) {
  alignas(32) __shared__ SharedTile<bf16, 4, 256> a_edge;
  alignas(32) __shared__ SharedTile<bf16, 4, 256> b_edge;
  alignas(32) __shared__ SharedTile<float, 4, 256> scratch;
  const int warp = int(threadIdx.x) / 32;
  const Index i0 = Index{blockIdx.y} * 32 + warp / 2 * 16, j0 = Index{blockIdx.x} * 32 + warp % 2 * 16;
  if (i0 >= c.rows() || j0 >= c.cols()) return;
  // [wmma]
  WmmaC sum;
  wmma_fill(sum, 0);
  for (Index p = 0; p < a.cols(); p += 16) {
    const Tile16 a_tile = tile_16<aligned>(a, i0, p, &a_edge[warp][0]);
    const Tile16 b_tile = tile_16<aligned>(b, p, j0, &b_edge[warp][0]);
    WmmaA a_p;
    WmmaB b_p;
    wmma_load_a(a_p, a_tile.first, a_tile.ld), wmma_load_b(b_p, b_tile.first, b_tile.ld);
    wmma_mma(sum, a_p, b_p);
  }
  add_fragment(c, i0, j0, sum, &scratch[warp][0]);
  // [/wmma]
}

}  // namespace cuda_tensor
