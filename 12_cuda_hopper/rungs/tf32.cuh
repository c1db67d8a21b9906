// tf32: as ping_pong, in f32 whose factors TMA rounds to TF32 as it copies them, to nearest, ties to even.
// wgmma takes such a B by columns only, and TMA does not transpose: a pass before does.
//   build/12_cuda_hopper/12_cuda_hopper --type tf32 --size 4096
#pragma once

#include "ping_pong.cuh"

namespace cuda_hopper {

using course::tf32;

constexpr int side = 64, transposing = 256;  // of the part that a block transposes; its threads

/// to = Bᵀ.
__global__ __launch_bounds__(transposing) void transpose(View<const tf32> b, View<tf32> to) {
  __shared__ SharedTile<tf32, side, side + 1> tile;  // one longer: a column lies in all banks
  const int x = int(threadIdx.x) % side, y = int(threadIdx.x) / side;
  const Index p0 = Index{blockIdx.x} * side, j0 = Index{blockIdx.y} * side;
#pragma unroll
  for (int p = y; p < side; p += transposing / side)
    if (p0 + p < b.rows() && j0 + x < b.cols()) tile[p][x] = b(p0 + p, j0 + x);
  __syncthreads();
#pragma unroll
  for (int j = y; j < side; j += transposing / side)
    if (j0 + j < b.cols() && p0 + x < b.rows()) to(j0 + j, p0 + x) = tile[x][j];
}

/// Tiles of A and of B transposed, for a step of 32 of k: 128 bytes, too.
template <int BN>
struct Stage<BN, tf32> {
  SharedTile<float, BM, 32> a;
  SharedTile<float, BN, 32> b;
};
template <int BN>
__device__ void begin_copies(Stage<BN, tf32>& stage, const CUtensorMap& a, const CUtensorMap& b, int i0,
                             int j0, int p, Barrier& full) {
  arrive_expect(full, int(sizeof stage));
  bulk_load(stage.a, a, p, i0, 0, full);
  bulk_load(stage.b, b, p, j0, 0, full);
}
template <int BN>
__device__ void begin_products(FragmentC (&sum)[2][BN / 8], const Stage<BN, tf32>& stage) {
  wgmma_fence();
#pragma unroll
  for (int q = 0; q < 32; q += 8)
#pragma unroll
    for (int g = 0; g < 2; ++g)
      ptx::wgmma<tf32, BN>(sum[g], describe(&stage.a[64 * g][q]), describe(&stage.b[0][q]), true);
  wgmma_commit();
}

}  // namespace cuda_hopper
