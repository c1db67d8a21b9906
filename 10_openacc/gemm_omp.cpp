// OpenMP target: the loops of gemm_acc.cpp's one_each, other words above them.
#include "gemm.hpp"

namespace openacc {

template <class T>
void omp_target(View<const T> a, View<const T> b, View<T> c) {
  const Index m = c.rows(), n = c.cols(), k = a.cols();
#pragma omp target teams distribute parallel for collapse(2) firstprivate(a, b, c)
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      T sum = c(i, j);
      for (Index p = 0; p < k; ++p) sum += a(i, p) * b(p, j);
      c(i, j) = sum;
    }
}

template <class T>
void omp_target_simd(View<const T> a, View<const T> b, View<T> c) {
  const Index n = c.cols(), k = a.cols(), elements = c.rows() * n;
#pragma omp target teams distribute parallel for simd firstprivate(a, b, c)
  for (Index e = 0; e < elements; ++e) {  // one loop: gcc 12 gives lanes to no loops that it collapsed itself
    const Index i = e / n, j = e % n;
    T sum = c(i, j);
    for (Index p = 0; p < k; ++p) sum += a(i, p) * b(p, j);
    c(i, j) = sum;
  }
}

COURSE_INSTANTIATE(omp_target);
COURSE_INSTANTIATE(omp_target_simd);

}  // namespace openacc
