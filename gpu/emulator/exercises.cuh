// Kernels of the exercises in README.md; tests/exercises_test.cpp runs them.
#pragma once

#include "gpu/launch.hpp"

namespace course::exercises {

// [shift]
/// Each element of the row goes one place to the left; the last becomes 0.
__global__ void shift(View<const float> from, View<float> to) {
  __shared__ SharedTile<float, 1, 8> row;
  const int x = int(threadIdx.x);
  row[0][x] = from(0, x);
  to(0, x) = x < 7 ? row[0][x + 1] : 0;
}
// [/shift]

// [shift_solved]
__global__ void shift_solved(View<const float> from, View<float> to) {
  __shared__ SharedTile<float, 1, 8> row;
  const int x = int(threadIdx.x);
  row[0][x] = from(0, x);
  __syncthreads();
  to(0, x) = x < 7 ? row[0][x + 1] : 0;
}
// [/shift_solved]

// [mirror]
/// Mirrors each eight elements of a row of any length; what is missing of the last eight is 0.
__global__ void mirror(View<const float> from, View<float> to) {
  __shared__ SharedTile<float, 1, 8> row;
  const int x = int(threadIdx.x);
  const Index j = Index{blockIdx.x} * 8 + x;
  row[0][x] = 0;
  if (j >= from.cols()) return;
  row[0][x] = from(0, j);
  __syncthreads();
  to(0, j) = row[0][7 - x];
}
// [/mirror]

// [mirror_solved]
__global__ void mirror_solved(View<const float> from, View<float> to) {
  __shared__ SharedTile<float, 1, 8> row;
  const int x = int(threadIdx.x);
  const Index j = Index{blockIdx.x} * 8 + x;
  row[0][x] = j < from.cols() ? from(0, j) : 0;
  __syncthreads();
  if (j < from.cols()) to(0, j) = row[0][7 - x];
}
// [/mirror_solved]

// [block_sum]
/// The sum of each 64 elements of a row, by a block of 64 threads.
__global__ void block_sum(View<const float> from, View<float> sums) {
  __shared__ SharedTile<float, 1, 64> part;
  const int x = int(threadIdx.x);
  const Index j = Index{blockIdx.x} * 64 + x;
  part[0][x] = j < from.cols() ? from(0, j) : 0;
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();  // the upper half has been written, by the last round's threads
    if (x < half) part[0][x] += part[0][x + half];
  }
  if (x == 0) sums(0, blockIdx.x) = part[0][0];
}
// [/block_sum]

}  // namespace course::exercises
