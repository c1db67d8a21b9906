#define COURSE_CHECKED  // as in the test builds that do so
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <vector>

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
  for (const auto& [i, j] : {std::pair{0, 0}, {2, 0}, {0, 3}, {2, 3}})
    CHECK(&view.at(i, j) == &data[5 * i + j]);
  for (const auto& [i, j] : {std::pair{-1, 0}, {0, -1}, {3, 0}, {0, 4}})
    CHECK_THROWS_WITH_AS(
        view.at(i, j),
        doctest::String(
            ("element (" + std::to_string(i) + ", " + std::to_string(j) + ") of a 3 x 4 matrix").c_str()),
        std::out_of_range);
}

TEST_CASE("a checked build ends at an element or a block that a view does not have") {
  float data[20] = {};
  const View<float> view(data, 3, 4, 5);
  const auto ends = [](auto&& access) {
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGILL, SIG_DFL);  // doctest would write a report
      access(), _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status != 0;
  };
  struct Place {
    Index i, j;
    bool inside;
  };
  for (const Place& at : {Place{2, 3, true}, {3, 0, false}, {0, 4, false}, {-1, 0, false}, {0, -1, false}}) {
    INFO(at.i, ", ", at.j);
    CHECK(ends([&] { view(at.i, at.j) = 1; }) != at.inside);
    CHECK(ends([&] { view.block(at.i, at.j, 1, 1); }) != at.inside);
  }
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
    // Each side's first and last element, and those of the padding: bands have 256 bytes, the last a row
    // more.
    const Index band = 256 / sizeof(T), ld = matrix.view().ld();
    for (const Index offset : {-band, Index{-1}, 5 * ld, 6 * ld + band - 1, Index{7}, 5 * ld - 1}) {
      if (pad == 0 && offset >= 0 && offset < 5 * ld) continue;
      T& outside = matrix.view().data()[offset];
      const T kept = outside;
      outside = static_cast<T>(outside + matrix.view()(0, 0));  // as a product that goes too far
      CHECK_FALSE(matrix.guards_intact());
      outside = kept;
      CHECK(matrix.guards_intact());
    }
    course::poison_all(matrix.view());
    const T wanted = poison<T>();
    CHECK(std::memcmp(&matrix.view()(4, 6), &wanted, sizeof(T)) == 0);
  }
}

TEST_CASE_TEMPLATE("round an output each number is finite, near 1 or not 0, and unlike its neighbours", T,
                   float, double, std::int32_t, course::bf16) {
  Matrix<T> matrix(1, 1);
  for (Index place = 0; place < 100'000; ++place) {
    const auto of = [&](Index at) { return static_cast<double>(course::guard<T>(course::Use::output, at)); };
    CHECK((of(place) >= 1 && (std::is_integral_v<T> || of(place) < 2)));
    CHECK((of(place) != of(place + 1) && of(place) != of(place + 64)));
  }
  matrix.view().data()[1] = std::is_integral_v<T> ? T(0) : poison<T>();
  CHECK_FALSE(matrix.guards_intact());  // what a poisoned input leaves
}

TEST_CASE("rows are shared out in order, so many to each thread; one thread is the caller's") {
  for (const int threads : {1, 2, 3}) {
    std::vector<std::thread::id> by(10);
    std::vector<int> times(10);
    course::share_rows(10, threads, [&](Index row) {
      by[static_cast<std::size_t>(row)] = std::this_thread::get_id(), ++times[static_cast<std::size_t>(row)];
    });
    CHECK(times == std::vector<int>(10, 1));
    CHECK(by[0] == std::this_thread::get_id());
    CHECK(std::unique(by.begin(), by.end()) - by.begin() == threads);
  }
}
