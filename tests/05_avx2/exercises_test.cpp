// The exercises of 05: solutions are right, the bug is wrong where the lesson says, the blocks are those that
// it works out.
#include "05_avx2/exercises/exercises.hpp"

#include "05_avx2/blocks.hpp"
#include "05_avx2/library.hpp"
#include "tests/check.hpp"

using namespace avx2;
using check::wrong, course::Matrix, course::Shape;

namespace {

const Shape shapes[] = {{1, 1, 1},   {6, 16, 4},   {12, 48, 32}, {7, 17, 33},
                        {13, 40, 0}, {25, 31, 67}, {5, 15, 100}};

}  // namespace

TEST_CASE_TEMPLATE("05: a dot product with four vectors of sums, and A by columns", T, float, double) {
  if (!has_needs(false)) return;
  for (const Shape& s : shapes) {
    CHECK(wrong<T>(s, [&](auto a, auto b, auto c) {
            Matrix<T> bt(s.n, s.k);
            exercises::dot_four<T>(a, b, c, bt.view());
          }) == 0);
    CHECK(wrong<T>(s, [&](auto a, auto b, auto c) {
            Matrix<T> at(s.k, s.m, 3);
            for (Index i = 0; i < s.m; ++i)
              for (Index p = 0; p < s.k; ++p) at.view()(p, i) = a(i, p);
            exercises::by_columns<T>(View<const T>(at.view()), b, c);
          }) == 0);
  }
}

TEST_CASE("05: edges by halves: the corner has been added to twice") {
  if (!has_needs(false)) return;
  const auto kernel = exercises::edges_by_halves<float>;
  for (const Shape& s : {Shape{6, 16, 9}, Shape{12, 40, 9}, Shape{20, 32, 9}, Shape{100, 128, 9}})
    CHECK(wrong<float>(s, kernel) == 0);
  const int nr = textbook_tile.nr(sizeof(float));
  CHECK(wrong<float>({100, 100, 9}, kernel) == 4 * (100 % nr));
  CHECK(wrong<float>({100, 1000, 9}, kernel) == 4 * (1000 % nr));  // as many as at 1000 × 1000
}

TEST_CASE("05: the blocks that the lesson works out") {
  const BlockSizes here = textbook(avx2_tile, 4, {48 << 10, 1 << 20, 16 << 20});
  CHECK((here.kc == 384 && here.mc == 336 && here.nc == 5456));
  const BlockSizes zen3 = textbook(avx2_tile, 8, {32 << 10, 512 << 10, 8 << 20});
  CHECK((zen3.kc == 256 && zen3.mc == 126 && zen3.nc == 2048));
}
