// What the common loop does not ask of 04: the same bits for any number of threads, threads inside threads;
// what README.md works out on paper, and its exercises.
#include <doctest/doctest.h>
#include <omp.h>

#include <cstring>
#include <numeric>
#include <thread>
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

TEST_CASE("as many threads as were asked for; growing_dynamic's take the next strip when they are free") {
  for (const Kernel<float> kernel : kernels<float>) {
    Product<float> product;
    openmp_requests::threads.clear(), openmp_requests::dynamic = 0;
    run(kernel, product, 3);
    CHECK(openmp_requests::threads == std::vector<int>{3});
    CHECK(openmp_requests::dynamic == (kernel == Kernel<float>(growing_dynamic<float>) ? 1 : 0));
  }
}

TEST_CASE("inside a parallel region, and two products at once") {
  for (const Kernel<float> kernel : kernels<float>) {
    Product<float> alone, inside[2], beside[2];
    run(kernel, alone, 1);
#pragma omp parallel for num_threads(2)
    for (int t = 0; t < 2; ++t) run(kernel, inside[t], 3);
    std::thread other([&] { run(kernel, beside[0], 3); });
    run(kernel, beside[1], 3);
    other.join();
    for (const Product<float>* each : {&inside[0], &inside[1], &beside[0], &beside[1]}) CHECK(*each == alone);
  }
}

TEST_CASE(
    "exercises: the loop over p shared out; a reduction; a sum for each thread, where one hides the bug") {
  Product<float> right, alone;
  run<float>(parallel_for<float>, right, 1);
  for (const int threads : {1, 2, 5}) {
    Product<float> by_p, summed;
    run<float>(exercises::k_shared_out<float>, by_p, threads);
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j)
        CHECK(by_p.c.view()(i, j) == doctest::Approx(right.c.view()(i, j)).epsilon(1e-4).scale(10));
    exercises::one_sum<float>(summed.a.view(), summed.b.view(), summed.c.view(), threads);
    CHECK(summed == right);
    std::vector<int> x(100);
    std::iota(x.begin(), x.end(), 0);
    CHECK(exercises::dot(x.data(), x.data(), 100, threads) == 328'350);
  }
  run<float>(exercises::shared_factor<float>, alone, 1);
  CHECK(alone == right);
}
