// The exercises of README.md: the solution is right, the bug is what the lesson says.
#include <doctest/doctest.h>

#include "03_tiling/exercises.hpp"
#include "tests/check.hpp"

using namespace course;
using check::wrong;

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
