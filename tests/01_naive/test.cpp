// The exercises of the lessons: solutions are right, the bug is what the lesson says.
#include <doctest/doctest.h>

#include "01_naive/exercises.hpp"
#include "tests/check.hpp"

using namespace course;
using check::wrong;

TEST_CASE_TEMPLATE("four sums, whatever is left of k", T, float, double, std::int32_t) {
  for (const Index k : {0, 1, 2, 3, 4, 7, 8, 97}) {
    CHECK(wrong<T>({5, 7, k}, naive::exercises::four_sums<T>, 0) == 0);
    CHECK(wrong<T>({5, 7, k}, naive::exercises::four_sums<T>) == 0);
  }
}

TEST_CASE("the kernel that takes the columns for the leading dimension is right until somebody pads") {
  CHECK(wrong<float>({20, 30, 40}, naive::exercises::ijk<float>, 0) == 0);
  CHECK(wrong<float>({20, 30, 1}, naive::exercises::ijk<float>) == 0);  // one row of B: nothing to go down
  CHECK(wrong<float>({20, 30, 40}, naive::exercises::ijk<float>) > 500);
}
