// libcourse_blas.so where the reference's testers (blas_testers.sh) do not look: what is not to be read is
// NaN, blocks of all sizes, many threads, a caller's OpenMP region and fork. Numbers are small integers, so
// that every sum is exact.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <future>
#include <vector>

extern "C" {
void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*,
                 int);
long long course_blas_products();
}

namespace {

/// rows × cols of numbers, as they are or transposed, by rows or by columns, with gaps of NaN.
struct Stored {
  bool by_columns;  // of what is meant: by columns and transposed is by rows
  int ld;
  std::vector<float> at;

  Stored(int rows, int cols, bool columns, int pad)
      : by_columns(columns),
        ld(std::max(1, columns ? rows : cols) + pad),
        at(static_cast<std::size_t>(ld * std::max(1, columns ? cols : rows)), NAN) {}
  float& operator()(int i, int j) {
    return at[static_cast<std::size_t>(by_columns ? j * ld + i : i * ld + j)];
  }
};

/// Of A, B or C, by its seed: from -6 to 6.
float element(int seed, int i, int j) {
  return static_cast<float>((seed * i + 5 * j + i * j) % 13 - 6);
}

struct Shape {
  int m, n, k;
};
struct Factors {
  float alpha, beta;
};
enum Order { by_rows = 101, by_columns = 102 };
enum Op { as_is = 111, transposed = 112, conjugate = 113 };

/// How many of C's elements are wrong, gaps included.
int wrong_elements(Order order, Op a_op, Op b_op, const Shape& shape, const Factors& by, int pad) {
  const auto [m, n, k] = shape;
  const auto [alpha, beta] = by;
  const bool columns = order == by_columns;
  Stored a(m, k, columns != (a_op != as_is), pad), b(k, n, columns != (b_op != as_is), 2 * pad),
      c(m, n, columns, pad);
  for (int p = 0; p < k && alpha != 0; ++p) {  // else A and B stay NaN
    for (int i = 0; i < m; ++i) a(i, p) = element(7, i, p);
    for (int j = 0; j < n; ++j) b(p, j) = element(3, p, j);
  }
  for (int i = 0; i < m && beta != 0; ++i)
    for (int j = 0; j < n; ++j) c(i, j) = element(1, i, j);
  cblas_sgemm(order, a_op, b_op, m, n, k, alpha, a.at.data(), a.ld, b.at.data(), b.ld, beta, c.at.data(),
              c.ld);
  int bad = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int p = 0; p < k && alpha != 0; ++p) sum += element(7, i, p) * element(3, p, j);
      bad += c(i, j) != alpha * sum + (beta != 0 ? beta * element(1, i, j) : 0);
      c(i, j) = NAN;
    }
  for (const float x : c.at) bad += !std::isnan(x);
  return bad;
}

TEST_CASE("every transposition is right; neither gaps nor what alpha or beta excludes is read") {
  for (const Order order : {by_rows, by_columns})
    for (const Op a_op : {as_is, transposed})
      for (const Op b_op : {as_is, conjugate})
        for (const Shape& s : {Shape{5, 7, 3}, {61, 115, 40}, {3, 2, 3000}, {30, 20, 1}, {4, 3, 0}})
          for (const Factors& by : {Factors{1, 0}, {0, 3}, {-2, 1}, {2, 3}}) {
            INFO(order, " ", a_op, b_op, " ", s.m, "x", s.n, "x", s.k, " alpha ", by.alpha, " beta ",
                 by.beta);
            CHECK(wrong_elements(order, a_op, b_op, s, by, s.m % 4) == 0);
          }
}

TEST_CASE("blocks of all sizes, and a block of B that is transposed twice") {
  for (const Op a_op : {as_is, transposed})
    for (const Op b_op : {as_is, transposed})
      CHECK(wrong_elements(by_rows, a_op, b_op, {203, 407, 1900}, {2, 3}, 5) == 0);
}

/// How many of several products are wrong.
int some_products(int seed) {
  int bad = 0;
  for (int turn = 0; turn < 12; ++turn) {
    const int m = 20 + 37 * (seed + turn) % 90, n = 20 + 53 * (seed + 2 * turn) % 110;
    const Op a_op = turn % 2 ? transposed : as_is, b_op = turn % 3 ? transposed : as_is;
    bad += wrong_elements(by_rows, a_op, b_op, {m, n, 20 + 71 * seed % 300},
                          {1, static_cast<float>(turn % 2)}, 1);
  }
  return bad;
}

TEST_CASE("ten threads at once, a caller's OpenMP region, and a child after fork") {
  const long long before = course_blas_products();
  std::vector<std::future<int>> threads;
  for (int seed = 0; seed < 10; ++seed)
    threads.push_back(std::async(std::launch::async, some_products, seed));
  for (auto& thread : threads) CHECK(thread.get() == 0);
  CHECK(course_blas_products() - before == 10 * 12);
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
