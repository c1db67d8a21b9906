// The last rungs behind the interface of a BLAS, as a shared library: so they meet the libraries.
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "05_avx2/gemm.hpp"
#include "best.hpp"

#define PUBLIC extern "C" [[gnu::visibility("default")]]

namespace {

/// Ends the process with a line on stderr, as a BLAS does.
[[noreturn]] void refuse(const char* why) {
  std::fprintf(stderr, "course_blas: %s\n", why);
  std::exit(2);
}

/// Does AVX-512 multiply here? What COURSE_RUNG names, or else the best that this processor can run.
bool wide() {
  static const bool chosen = [] {
    const bool can = avx2::best_vector() == std::string_view("avx512");
    const char* const named = std::getenv("COURSE_RUNG");
    const std::string_view rung = named ? named : can ? "avx512" : "tuned";
    if (rung != "avx512" && rung != "tuned") refuse("COURSE_RUNG may be tuned or avx512");
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
      refuse("this processor lacks avx2 or fma");
    if (rung == "avx512" && !can) refuse("COURSE_RUNG=avx512: this processor lacks avx512f, dq, bw or vl");
    return rung == "avx512";
  }();
  return chosen;
}

/// C = alpha·A·B + beta·C as this course knows it: row-major, nothing transposed, alpha and beta 1.
template <class T>
void gemm(int order, int a_op, int b_op, int m, int n, int k, T alpha, const T* a, int lda, const T* b,
          int ldb, T beta, T* c, int ldc) {
  constexpr int row_major = 101, as_it_is = 111;
  if (order != row_major || a_op != as_it_is || b_op != as_it_is || alpha != T{1} || beta != T{1} || m < 0 ||
      n < 0 || k < 0 || lda < k || ldb < n || ldc < n)
    refuse("only row-major C += A*B without transposition, of sizes that go together");
  const int threads = omp_get_max_threads();
  const avx2::Caches caches = avx2::caches_here(threads);
  if ((wide() ? avx2::small<avx2::avx512_tile, T>
              : avx2::small<avx2::avx2_tile, T>)(a, lda, 1, b, ldb, c, ldc, m, n, k, caches, threads))
    return;
  (wide() ? avx2::tuned<avx2::avx512_tile, T>
          : avx2::tuned<avx2::avx2_tile, T>)({a, m, k, lda}, {b, k, n, ldb}, {c, m, n, ldc}, caches, threads);
}

}  // namespace

/// The rung that multiplies here: "avx512" or "tuned".
PUBLIC const char* course_blas_rung() {
  return wide() ? "avx512" : "tuned";
}

#define GEMM(name, T)                                                                                \
  PUBLIC void name(int order, int a_op, int b_op, int m, int n, int k, T alpha, const T* a, int lda, \
                   const T* b, int ldb, T beta, T* c, int ldc) {                                     \
    gemm<T>(order, a_op, b_op, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                        \
  }
GEMM(cblas_sgemm, float)
GEMM(cblas_dgemm, double)
GEMM(cblas_igemm, std::int32_t)
