// The exercises of README.md: solutions are right, the bug is wrong where the lesson says, the blocks are
// those that it works out; and what best() packs.
#include "05_avx2/exercises/exercises.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string_view>

#include "05_avx2/blocks.hpp"
#include "05_avx2/library/best.hpp"
#include "tests/check.hpp"

using namespace avx2;
using check::wrong, course::Matrix, course::Shape;

namespace {

/// The machine that hwloc tells of here is made up: the same blocks everywhere.
[[maybe_unused]] const bool made_up =
    setenv("HWLOC_SYNTHETIC", "l3d:1(size=536870912) core:6 l2d:1(size=25165824) l1d:1(size=196608) pu:1",
           1) == 0;

bool can() {
  return has_needs(false);
}

const Shape shapes[] = {{1, 1, 1},   {6, 16, 4},   {12, 48, 32}, {7, 17, 33},
                        {13, 40, 0}, {25, 31, 67}, {5, 15, 100}};

}  // namespace

TEST_CASE_TEMPLATE("a dot product with four vectors of sums", T, float, double) {
  if (!can()) return;
  for (const Shape& s : shapes)
    CHECK(wrong<T>(s, [&](auto a, auto b, auto c) {
            Matrix<T> bt(s.n, s.k);
            exercises::dot_four<T>(a, b, c, bt.view());
          }) == 0);
}

TEST_CASE_TEMPLATE("A by columns", T, float, double, int) {
  if (!can()) return;
  for (const Shape& s : shapes)
    CHECK(wrong<T>(s, [&](auto a, auto b, auto c) {
            Matrix<T> at(s.k, s.m, 3);
            for (Index i = 0; i < s.m; ++i)
              for (Index p = 0; p < s.k; ++p) at.view()(p, i) = a(i, p);
            exercises::by_columns<T>(View<const T>(at.view()), b, c);
          }) == 0);
}

TEST_CASE("edges by halves: the corner has been added to twice") {
  if (!can()) return;
  const auto kernel = exercises::edges_by_halves<float>;
  for (const Shape& s : {Shape{6, 16, 9}, Shape{12, 40, 9}, Shape{20, 32, 9}, Shape{100, 128, 9}})
    CHECK(wrong<float>(s, kernel) == 0);
  CHECK(wrong<float>({100, 100, 9}, kernel) == 4 * 4);
  CHECK(wrong<float>({100, 1000, 9}, kernel) == 4 * 8);  // as many as at 1000 × 1000
}

TEST_CASE("the blocks that the lesson works out") {
  const BlockSizes here = textbook(avx2_tile, 4, {48 << 10, 1 << 20, 16 << 20});
  CHECK((here.kc == 384 && here.mc == 336 && here.nc == 5456));
  const BlockSizes zen3 = textbook(avx2_tile, 8, {32 << 10, 512 << 10, 8 << 20});
  CHECK((zen3.kc == 256 && zen3.mc == 126 && zen3.nc == 2048));
}

TEST_CASE("of the caches a thread may count on its own, and on its part of the third level") {
  CHECK((caches_here(1).l1 == 192 << 10 && caches_here(1).l2 == 24 << 20));
  CHECK(caches_here(1).l3 == 16 * (24 << 20));
  CHECK(caches_here(4).l3 == 128 << 20);
}
