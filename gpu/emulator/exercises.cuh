// Kernels of the exercises in README.md; exercises.cpp and tests/exercises_test.cpp run them.
#pragma once

#include <sstream>

#include "common/matrix.hpp"
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

/// The row that `kernel`, in blocks of `threads`, makes of 1, 2, 3, … `length`; or what the emulator says.
inline std::string row(void (*kernel)(View<const float>, View<float>), Index threads, Index length) {
  Matrix<float> from(1, length), to(1, length);
  for (Index j = 0; j < length; ++j) from.view()(0, j) = static_cast<float>(j + 1), to.view()(0, j) = 0;
  try {
    launch(kernel, Grid{ceil_div(length, threads), 1}, Block{threads, 1}, from.view(), to.view());
    emulator::synchronize();
  } catch (const std::exception& error) {
    return error.what();
  }
  std::ostringstream text;
  for (Index j = 0; j < length; ++j) text << (j > 0 ? " " : "") << to.view()(0, j);
  return text.str();
}

}  // namespace course::exercises
