// Libraries for --library, which go wrong, each in the way its macro says.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

/// C = alpha·A·B + beta·C by rows.
[[maybe_unused]] void multiply(std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const float* a,
                               std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
                               std::int64_t ldc) {
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      c[i * ldc + j] *= beta;
      for (std::int64_t p = 0; p < k; ++p) c[i * ldc + j] += alpha * a[i * lda + p] * b[p * ldb + j];
    }
}

}  // namespace

#ifdef EMPTY
extern "C" int not_a_blas;
int not_a_blas = 0;
#elif defined(DNNL)
extern "C" int dnnl_sgemm(char transpose_a, char transpose_b, std::int64_t m, std::int64_t n, std::int64_t k,
                          float alpha, const float* a, std::int64_t lda, const float* b, std::int64_t ldb,
                          float beta, float* c, std::int64_t ldc) {
  if (transpose_a != 'N' || transpose_b != 'N' || k == 13) return 1;
  multiply(m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  return 0;
}
#elif defined(FORTRAN)  // by columns
extern "C" void sgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
                       const int* k, const float* alpha, const float* a, const int* lda, const float* b,
                       const int* ldb, const float* beta, float* c, const int* ldc) {
  if (*transpose_a == 'N' && *transpose_b == 'N')
    multiply(*n, *m, *k, *alpha, b, *ldb, a, *lda, *beta, c, *ldc);
}
#else
extern "C" void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                            const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc) {
#ifdef CRASH
  std::abort();
#endif
#ifdef HANG
  for (;;) pause();
#endif
  if (order != 101 || transpose_a != 111 || transpose_b != 111) return;  // row-major, as it is
#ifdef ROW_LOST
  --m;
#endif
  multiply(m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
#ifdef SLOW  // longer than a sample, and told with how many threads it was to be called
  usleep(2000);
  const char* const spin = std::getenv("GOMP_SPINCOUNT");
  std::fprintf(stderr, "called %s %s %s\n", std::getenv("OMP_NUM_THREADS"), std::getenv("OMP_PROC_BIND"),
               spin ? spin : "");
#endif
#ifdef OUTSIDE
  c[m * ldc] = 1;
#endif
}
#endif
