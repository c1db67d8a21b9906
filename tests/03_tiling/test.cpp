// The exercises of README.md: the solution is right, the bug is what the lesson says.
#include <doctest/doctest.h>

#include <functional>

#include "03_tiling/exercises.hpp"
#include "common/problem.hpp"

using namespace course;

namespace {

/// How many elements are wrong when `kernel` has run on `shape`; digits, so that equality may be asked for.
Index wrong(const Shape& shape,
            const std::function<void(View<const float>, View<const float>, View<float>)>& kernel) {
  const Problem<float> problem{.shape = shape, .fill = Fill::digits, .pad = 3};
  const Inputs<float>& in = problem.whole();
  const View<const float> a = in.a.view(), b = in.b.view(), before = in.c.view();
  Matrix<float> after(shape.m, shape.n, 3);
  const View<float> c = after.view();
  copy<float>(before, c);
  kernel(a, b, c);
  Index differences = 0;
  for (Index i = 0; i < shape.m; ++i)
    for (Index j = 0; j < shape.n; ++j) {
      float sum = before(i, j);
      for (Index p = 0; p < shape.k; ++p) sum += a(i, p) * b(p, j);
      differences += !(c(i, j) == sum);
    }
  return differences;
}

}  // namespace

TEST_CASE("the bug: right for squares; of 100 x 300 two thirds stay as they were") {
  const auto kernel = [](auto a, auto b, auto c) {
    tiling::exercises::right_for_squares<float>(a, b, c, 64);
  };
  for (const Index n : {1, 64, 100}) CHECK(wrong({n, n, 50}, kernel) == 0);
  CHECK(wrong({100, 300, 50}, kernel) == 100 * 200);
}

TEST_CASE("tiles with three sides") {
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{33, 65, 17}, Shape{40, 7, 33}, Shape{5, 7, 0}})
    for (const Index width : {1, 5, 1000})
      CHECK(wrong(shape, [=](auto a, auto b, auto c) {
              tiling::exercises::oblong<float>(a, b, c, 8, 3, width);
            }) == 0);
}
