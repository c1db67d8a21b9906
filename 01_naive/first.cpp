// The course in one screen: allocate, fill, multiply, time, compare with Eigen.
// [first]
#include <Eigen/Dense>
#include <cstdio>

#include "common/fill.hpp"
#include "common/matrix.hpp"
#include "common/stopwatch.hpp"

using course::Fill, course::Index, course::Matrix, course::View;

int main() {
  const Index n = 512;
  Matrix<float> a_memory(n, n), b_memory(n, n), c_memory(n, n);
  const View<float> a = a_memory.view(), b = b_memory.view(), c = c_memory.view();
  fill_matrix(a, Fill::uniform, 1, 'A');
  fill_matrix(b, Fill::uniform, 1, 'B');
  fill_matrix(c, Fill::uniform, 1, 'C');

  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto wide = [](View<float> of) {  // for Eigen, in double
    return Eigen::Map<RowMajor>(of.data(), of.rows(), of.cols()).cast<double>().eval();
  };
  const Eigen::MatrixXd wanted = wide(c) + wide(a) * wide(b);

  const course::Stopwatch watch;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      for (Index p = 0; p < n; ++p) c(i, j) += a(i, p) * b(p, j);
  const double seconds = watch.seconds();

  const double error = (wide(c) - wanted).norm() / wanted.norm();
  const bool right = error < 1e-6;  // false for NaN, too
  const double operations = 2.0 * static_cast<double>(n * n * n);
  std::printf("%.3f s, %.2f GFLOP/s, error %.1e: %s\n", seconds, 1e-9 * operations / seconds, error,
              right ? "right" : "wrong");
  return right ? 0 : 1;
}
// [/first]
