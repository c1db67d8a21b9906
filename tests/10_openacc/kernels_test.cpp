// 10's kernels on matrices that end where memory does. Without directives they are plain loops: no GPU is
// needed.
#include <doctest/doctest.h>

#include "10_openacc/gemm.hpp"
#include "tests/fenced.hpp"

TEST_CASE("a kernel reads no row, and no column, that is not there") {
  using course::Shape;
  const auto kernels = {openacc::one_each<float>, openacc::tiled<float>, openacc::four_by_four<float>,
                        openacc::omp_target<float>, openacc::omp_target_simd<float>};
  for (const auto& shape : {Shape{5, 7, 97}, {7, 5, 1}, {1, 33, 2}, {33, 65, 3}, {0, 5, 3}, {5, 0, 3}})
    for (const auto kernel : kernels) CHECK(fenced::right<float>(shape, kernel));
}
