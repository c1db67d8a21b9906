// The exercise of SHARING.md, timed: a sum for each thread, all in one line or 64 bytes apart. CSV: GFLOP/s,
// the median, least and most of 15 products at n = 500. Status 1: the place of the sums changed the result;
// 77: there are no two cores.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "common/fill.hpp"
#include "common/matrix.hpp"
#include "common/stopwatch.hpp"
#include "exercises.hpp"

int main() {
  using course::Index, course::Matrix;
  constexpr Index n = 500, apart[] = {1, 16};
  if (omp_get_num_procs() < 2) return std::fprintf(stderr, "04_openmp_one_sum: needs two cores\n"), 77;
  Matrix<float> a(n, n), b(n, n), c[] = {{n, n}, {n, n}};
  fill_matrix(a.view(), course::Fill::uniform, 1, 'A');
  fill_matrix(b.view(), course::Fill::uniform, 1, 'B');
  for (Matrix<float>& each : c) fill_matrix(each.view(), course::Fill::uniform, 1, 'C');
  std::puts("threads,bytes,gflops,low,high");
  for (const int threads : {1, 2}) {
    std::array<std::array<double, 15>, 2> rates{};
    for (std::size_t run = 0; run < 15; ++run)  // in turns
      for (std::size_t place = 0; place < 2; ++place) {
        const course::Stopwatch watch;
        openmp::exercises::one_sum<float>(a.view(), b.view(), c[place].view(), threads, apart[place]);
        rates[place][run] = 2.0 * n * n * n / watch.seconds() * 1e-9;
      }
    for (std::size_t place = 0; place < 2; ++place) {
      std::sort(rates[place].begin(), rates[place].end());
      std::printf("%d,%d,%.4g,%.4g,%.4g\n", threads, static_cast<int>(4 * apart[place]), rates[place][7],
                  rates[place][0], rates[place][14]);
    }
  }
  return std::memcmp(c[0].view().data(), c[1].view().data(), sizeof(float) * n * n) == 0 ? 0 : 1;
}
