// Wrong on purpose: what goes wrong when loops are shared out that may not be. A race comes out right most of
// the time; barriers force here what otherwise happens now and then (where the build has
// ThreadSanitizer, a test shows it both).
#pragma once

#include <omp.h>

#include "gemm.hpp"

namespace openmp::wrong {

/// The loop over p is shared out, and each thread adds its part to C(i, j) without a reduction: all have read
/// the old value before any writes the new one, so only the last writer's part stays.
template <class T>
void k_without_reduction(View<const T> a, View<const T> b, View<T> c, int threads) {
#pragma omp parallel num_threads(threads)
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      T sum = c(i, j);
      for (Index p = omp_get_thread_num(); p < a.cols(); p += omp_get_num_threads()) sum += a(i, p) * b(p, j);
#pragma omp barrier
      c(i, j) = sum;
#pragma omp barrier
    }
}

/// One sum for all threads, because it was declared outside the parallel region: all but one add a
/// stranger's.
template <class T>
void shared_sum(View<const T> a, View<const T> b, View<T> c, int threads) {
  T shared = 0;
#pragma omp parallel num_threads(threads)
  for (Index i = 0; i < c.rows(); ++i)
    for (Index from = 0; from < c.cols(); from += omp_get_num_threads()) {
      const Index j = from + omp_get_thread_num();
      T sum = 0;
      for (Index p = 0; j < c.cols() && p < a.cols(); ++p) sum += a(i, p) * b(p, j);
      shared = sum;
#pragma omp barrier
      if (j < c.cols()) c(i, j) += shared;
#pragma omp barrier
    }
}

/// Eight rows of B at a time are transposed by all threads together, and whoever is done multiplies (nowait):
/// where the others' columns should be, there are still those of the eight rows before.
template <class T>
void no_barrier(View<const T> a, View<const T> b, View<T> c, View<T> bt, int threads) {
#pragma omp parallel num_threads(threads)
  for (Index from = 0; from < a.cols(); from += 8) {
    const Index me = omp_get_thread_num(), all = omp_get_num_threads();
    const Index k = a.cols() - from < 8 ? a.cols() - from : 8;
    for (Index turn = 0; turn < all; ++turn) {
      for (Index j = me; turn == me && j < b.cols(); j += all)
        for (Index p = 0; p < k; ++p) bt(j, p) = b(from + p, j);
      for (Index i = me; turn == me && i < c.rows(); i += all)
        for (Index j = 0; j < c.cols(); ++j)
          for (Index p = 0; p < k; ++p) c(i, j) += a(i, from + p) * bt(j, p);
#pragma omp barrier
    }
  }
}

/// Rows shared out by hand, m / threads for each: what is left over is forgotten.
template <class T>
void rest_lost(View<const T> a, View<const T> b, View<T> c, int threads) {
  const Index rows = c.rows() / threads;
  for (int t = 0; t < threads; ++t)
    parallel_for<T>(a.block(t * rows, 0, rows, a.cols()), b, c.block(t * rows, 0, rows, c.cols()), 1);
}

}  // namespace openmp::wrong
