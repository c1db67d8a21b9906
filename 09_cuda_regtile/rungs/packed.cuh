// packed: as stream_k, but A and B are copied first, so that their rows begin at multiples of 16 bytes.
//   build/09_cuda_regtile/09_cuda_regtile --type f32 --size 4097 --variant any_rows,packed
#pragma once

#include "elements.cuh"

namespace cuda_regtile {

/// A copy to make: what lies beyond the columns becomes zeros. A block makes 1024 elements, one after another
/// through its rows.
template <class T>
struct Copy {
  View<const T> from;
  View<T> to;
  unsigned blocks = unsigned((to.rows() * to.cols() + 1023) / 1024);
};

/// Makes two copies, each by blocks of its own.
template <class T>
__global__ __launch_bounds__(256) void pack(Copy<T> one, Copy<T> other) {
  const bool is_one = blockIdx.x < one.blocks;
  const View<const T> from = is_one ? one.from : other.from;
  const View<T> to = is_one ? one.to : other.to;
  const Index first = Index{is_one ? blockIdx.x : blockIdx.x - one.blocks} * 1024, i = first / to.cols();
  const unsigned j = unsigned(first - i * to.cols()) + threadIdx.x, cols = unsigned(to.cols());
  T taken[4];
#pragma unroll
  for (unsigned v = 0; v < 4; ++v) taken[v] = element(from, i + (j + v * 256) / cols, (j + v * 256) % cols);
#pragma unroll
  for (unsigned v = 0; v < 4; ++v)
    if (i + (j + v * 256) / cols < to.rows()) to(i + (j + v * 256) / cols, (j + v * 256) % cols) = taken[v];
}

}  // namespace cuda_regtile
