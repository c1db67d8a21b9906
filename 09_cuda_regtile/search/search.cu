// Measures what `best` may choose, for choose.py: search MxNxK,… prints a line for each kernel and number of
// parts of k. `make search` runs it.
#include <algorithm>
#include <cstdio>
#include <sstream>

#include "09_cuda_regtile/best.cuh"

namespace cuda_regtile {
namespace {

/// Numbers in (-1, 1) that differ: on zeros a product takes less power, and less time.
__global__ void fill(View<float> matrix) {
  const Index x = Index{blockIdx.x} * 256 + int(threadIdx.x), i = x / matrix.cols(), j = x % matrix.cols();
  const unsigned bits = (unsigned(i) * 2654435761u ^ unsigned(j)) * 2246822519u;
  if (i < matrix.rows()) matrix(i, j) = float(int(bits)) * 0x1p-31f;
}

/// Microseconds of a product, of as many in a queue as take half a millisecond: the median of three samples.
template <class Product>
double microseconds(Product product) {
  const auto mean = [&](int count) {
    return 1e6 / count * Cuda::seconds_of([&] {
             for (int each = 0; each < count; ++each) product();
           });
  };
  mean(1);
  const int count = std::clamp(int(500 / mean(2)), 1, 200);
  std::array samples = {mean(count), mean(count), mean(count)};
  std::sort(samples.begin(), samples.end());
  return samples[1];
}

void measure(Index m, Index n, Index k) {
  const auto matrix = [](Index rows, Index cols) {
    Cuda::Matrix<float> made(rows, cols, 0, Memory::device);
    course::launch(fill, {course::ceil_div(rows * cols, 256)}, {256}, made.view());
    return made;
  };
  const Cuda::Matrix<float> a = matrix(m, k), b = matrix(k, n), c = matrix(m, n);
  const View<const float> of_a = a.view(), of_b = b.view();
  const auto line = [&](const std::string& name, int parts, double time) {
    std::printf("%lld,%lld,%lld,%s,%d,%s,%.4g\n", static_cast<long long>(m), static_cast<long long>(n),
                static_cast<long long>(k), name.c_str(), parts,
                is_aligned(of_a) && is_aligned(of_b) ? "aligned" : "others", time);
  };
  if (is_thin(m, n, k)) line("vectors", 1, microseconds([&] { by_vectors(of_a, of_b, c.view()); }));
  for (const Candidate& of : candidates())
    for (const int parts : parts_of(of, m, n, k, Cuda::multiprocessors()))
      if (of.BM < 4 * m && of.BN < 4 * n)
        line(of.name, parts, microseconds([&] {
               const auto product = [&](auto a, auto b) { of.product(a, b, c.view(), parts); };
               of.cuts ? product(of_a, of_b) : packed(of_a, of_b, product);
             }));
}

}  // namespace
}  // namespace cuda_regtile

int main(int, char** words) {
  using namespace cuda_regtile;
  if (const std::string why = Cuda::missing(async_capability); !why.empty()) {
    std::fprintf(stderr, "09_cuda_regtile_search: skipped: %s\n", why.c_str());
    return 77;
  }
  std::printf("m,n,k,kernel,parts,rows,microseconds\n");
  std::istringstream shapes(words[1] == nullptr ? "" : words[1]);
  for (std::string shape; std::getline(shapes, shape, ',');) {
    long long m = 0, n = 0, k = 0;
    if (std::sscanf(shape.c_str(), "%lldx%lldx%lld", &m, &n, &k) != 3) {
      std::fprintf(stderr, "09_cuda_regtile_search: '%s' is no shape; give MxNxK,…\n", shape.c_str());
      return 2;
    }
    measure(m, n, k), std::fflush(stdout);
  }
  return 0;
}
