// Two ways to share a product out badly, and each with what mends it beside it. Compiled as gemm.cpp is.
#include <omp.h>

#include <new>

#include "gemm.hpp"

namespace openmp {

/// The rows of C in 64 strips that grow: one share, two shares, and so on. Strip s begins at this row:
constexpr Index strips = 64;
COURSE_INLINE Index first_row(Index rows, Index s) {
  return rows * (s * (s + 1)) / (strips * (strips + 1));
}

/// ikj on the rows of strip s.
template <class T>
COURSE_INLINE void strip_of_c(View<const T> a, View<const T> b, View<T> c, Index s) {
  for (Index i = first_row(c.rows(), s); i < first_row(c.rows(), s + 1); ++i)
    for (Index p = 0; p < a.cols(); ++p) {
      const T factor = a(i, p);
      for (Index j = 0; j < c.cols(); ++j) c(i, j) += factor * b(p, j);
    }
}

// [growing_static]
template <class T>
void growing_static(View<const T> a, View<const T> b, View<T> c, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index s = 0; s < strips; ++s) strip_of_c(a, b, c, s);
}
// [/growing_static]

template <class T>
void growing_dynamic(View<const T> a, View<const T> b, View<T> c, int threads) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (Index s = 0; s < strips; ++s) strip_of_c(a, b, c, s);
}

template <class T>
constexpr Index half = 32 / sizeof(T);

/// ikj, half a cache line of C at a time. A thread adds it up in memory: volatile forbids the compiler to
/// keep the sums in registers. `apart` is the distance from one thread's sums to the next one's.
template <class T>
[[gnu::always_inline]] inline void sums_in_memory(View<const T> a, View<const T> b, View<T> c, int threads,
                                                  Index apart) {
  T* const lines = new (std::align_val_t{64}) T[static_cast<std::size_t>(2 * half<T> * threads)];
  // [sums_in_memory]
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index i = 0; i < c.rows(); ++i) {
    volatile T* const sum = lines + omp_get_thread_num() * apart;
    for (Index first = 0; first < c.cols(); first += half<T>) {
      const Index n = c.cols() - first < half<T> ? c.cols() - first : half<T>;
      for (Index j = 0; j < n; ++j) sum[j] = c(i, first + j);
      for (Index p = 0; p < a.cols(); ++p)
        for (Index j = 0; j < n; ++j) sum[j] = sum[j] + a(i, p) * b(p, first + j);
      for (Index j = 0; j < n; ++j) c(i, first + j) = sum[j];
    }
  }
  // [/sums_in_memory]
  operator delete[](lines, std::align_val_t{64});
}

template <class T>
void sums_padded(View<const T> a, View<const T> b, View<T> c, int threads) {
  sums_in_memory(a, b, c, threads, 2 * half<T>);  // a line for each
}

template <class T>
void sums_side_by_side(View<const T> a, View<const T> b, View<T> c, int threads) {
  sums_in_memory(a, b, c, threads, half<T>);  // a line for two
}

COURSE_INSTANTIATE(growing_static, int);
COURSE_INSTANTIATE(growing_dynamic, int);
COURSE_INSTANTIATE(sums_padded, int);
COURSE_INSTANTIATE(sums_side_by_side, int);

}  // namespace openmp
