// libcourse_blas.so where the reference's testers (blas_testers.sh) do not look: what is not to be read is
// NaN, blocks of all sizes, many threads, a caller's OpenMP region and fork. Numbers are small integers, so
// that every sum is exact.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <future>
#include <vector>

#define BLAS(s, T)                                                                                \
  void s##gemm_(const char*, const char*, const int*, const int*, const int*, const T*, const T*, \
                const int*, const T*, const int*, const T*, T*, const int*);                      \
  void cblas_##s##gemm(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);
extern "C" {
BLAS(s, float)
BLAS(d, double)
long long course_blas_products();
}

namespace {

void gemm(const char* a_op, const char* b_op, int m, int n, int k, float alpha, const float* a, int lda,
          const float* b, int ldb, float beta, float* c, int ldc) {
  sgemm_(a_op, b_op, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}
void gemm(const char* a_op, const char* b_op, int m, int n, int k, double alpha, const double* a, int lda,
          const double* b, int ldb, double beta, double* c, int ldc) {
  dgemm_(a_op, b_op, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}
constexpr auto in_c = [](auto alpha, auto... all) {
  if constexpr (sizeof alpha == 4)
    cblas_sgemm(all...);
  else
    cblas_dgemm(all...);
};

/// rows × cols of numbers, as they are or transposed, by rows or by columns, with gaps of NaN.
template <class T>
struct Stored {
  bool by_columns;  // of what is meant: by columns and transposed is by rows
  int ld;
  std::vector<T> at;

  Stored(int rows, int cols, bool columns, int pad)
      : by_columns(columns),
        ld(std::max(1, columns ? rows : cols) + pad),
        at(static_cast<std::size_t>(ld * std::max(1, columns ? cols : rows)), T(NAN)) {}
  T& operator()(int i, int j) { return at[static_cast<std::size_t>(by_columns ? j * ld + i : i * ld + j)]; }
};
template <class T>
T a_of(int i, int p) {
  return T((7 * i + 5 * p + i * p) % 11 - 5);
}
template <class T>
T b_of(int p, int j) {
  return T((3 * p + 11 * j + p * j) % 13 - 6);
}
template <class T>
T c_of(int i, int j) {
  return T((i + 2 * j) % 5 - 2);
}

struct Shape {
  int m, n, k;
};

/// How many of C's elements are wrong, gaps included, after a call in Fortran (order 0) or in CBLAS.
template <class T>
int wrong_elements(int order, char a_op, char b_op, const Shape& shape, T alpha, T beta, int pad) {
  const auto [m, n, k] = shape;
  const bool columns = order != 101;
  Stored<T> a(m, k, columns != (a_op != 'N'), pad), b(k, n, columns != (b_op != 'N'), 2 * pad),
      c(m, n, columns, pad);
  for (int p = 0; p < k && alpha != 0; ++p) {  // else A and B stay NaN
    for (int i = 0; i < m; ++i) a(i, p) = a_of<T>(i, p);
    for (int j = 0; j < n; ++j) b(p, j) = b_of<T>(p, j);
  }
  for (int i = 0; i < m && beta != 0; ++i)
    for (int j = 0; j < n; ++j) c(i, j) = c_of<T>(i, j);
  const auto code = [](char op) { return op == 'N' ? 111 : op == 'T' ? 112 : 113; };
  if (order)
    in_c(T(), order, code(a_op), code(b_op), m, n, k, alpha, a.at.data(), a.ld, b.at.data(), b.ld, beta,
         c.at.data(), c.ld);
  else
    gemm(&a_op, &b_op, m, n, k, alpha, a.at.data(), a.ld, b.at.data(), b.ld, beta, c.at.data(), c.ld);
  int bad = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      T sum = 0;
      for (int p = 0; p < k && alpha != 0; ++p) sum += a_of<T>(i, p) * b_of<T>(p, j);
      bad += c(i, j) != alpha * sum + (beta != 0 ? beta * c_of<T>(i, j) : 0);
      c(i, j) = T(NAN);
    }
  for (const T x : c.at) bad += !std::isnan(x);
  return bad;
}

TEST_CASE_TEMPLATE("neither gaps nor what alpha or beta excludes is read", T, float, double) {
  for (const int order : {0, 101, 102})
    for (const char a_op : {'N', 'T'})
      for (const char b_op : {'N', 'C'})
        for (const Shape& s : {Shape{5, 7, 3}, {61, 115, 40}, {3, 2, 3000}, {30, 20, 1}, {4, 3, 0}})
          for (const auto& [alpha, beta] : {std::pair(1, 0), {0, 3}, {-2, 1}}) {
            INFO(order, " ", a_op, b_op, " ", s.m, "x", s.n, "x", s.k, " alpha ", alpha, " beta ", beta);
            CHECK(wrong_elements<T>(order, a_op, b_op, s, T(alpha), T(beta), s.m % 4) == 0);
          }
}

TEST_CASE("blocks of all sizes, and a block of B that is transposed twice") {
  for (const char a_op : {'N', 'T'})
    for (const char b_op : {'N', 'T'})
      CHECK(wrong_elements<float>(101, a_op, b_op, {203, 407, 1900}, 2, 3, 5) == 0);
}

/// How many of several products are wrong.
int some_products(int seed) {
  int bad = 0;
  for (int turn = 0; turn < 6; ++turn) {
    const int m = 20 + 37 * (seed + turn) % 90, n = 20 + 53 * (seed + 2 * turn) % 110,
              k = 20 + 71 * seed % 300;
    bad += wrong_elements<float>(101, turn % 2 ? 'T' : 'N', 'T', {m, n, k}, 1, 0, 1);
    bad += wrong_elements<double>(0, 'T', turn % 2 ? 'T' : 'N', {m, n, k}, 1, 1, 1);
  }
  return bad;
}

TEST_CASE("ten threads at once, a caller's OpenMP region, and a child after fork") {
  const long long before = course_blas_products();
  std::vector<int> bad(10, -1);
  {
    std::vector<std::future<void>> threads;
    for (int seed = 0; seed < 10; ++seed)
      threads.push_back(std::async(
          std::launch::async, [&bad, seed] { bad[static_cast<std::size_t>(seed)] = some_products(seed); }));
  }
  CHECK(bad == std::vector<int>(10, 0));
  CHECK(course_blas_products() - before == 10 * 6 * 2);
  int all = 0;
#pragma omp parallel num_threads(3) reduction(+ : all)
  all += some_products(7);
  CHECK(all == 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // it would wait for its parent's threads for ever
    _exit(some_products(3) == 0 ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

}  // namespace
