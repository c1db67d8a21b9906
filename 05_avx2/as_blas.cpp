// The last rungs behind the interface of a BLAS, as a shared library: for programs that want one, and for
// `make versus`, in which two states of this step meet like any two libraries.
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "caches.hpp"
#include "gemm.hpp"

namespace {

using course::Index;
using course::View;

/// C = alpha·A·B + beta·C as this course knows it: row-major, nothing transposed, alpha and beta 1. Anything
/// else ends the process with a line on stderr, as a BLAS does.
template <class T>
void gemm(int order, int a_op, int b_op, Index m, Index n, Index k, T alpha, const T* a, Index lda,
          const T* b, Index ldb, T beta, T* c, Index ldc) {
  constexpr int row_major = 101, as_it_is = 111;
  if (order != row_major || a_op != as_it_is || b_op != as_it_is || alpha != T{1} || beta != T{1} || m < 0 ||
      n < 0 || k < 0 || lda < k || ldb < n || ldc < n) {
    std::fputs("course_blas: only row-major C += A*B without transposition, of sizes that go together\n",
               stderr);
    std::exit(2);
  }
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    std::fputs("course_blas: this processor lacks avx2 or fma\n", stderr);
    std::exit(2);
  }
  static const char* const rung = std::getenv("COURSE_RUNG");  // "packed": AVX2 even where there is more
  static const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                           (rung == nullptr || std::strcmp(rung, "packed") != 0);
  const View<const T> in_a(a, m, k, lda), in_b(b, k, n, ldb);
  const View<T> out(c, m, n, ldc);
  const int threads = omp_get_max_threads();
  const avx2::Caches caches = avx2::caches_here(threads);
  if (threads == 1)
    wide ? avx2::avx512<T>(in_a, in_b, out, caches) : avx2::packed<T>(in_a, in_b, out, caches);
  else
    wide ? avx2::avx512_threads<T>(in_a, in_b, out, caches, threads)
         : avx2::packed_threads<T>(in_a, in_b, out, caches, threads);
}

}  // namespace

#define GEMM(name, T)                                                                                    \
  extern "C" void name(int order, int a_op, int b_op, int m, int n, int k, T alpha, const T* a, int lda, \
                       const T* b, int ldb, T beta, T* c, int ldc) {                                     \
    gemm<T>(order, a_op, b_op, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                            \
  }
GEMM(cblas_sgemm, float)
GEMM(cblas_dgemm, double)
GEMM(cblas_igemm, std::int32_t)

extern "C" const char* course_blas_rung() {
  const char* const rung = std::getenv("COURSE_RUNG");
  return rung ? rung : "avx512";
}
