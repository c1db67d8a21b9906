// 10's kernels on matrices that end where memory does. Without directives they are plain loops: no GPU is
// needed.
#include <doctest/doctest.h>

#include "10_openacc/gemm.hpp"
#include "tests/instrumented.hpp"

using course::Index, course::Shape, course::View;
using instrumented::Fence;

namespace {

void fill(View<float> view) {
  for (Index i = 0; i < view.rows(); ++i)
    for (Index j = 0; j < view.cols(); ++j) view(i, j) = static_cast<float>((3 * i + j) % 7 - 3);
}

}  // namespace

TEST_CASE("a kernel reads no row, and no column, that is not there") {
  const auto kernels = {openacc::one_each<float>, openacc::tiled<float>, openacc::four_by_four<float>,
                        openacc::omp_target<float>, openacc::omp_target_simd<float>};
  for (const auto& [m, n, k] : {Shape{5, 7, 97}, {7, 5, 1}, {1, 33, 2}, {33, 65, 3}, {0, 5, 3}, {5, 0, 3}})
    for (const Fence fence : {Fence::behind, Fence::before})
      for (const auto kernel : kernels) {
        const instrumented::Fenced<float> a(m, k, fence), b(k, n, fence), c(m, n, fence), before(m, n, fence);
        for (const auto* const matrix : {&a, &b, &c, &before}) fill(matrix->view());
        kernel(a.view(), b.view(), c.view());
        bool right = true;
        for (Index i = 0; i < m; ++i)
          for (Index j = 0; j < n; ++j) {
            float sum = before.view()(i, j);  // small whole numbers: exact in any order
            for (Index p = 0; p < k; ++p) sum += a.view()(i, p) * b.view()(p, j);
            right &= c.view()(i, j) == sum;
          }
        CHECK(right);
      }
}
