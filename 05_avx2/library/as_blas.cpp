// The last rungs as a BLAS, a shared library: sgemm and dgemm as Fortran and CBLAS have them. The system's
// BLAS behind it has the rest: LD_PRELOAD=build/05_avx2/libcourse_blas.so program, or -lcourse_blas -lblas.
// OMP_NUM_THREADS: how many threads.
// COURSE_VARIANT: the kernel, avx512, tuned, plain (loops as 02's) or mine (make numpy); else the best that
// runs. COURSE_BLAS_COUNT=1: one line on stderr at exit says how many products were made, and by which
// kernel.
#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "05_avx2/gemm.hpp"
#include "05_avx2/library.hpp"

#define PUBLIC extern "C" [[gnu::visibility("default")]]

// Whose these are, if anybody's: the program's own, or those of the BLAS behind us.
extern "C" {
[[gnu::weak]] void xerbla_(const char* name, const int* argument, std::size_t length);
[[gnu::weak]] void cblas_xerbla(int argument, const char* name, const char* format, ...);
[[gnu::weak]] extern int RowMajorStrg;  // tells the reference's cblas_xerbla that we exchanged A and B
[[gnu::weak]] void course_mine_f32(const course::View<const float>&, const course::View<const float>&,
                                   const course::View<float>&);
[[gnu::weak]] void course_mine_f64(const course::View<const double>&, const course::View<const double>&,
                                   const course::View<double>&);
}

namespace {

using avx2::Operand, avx2::Scale;
using course::Index, course::View;

/// Ends the process with a line on stderr, as a BLAS does.
[[noreturn]] void refuse(const char* why) {
  std::fprintf(stderr, "course_blas: %s\n", why);
  std::exit(2);
}

enum class Variant { avx512, tuned, plain, mine };
constexpr const char* names[] = {"avx512", "tuned", "plain", "mine"};

/// The kernel that multiplies: what COURSE_VARIANT names, or else the best that this processor can run.
Variant variant() {
  static const Variant chosen = [] {
    const bool avx2 = avx2::has_needs(false);
    const bool avx512 = avx2 && avx2::best_vector() == std::string_view("avx512");
    const char* const named = std::getenv("COURSE_VARIANT");
    if (!named) return avx512 ? Variant::avx512 : avx2 ? Variant::tuned : Variant::plain;
    const auto found = std::find(std::begin(names), std::end(names), std::string_view(named));
    if (found == std::end(names)) refuse("COURSE_VARIANT may be avx512, tuned, plain or mine");
    const Variant wanted{static_cast<int>(found - names)};
    if (wanted == Variant::avx512 && !avx512)
      refuse("COURSE_VARIANT=avx512: this processor lacks avx512f, dq, bw or vl");
    if (wanted == Variant::tuned && !avx2) refuse("COURSE_VARIANT=tuned: this processor lacks avx2 or fma");
    if (wanted == Variant::mine && !course_mine_f32)
      refuse("COURSE_VARIANT=mine: nobody brought a kernel; `make numpy` does");
    return wanted;
  }();
  return chosen;
}

const bool counts = std::getenv("COURSE_BLAS_COUNT") != nullptr;
std::atomic<long long> products, operations;

[[gnu::destructor]] void tell() {
  if (counts)
    std::fprintf(stderr, "course_blas: %lld products, 2mnk %lld, by %s\n", products.load(), operations.load(),
                 products ? names[static_cast<int>(variant())] : "nobody");
}

// After a fork, libgomp waits for threads that the child does not have.
bool forked = false;
[[gnu::constructor]] void watch_forks() {
  pthread_atfork(nullptr, nullptr, [] { forked = true; });
}

template <class T>
void multiply(View<T> c, T factor) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j)
      c(i, j) = factor == T{0} ? T{0} : factor * c(i, j);  // NaN * 0 is NaN
}

