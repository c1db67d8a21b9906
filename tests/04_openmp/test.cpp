// What the common loop does not ask of 04: the same bits for any number of threads, threads inside threads;
// what README.md works out on paper, and its exercises.
#include <doctest/doctest.h>
#include <omp.h>

#include <cstring>
#include <future>
#include <vector>

#include "04_openmp/exercises.hpp"
#include "04_openmp/gemm.hpp"
#include "common/problem.hpp"
#include "tests/openmp_requests.hpp"

using namespace openmp;
using course::Matrix;

namespace {

constexpr Index m = 61, n = 67, k = 43;  // nothing divides into tiles or threads

template <class T>
struct Product {
  Matrix<T> a{m, k}, b{k, n}, c{m, n};
  Product() {
    fill_matrix(a.view(), course::Fill::uniform, 1, 'A');
    fill_matrix(b.view(), course::Fill::uniform, 1, 'B');
    fill_matrix(c.view(), course::Fill::uniform, 1, 'C');
  }
  bool operator==(const Product& other) const {  // no padding: one piece of memory
    return std::memcmp(c.view().data(), other.c.view().data(), m * n * sizeof(T)) == 0;
  }
};

template <class T>
using Kernel = void (*)(View<const T>, View<const T>, View<T>, int threads);

template <class T>
const std::vector<Kernel<T>> kernels = {
    parallel_for<T>,
    collapse_simd<T>,
    growing_static<T>,
    growing_dynamic<T>,
    sums_padded<T>,
    sums_side_by_side<T>,
    [](View<const T> a, View<const T> b, View<T> c, int threads) { tiled<T>(a, b, c, threads, 16); },
    [](View<const T> a, View<const T> b, View<T> c, int threads) { tiled_simd<T>(a, b, c, threads, 16); }};

template <class T>
void run(Kernel<T> kernel, Product<T>& product, int threads) {
  kernel(product.a.view(), product.b.view(), product.c.view(), threads);
}

}  // namespace

TEST_CASE_TEMPLATE("the same bits whatever the number of threads", T, float, double, std::int32_t) {
  for (const Kernel<T> kernel : kernels<T>) {
    Product<T> alone;
    run(kernel, alone, 1);
    CHECK_FALSE(alone == Product<T>());
    for (const int threads : {2, 3, 5, 64, 100}) {  // the last two: more than rows, and more than columns
      Product<T> together;
      run(kernel, together, threads);
      CHECK(together == alone);
    }
  }
}

TEST_CASE_TEMPLATE(
    "as many threads as were asked for; growing_dynamic's take the next strip when they are free", T, float,
    double, std::int32_t) {
  for (const Kernel<T> kernel : kernels<T>) {
    Product<T> product;
    openmp_requests::threads.clear(), openmp_requests::dynamic = 0;
    run(kernel, product, 3);
    CHECK(openmp_requests::threads == std::vector<int>{3});
    CHECK(openmp_requests::dynamic == (kernel == Kernel<T>(growing_dynamic<T>) ? 1 : 0));
  }
}

TEST_CASE_TEMPLATE("inside a parallel region, and two products at once", T, float, double) {
  for (const Kernel<T> kernel : kernels<T>) {
    Product<T> alone;
    run(kernel, alone, 1);
    Product<T> inside[2], beside[2];
#pragma omp parallel for num_threads(2)
    for (int t = 0; t < 2; ++t) run(kernel, inside[t], 3);
    {
      const auto both = [&](int t) {
        return std::async(std::launch::async, [&, t] { run(kernel, beside[t], 3); });
      };
      const auto first = both(0), second = both(1);
    }
    for (int t = 0; t < 2; ++t) {
      CHECK(inside[t] == alone);
      CHECK(beside[t] == alone);
    }
  }
}

TEST_CASE_TEMPLATE("exercises: the loop over p, shared out rightly", T, float, std::int32_t) {
  Product<T> by_rows;
  run<T>(parallel_for<T>, by_rows, 1);
  for (const int threads : {1, 2, 3, 64}) {
    Product<T> by_p;
    run<T>(exercises::k_shared_out<T>, by_p, threads);
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j)
        CHECK(static_cast<double>(by_p.c.view()(i, j)) ==
              doctest::Approx(static_cast<double>(by_rows.c.view()(i, j))).epsilon(1e-4).scale(10));
  }
}

TEST_CASE("a reduction") {
  std::vector<int> x(100);
  for (std::size_t p = 0; p < x.size(); ++p) x[p] = static_cast<int>(p);
  for (const int threads : {1, 2, 7}) CHECK(exercises::dot(x.data(), x.data(), 100, threads) == 328'350);
}

TEST_CASE("exercises: a sum for each thread; with one thread the bug does not show") {
  Product<float> right, alone;
  run<float>(parallel_for<float>, right, 1);
  for (const int threads : {1, 2, 5}) {
    Product<float> summed;
    exercises::one_sum<float>(summed.a.view(), summed.b.view(), summed.c.view(), threads);
    CHECK(summed == right);
  }
  run<float>(exercises::shared_factor<float>, alone, 1);
  CHECK(alone == right);
}
