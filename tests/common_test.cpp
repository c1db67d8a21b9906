// Views and matrices, what lies round them, and what their elements are.
#define COURSE_CHECKED  // as in the test builds that do so
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "common/problem.hpp"

using namespace course;

TEST_CASE("view: element (i, j) by the leading dimension") {
  float data[20] = {};
  const View<float> view(data, 3, 4, 5);
  CHECK((&view(2, 3) == &data[13] && &view.block(1, 2, 2, 2)(1, 1) == &data[13]));
}

TEST_CASE("view: a checked build ends at an element or a block that it does not have") {
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

TEST_CASE_TEMPLATE("matrix: aligned, poisoned and guarded", T, float, double, std::int32_t) {
  for (const Index pad : {0, 3}) {
    Matrix<T> matrix(5, 7, pad);
    CHECK(reinterpret_cast<std::uintptr_t>(matrix.view().data()) % 64 == 0);
    CHECK(matrix.view().ld() == 7 + pad);
    const T wanted = poison<T>();
    CHECK(std::memcmp(&matrix.view()(4, 6), &wanted, sizeof(T)) == 0);
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
  }
}

TEST_CASE_TEMPLATE(
    "matrix: round an output each number is finite, near 1 or not 0, and unlike its neighbours", T, float,
    double, std::int32_t, bf16) {
  Matrix<T> matrix(1, 1);
  for (Index place = 0; place < 100'000; ++place) {
    const auto of = [&](Index at) { return static_cast<double>(guard<T>(Use::output, at)); };
    CHECK((of(place) >= 1 && (std::is_integral_v<T> || of(place) < 2)));
    CHECK((of(place) != of(place + 1) && of(place) != of(place + 64)));
  }
  matrix.view().data()[1] = std::is_integral_v<T> ? T(0) : poison<T>();
  CHECK_FALSE(matrix.guards_intact());  // what a poisoned input leaves
}

TEST_CASE("matrix: rows are shared out in order, so many to each thread; one thread is the caller's") {
  for (const int threads : {1, 2, 3}) {
    std::vector<std::thread::id> by(10);
    share_rows(10, threads,
               [&](Index row) { by[static_cast<std::size_t>(row)] = std::this_thread::get_id(); });
    CHECK(by[0] == std::this_thread::get_id());
    CHECK(std::unique(by.begin(), by.end()) - by.begin() == threads);
  }
}

TEST_CASE("problem: its matrices have its shape, its padding and its elements, and all guards count") {
  const Problem<float> problem{{3, 4, 5}, Fill::uniform, 1, 2};
  const Inputs<float>& made = problem.whole(3);
  for (const auto& [matrix, name, rows, cols] :
       {std::tuple(&made.a, 'A', 3, 5), {&made.b, 'B', 5, 4}, {&made.c, 'C', 3, 4}}) {
    const View<const float> view = matrix->view();
    CHECK((view.rows() == rows && view.cols() == cols && view.ld() == cols + 2));
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j) CHECK(view(i, j) == element<float>(Fill::uniform, 1, name, i, j));
    float& outside = const_cast<float*>(view.data())[-1];
    const float before = outside;
    outside = 0;
    CHECK_FALSE(made.guards_intact());
    outside = before;
    CHECK(made.guards_intact());
  }
}

TEST_CASE("fill: the same on every machine; matrices, seeds, rows and columns differ") {
  static_assert(element_hash(987654, 'A', 0, 0) == 0xe4aa6882a83fa1c6);
  CHECK(element<std::int32_t>(Fill::digits, 987654, 'A', 0, 0) == 8);
  CHECK(element<float>(Fill::uniform, 987654, 'A', 1, 2) == 0.555649698f);
  std::set<std::uint64_t> seen;
  for (const std::uint64_t seed : {1u, 2u})
    for (const char matrix : {'A', 'B', 'C'})
      for (Index i = 0; i < 10; ++i)
        for (Index j = 0; j < 10; ++j) seen.insert(element_hash(seed, matrix, i, j));
  CHECK(seen.size() == 600);
}

