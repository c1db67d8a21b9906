// What tests of 13 and 14 share: inputs, their copies on a GPU, and main where nvcc compiles them.
#pragma once

#ifdef __CUDACC__
#define DOCTEST_CONFIG_IMPLEMENT
#endif
#include <doctest/doctest.h>

#include <cstdio>

#include "common/fill.hpp"
#include "gpu/cuda.hpp"
#include "gpu/ptx.cuh"

namespace course {
template <class T>
struct Given {
  Matrix<T> a, b, c;
};
template <class T>
Given<T> uniform(Index m, Index n, Index k) {
  Given<T> made{{m, k, 3}, {k, n, 1}, {m, n, 2}};
  for (const auto& [matrix, name] : {std::pair{&made.a, 'A'}, {&made.b, 'B'}, {&made.c, 'C'}})
    fill_matrix(matrix->view(), Fill::uniform, 7, name);
  return made;
}
/// Its copy in the GPU's memory, or in what the emulator takes for it, with guard bands.
template <class T>
auto there(View<T> matrix) {
  Cuda::Matrix<std::remove_const_t<T>> copy(matrix.rows(), matrix.cols(), matrix.ld() - matrix.cols(),
                                            Memory::device);
  copy.poison();
  Cuda::transfer<std::remove_const_t<T>>(matrix, copy.view());
  return copy;
}
}  // namespace course

#ifdef __CUDACC__  // skipped where no GPU has tensor cores
int main(int argc, char** argv) {
  if (const std::string missing = course::Cuda::missing(course::ptx::tensor_capability); !missing.empty())
    return std::printf("skipped: %s\n", missing.c_str()), 77;
  return doctest::Context(argc, argv).run();
}
#endif
