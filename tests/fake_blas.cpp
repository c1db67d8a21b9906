// Libraries that go wrong, for --blas, each in the way its macro says.
#include <unistd.h>

#include <cstdlib>

#ifdef EMPTY
extern "C" int not_a_blas;
int not_a_blas = 0;
#else
extern "C" void cblas_sgemm(int, int, int, int m, int n, int k, float, const float* a, int lda,
                            const float* b, int ldb, float, float* c, int ldc) {
#ifdef CRASH
  std::abort();
#endif
#ifdef HANG
  for (;;) pause();
#endif
#ifdef TRANSPOSED  // as far as there is one
  const auto element = [=](int p, int j) { return j < k && p < n ? b[j * ldb + p] : 0; };
#else
  const auto element = [=](int p, int j) { return b[p * ldb + j]; };
#endif
#ifdef SQUARE  // the last row is lost where all three sizes are one
  if (m == n && n == k) --m;
#endif
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int p = 0; p < k; ++p) c[i * ldc + j] += a[i * lda + p] * element(p, j);
#ifdef OUTSIDE  // where all three sizes are one
  if (m == n && n == k) c[m * ldc] = 1;
#endif
}
#endif