template <class T>
std::vector<T> copy_of(const Operand<T>& x, T factor) {
  std::vector<T> copy;
  copy.reserve(static_cast<std::size_t>(x.rows() * x.cols()));
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      copy.push_back(factor * (x.transposed ? x.stored(j, i) : x.stored(i, j)));
  return copy;
}

/// By a kernel that knows C += A·B alone.
template <class T>
void by_plain(const Operand<T>& a, const Operand<T>& b, View<T> c, Scale<T> scale) try {
  multiply(c, scale.beta);
  const std::vector<T> a_copy = copy_of(a, scale.alpha), b_copy = copy_of(b, T{1});
  const View<const T> left(a_copy.data(), a.rows(), a.cols(), a.cols()),
      right(b_copy.data(), b.rows(), b.cols(), b.cols());
  if (variant() == Variant::mine) {
    if constexpr (std::is_same_v<T, float>) return course_mine_f32(left, right, c);
    if constexpr (std::is_same_v<T, double>) return course_mine_f64(left, right, c);
  }
  for (Index i = 0; i < c.rows(); ++i)
    for (Index p = 0; p < left.cols(); ++p)
      for (Index j = 0; j < c.cols(); ++j) c(i, j) += left(i, p) * right(p, j);
} catch (const std::bad_alloc&) {
  refuse("no memory for the copies of A and B");
}

/// C (m × n) = alpha·A·B + beta·C, where all lie row by row.
template <class T>
void row_major(bool a_transposed, bool b_transposed, Index m, Index n, Index k, T alpha, const T* a,
               Index lda, const T* b, Index ldb, T beta, T* c, Index ldc) {
  if (m == 0 || n == 0) return;
  if (k == 0 || alpha == T{0}) {
    if (beta != T{1}) multiply(View<T>(c, m, n, ldc), beta);
    return;
  }
  if (counts) ++products, operations += 2 * m * n * k;
  const Variant chosen = variant();
  const bool where_it_lies = chosen <= Variant::tuned && !b_transposed && alpha == T{1};
  const bool wide = chosen == Variant::avx512;
  const avx2::Product<T> x{m, n, k, a, a_transposed ? 1 : lda, a_transposed ? lda : 1, b, ldb, c, ldc};
  if (where_it_lies && m <= avx2::widest_tile.mr &&  // before anybody is asked for threads and caches
      (wide ? avx2::tiny<avx2::widest_tile, T> : avx2::tiny<avx2::tuned_tile, T>)(x, beta))
    return;
  const int threads = forked || omp_in_parallel() ? 1 : omp_get_max_threads();
  const avx2::Caches caches = avx2::caches_here(threads);
  if (where_it_lies &&
      (wide ? avx2::small<avx2::widest_tile, T> : avx2::small<avx2::tuned_tile, T>)(x, beta, caches, threads))
    return;
  const View<T> to(c, m, n, ldc);
  const Operand<T> left(a_transposed ? View<const T>(a, k, m, lda) : View<const T>(a, m, k, lda),
                        a_transposed);
  const Operand<T> right(b_transposed ? View<const T>(b, n, k, ldb) : View<const T>(b, k, n, ldb),
                         b_transposed);
  if (chosen > Variant::tuned) return by_plain<T>(left, right, to, {alpha, beta});
  (wide ? avx2::gemm<avx2::widest_tile, T> : avx2::gemm<avx2::tuned_tile, T>)(left, right, to, {alpha, beta},
                                                                              caches, threads);
}

/// A transposition as Fortran writes it.
bool known(char op) {
  return op == 'N' || op == 'n' || op == 'T' || op == 't' || op == 'C' || op == 'c';
}
bool transposed(char op) {
  return op != 'N' && op != 'n';
}

/// The first argument of Fortran's gemm that cannot be: its number, or 0.
int wrong_argument(char a_op, char b_op, int m, int n, int k, int lda, int ldb, int ldc) {
  const int a_rows = transposed(a_op) ? k : m, b_rows = transposed(b_op) ? n : k;
  return !known(a_op)                ? 1
         : !known(b_op)              ? 2
         : m < 0                     ? 3
         : n < 0                     ? 4
         : k < 0                     ? 5
         : lda < std::max(1, a_rows) ? 8
         : ldb < std::max(1, b_rows) ? 10
         : ldc < std::max(1, m)      ? 13
                                     : 0;
}

