#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "common/matrix.hpp"

using namespace course;

TEST_CASE("a view addresses row-major memory by its leading dimension") {
  float data[20] = {};
  const View<float> view(data, 3, 4, 5);
  view(2, 3) = 7;
  CHECK(data[13] == 7);
  const View<float> block = view.block(1, 2, 2, 2);
  CHECK(block(1, 1) == 7);
  CHECK(block.ld() == 5);
  const View<const float> reader = view;
  CHECK(reader(2, 3) == 7);
}

TEST_CASE("checked access throws outside the matrix, padding included") {
  float data[20] = {};
  const View<float> view(data, 3, 4, 5);
  CHECK_NOTHROW(view.at(2, 3));
  for (const auto& [i, j] : {std::pair{-1, 0}, {0, -1}, {3, 0}, {0, 4}})
    CHECK_THROWS_AS(view.at(i, j), std::out_of_range);
}

TEST_CASE_TEMPLATE("a matrix is aligned, poisoned and guarded", T, float, double, std::int32_t) {
  for (const Index pad : {0, 3}) {
    Matrix<T> matrix(5, 7, pad);
    CHECK(reinterpret_cast<std::uintptr_t>(matrix.view().data()) % 64 == 0);
    CHECK(matrix.view().ld() == 7 + pad);
    const T first = matrix.view()(0, 0);
    if constexpr (std::is_floating_point_v<T>) CHECK(std::isnan(first));
    for (Index i = 0; i < 5; ++i)
      for (Index j = 0; j < 7; ++j) matrix.view()(i, j) = 1;
    CHECK(matrix.guards_intact());
    // One element on each side, and the last of the padding.
    for (const Index offset : {Index{-1}, 5 * matrix.view().ld(), 4 * matrix.view().ld() + 7}) {
      T& outside = matrix.view().data()[offset];
      const T kept = outside;
      outside = 0;
      CHECK_FALSE(matrix.guards_intact());
      outside = kept;
      CHECK(matrix.guards_intact());
    }
    course::poison_all(matrix.view());
    const T wanted = poison<T>();
    CHECK(std::memcmp(&matrix.view()(4, 6), &wanted, sizeof(T)) == 0);
  }
}

TEST_CASE("empty matrices are matrices") {
  CHECK(Matrix<float>(0, 5).guards_intact());
  CHECK(Matrix<float>(5, 0, 2).guards_intact());
  CHECK(Matrix<double>(0, 0).guards_intact());
}
