// Eigen as a library like the others: compiled for this processor, Eigen at its best; loaded, never linked,
// since the verifier's Eigen must stay compiled plainly.
#include <Eigen/Core>
#include <cstdint>

namespace {

template <class T>
using Dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Stride = Eigen::OuterStride<>;

/// What this course asks of a library: row-major, no transposes, C += A·B.
template <class T>
void gemm(int m, int n, int k, const T* a, int lda, const T* b, int ldb, T* c, int ldc) {
  const Eigen::Map<const Dense<T>, 0, Stride> of_a(a, m, k, Stride(lda)), of_b(b, k, n, Stride(ldb));
  Eigen::Map<Dense<T>, 0, Stride>(c, m, n, Stride(ldc)).noalias() += of_a * of_b;
}

}  // namespace

#define EXPORT extern "C" [[gnu::visibility("default")]]
#define GEMM(name, T)                                                                                        \
  EXPORT void name(int, int, int, int m, int n, int k, T, const T* a, int lda, const T* b, int ldb, T, T* c, \
                   int ldc) {                                                                                \
    gemm(m, n, k, a, lda, b, ldb, c, ldc);                                                                   \
  }
GEMM(cblas_sgemm, float)
GEMM(cblas_dgemm, double)
GEMM(cblas_igemm, std::int32_t)

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
EXPORT const char* course_version() {
  return TEXT(EIGEN_WORLD_VERSION) "." TEXT(EIGEN_MAJOR_VERSION) "." TEXT(EIGEN_MINOR_VERSION);
}