[[noreturn]] void refuse(const char* name, int argument) {
  std::fprintf(stderr, "course_blas: %s: argument %d cannot be so\n", name, argument);
  std::exit(2);
}

/// By columns, C = A·B is Cᵀ = Bᵀ·Aᵀ by rows.
template <class T>
void fortran(const char* name, char a_op, char b_op, int m, int n, int k, T alpha, const T* a, int lda,
             const T* b, int ldb, T beta, T* c, int ldc) {
  if (const int argument = wrong_argument(a_op, b_op, m, n, k, lda, ldb, ldc))
    return xerbla_ ? xerbla_(name, &argument, 6) : refuse(name, argument);
  row_major(transposed(b_op), transposed(a_op), n, m, k, alpha, b, ldb, a, lda, beta, c, ldc);
}

/// Row-major is as the reference has it: A and B, m and n exchange their places, and cblas_xerbla mends the
/// numbers.
template <class T>
void cblas(const char* name, int order, int a_op, int b_op, int m, int n, int k, T alpha, const T* a, int lda,
           const T* b, int ldb, T beta, T* c, int ldc) {
  const auto op = [](int code) { return code == 111 ? 'N' : code == 112 ? 'T' : code == 113 ? 'C' : '?'; };
  const bool by_rows = order == 101;
  int argument = order != 101 && order != 102 ? 1 : op(a_op) == '?' ? 2 : op(b_op) == '?' ? 3 : 0;
  if (by_rows) std::swap(a_op, b_op), std::swap(m, n), std::swap(a, b), std::swap(lda, ldb);
  if (!argument)
    if (const int in_fortran = wrong_argument(op(a_op), op(b_op), m, n, k, lda, ldb, ldc))
      argument = in_fortran + 1;
  if (argument && cblas_xerbla) {
    if (&RowMajorStrg) RowMajorStrg = by_rows;
    cblas_xerbla(argument, name, "");
    if (&RowMajorStrg) RowMajorStrg = 0;
    return;
  }
  if (argument) {
    constexpr int exchanged[] = {0, 1, 2, 3, 5, 4, 6, 7, 8, 11, 10, 9, 12, 13, 14};
    refuse(name, by_rows ? exchanged[argument] : argument);
  }
  row_major(transposed(op(b_op)), transposed(op(a_op)), n, m, k, alpha, b, ldb, a, lda, beta, c, ldc);
}

}  // namespace

/// The variant that multiplies here; and how many products it has computed, if they are counted.
PUBLIC const char* course_blas_variant() {
  return names[static_cast<int>(variant())];
}
PUBLIC long long course_blas_products() {
  return products;
}

#define FORTRAN(name, NAME, T)                                                                            \
  PUBLIC void name(const char* a_op, const char* b_op, const int* m, const int* n, const int* k,          \
                   const T* alpha, const T* a, const int* lda, const T* b, const int* ldb, const T* beta, \
                   T* c, const int* ldc) {                                                                \
    fortran<T>(NAME, *a_op, *b_op, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);                 \
  }
FORTRAN(sgemm_, "SGEMM ", float)
FORTRAN(dgemm_, "DGEMM ", double)

#define CBLAS(name, T)                                                                               \
  PUBLIC void name(int order, int a_op, int b_op, int m, int n, int k, T alpha, const T* a, int lda, \
                   const T* b, int ldb, T beta, T* c, int ldc) {                                     \
    cblas<T>(#name, order, a_op, b_op, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                \
  }
CBLAS(cblas_sgemm, float)
CBLAS(cblas_dgemm, double)
CBLAS(cblas_igemm, std::int32_t)  // the course's own: libraries/ compares integers, too
