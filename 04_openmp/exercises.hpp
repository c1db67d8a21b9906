// Code of the exercises in README.md; tests/04_openmp/test.cpp runs it.
#pragma once

#include <omp.h>

#include "common/matrix.hpp"
#include "gemm.hpp"

namespace openmp::exercises {

/// Σ x(p) · y(p): the race on one sum, cured.
// [dot]
template <class T>
T dot(const T* x, const T* y, Index k, int threads) {
  T sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
  for (Index p = 0; p < k; ++p) sum += x[p] * y[p];
  return sum;
}
// [/dot]

/// A bug to find.
// [shared_factor]
template <class T>
void shared_factor(View<const T> a, View<const T> b, View<T> c, int threads) {
  const Index m = c.rows(), n = c.cols(), k = a.cols();
  T factor;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index i = 0; i < m; ++i)
    for (Index p = 0; p < k; ++p) {
      factor = a(i, p);
      for (Index j = 0; j < n; ++j) c(i, j) += factor * b(p, j);
    }
}
// [/shared_factor]

// [one_sum]
template <class T>
void one_sum(View<const T> a, View<const T> b, View<T> c, int threads, Index apart = 1) {
  const Index n = c.cols(), k = a.cols();
  T* const sums = new T[static_cast<std::size_t>(threads * apart)];
#pragma omp parallel num_threads(threads)
  {
    T& sum = sums[omp_get_thread_num() * apart];
#pragma omp for schedule(static)
    for (Index i = 0; i < c.rows(); ++i)
      for (Index j = 0; j < n; ++j) {
        sum = c(i, j);
        for (Index p = 0; p < k; ++p) sum += a(i, p) * b(p, j);
        c(i, j) = sum;
      }
  }
  delete[] sums;
}
// [/one_sum]

// [k_shared_out]
template <class T>
void k_shared_out(View<const T> a, View<const T> b, View<T> c, int threads) {
  const Index m = c.rows(), n = c.cols(), k = a.cols();
  course::Matrix<T> sums(threads * m, n);  // a C for each thread, one below the other
#pragma omp parallel num_threads(threads)
  {
    const Index me = omp_get_thread_num(), team = omp_get_num_threads();
    const View<T> mine = sums.view().block(me * m, 0, m, n);
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) mine(i, j) = 0;
#pragma omp for schedule(static)
    for (Index p = 0; p < k; ++p)
      for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < n; ++j) mine(i, j) += a(i, p) * b(p, j);
#pragma omp for schedule(static)
    for (Index i = 0; i < m; ++i)
      for (Index t = 0; t < team; ++t)
        for (Index j = 0; j < n; ++j) c(i, j) += sums.view()(t * m + i, j);
  }
}
// [/k_shared_out]

}  // namespace openmp::exercises