TEST_CASE_TEMPLATE("fill: digits are 0..9, all of them, and exact as far as exact_k says", T, float, double,
                   std::int32_t, bf16, tf32) {
  std::set<T> seen;
  for (Index j = 0; j < 1000; ++j) seen.insert(element<T>(Fill::digits, 1, 'B', 3, j));
  CHECK((seen.size() == 10 && *seen.begin() == 0 && *seen.rbegin() == 9));
  using Sum = Result<T>;  // of BF16 in f32
  const Index most = Index{1} << std::numeric_limits<Sum>::digits;
  CHECK((81 * exact_k<T>() + 9 < most && 81 * (exact_k<T>() + 1) + 9 >= most));
}

TEST_CASE_TEMPLATE("fill: uniform is symmetric in (-1, 1), integers in -9..9", T, float, double, std::int32_t,
                   bf16, tf32) {
  const double range = std::is_integral_v<T> ? 9 : 1;
  const int count = 100000;
  double sum = 0, squares = 0, most = 0;
  for (Index j = 0; j < count; ++j) {
    const auto value = static_cast<double>(element<T>(Fill::uniform, 5, 'C', j, 2 * j));
    sum += value, squares += value * value, most = std::max(most, std::abs(value));
  }
  const double variance = std::is_integral_v<T> ? 30 : 1.0 / 3;  // (19² - 1)/12 and 2²/12
  CHECK(std::abs(sum / count) < 5 * std::sqrt(variance / count));
  CHECK(squares / count == doctest::Approx(variance).epsilon(0.02));
  CHECK((most <= range && most > 0.99 * range));
}

TEST_CASE("bf16: a float becomes the nearest, of two the even one; NaN stays NaN") {
  const auto bits = [](float value) { return bf16(value).bits; };
  const float infinity = std::numeric_limits<float>::infinity();
  static_assert(bf16(1.0f).bits == 0x3f80 && float(bf16(-2.5f)) == -2.5f);
  for (const auto& [value, wanted] : {std::pair(0x1.01p0f, 0x3f80),  // half way between 1 and its neighbour
                                      {0x1.010002p0f, 0x3f81},
                                      {-0x1.03p0f, 0xbf82},
                                      {-0x1.02fffep0f, 0xbf81},
                                      {-0.0f, 0x8000},
                                      {infinity, 0x7f80},
                                      {-infinity, 0xff80},
                                      {0x1.fefffep127f, 0x7f7f},  // the largest
                                      {0x1.ffp127f, 0x7f80},
                                      {0x1p-133f, 1},  // the least denormal
                                      {0x1p-134f, 0},
                                      {0x1.8p-133f, 2},
                                      {0x1.fep-127f, 0x80}})  // up to the least normal number
    CHECK(bits(value) == wanted);
  for (const std::uint32_t nan : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xffffffffu})
    CHECK(std::isnan(float(bf16(std::bit_cast<float>(nan)))));
  for (std::uint32_t all = 0; all < 0x10000; ++all)
    if (const auto value = std::bit_cast<float>(all << 16); !std::isnan(value) && bits(value) != all)
      FAIL(all);
}

TEST_CASE("tf32: keeps a float, and counts as the nearest with 11 bits, of two the larger; NaN stays NaN") {
  const float infinity = std::numeric_limits<float>::infinity();
  static_assert(tf32(0x1.001p0f).stored == 0x1.001p0f);
  for (const auto& [value, wanted] : {std::pair(0x1.002p0f, 0x1.004p0f),
                                      {-0x1.002p0f, -0x1.004p0f},
                                      {0x1.006p0f, 0x1.008p0f},
                                      {0x1.001ffep0f, 1.f},
                                      {0x1.fffp-1f, 1.f},
                                      {infinity, infinity},
                                      {-std::numeric_limits<float>::max(), -infinity}})
    CHECK(float(tf32(value)) == wanted);
  for (const std::uint32_t nan : {0x7fc00000u, 0xffffffffu, 0x7fffffffu, 0x7f800001u})
    CHECK(std::isnan(float(tf32(std::bit_cast<float>(nan)))));
  CHECK(element<tf32>(Fill::uniform, 5, 'A', 1, 2).stored == element<float>(Fill::uniform, 5, 'A', 1, 2));
}
