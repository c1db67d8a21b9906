// packed: as stream_k, but A and B are copied first, so that their rows begin at multiples of 16 bytes.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --size 4097 --variant any_rows,packed
#pragma once

#include "elements.cuh"

namespace cuda_regtile {

/// A copy to make: what lies beyond the columns becomes zeros. A block copies 1024 elements of a row,
/// `across` blocks a row.
template <class T>
struct Copy {
  View<const T> from;
  View<T> to;
  unsigned across = unsigned((to.cols() + 1023) / 1024), blocks = across * unsigned(to.rows());
};

// [pack]
/// Makes two copies, each by blocks of its own.
template <class T>
__global__ __launch_bounds__(256) void pack(Copy<T> one, Copy<T> other) {
  const bool is_one = blockIdx.x < one.blocks;
  const View<const T> from = is_one ? one.from : other.from;
  const View<T> to = is_one ? one.to : other.to;
  const unsigned block = is_one ? blockIdx.x : blockIdx.x - one.blocks,
                 across = is_one ? one.across : other.across;
  const Index i = block / across, j = Index{block % across} * 1024 + int(threadIdx.x);
  T taken[4];
#pragma unroll
  for (int v = 0; v < 4; ++v) taken[v] = element(from, i, j + v * 256);
#pragma unroll
  for (int v = 0; v < 4; ++v)
    if (j + v * 256 < to.cols()) to(i, j + v * 256) = taken[v];
}
// [/pack]

}  // namespace cuda_regtile
