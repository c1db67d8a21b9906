// The exercises of README.md: solutions are right, the bug is wrong where the lesson says, the blocks are
// those that it works out.
#include "exercises.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string_view>

#include "best.hpp"
#include "blocks.hpp"
#include "common/problem.hpp"

using namespace avx2;
using course::Fill, course::Matrix, course::Problem, course::Shape;

namespace {

bool can() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/// How many elements are wrong when `kernel` has run; integers, so that equality may be asked for.
template <class T>
Index wrong(const Shape& s, const std::function<void(View<const T>, View<const T>, View<T>)>& kernel) {
  const Problem<T> problem{.shape = s, .fill = Fill::digits, .pad = 3};
  const auto& in = problem.whole();
  const View<const T> a = in.a.view(), b = in.b.view(), before = in.c.view();
  Matrix<T> after(s.m, s.n, 3);
  const View<T> c = after.view();
  course::copy<T>(before, c);
  kernel(a, b, c);
  CHECK(after.guards_intact());
  Index differences = 0;
  for (Index i = 0; i < s.m; ++i)
    for (Index j = 0; j < s.n; ++j) {
      T sum = before(i, j);
      for (Index p = 0; p < s.k; ++p) sum += a(i, p) * b(p, j);
      differences += c(i, j) != sum;
    }
  return differences;
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
  const Blocks here = textbook(avx2_tile, 4, {48 << 10, 1 << 20, 16 << 20});
  CHECK((here.kc == 384 && here.mc == 336 && here.nc == 5456));
  const Blocks zen3 = textbook(avx2_tile, 8, {32 << 10, 512 << 10, 8 << 20});
  CHECK((zen3.kc == 256 && zen3.mc == 126 && zen3.nc == 2048));
}

TEST_CASE("what eight threads pack: one room for the block of B of all, and one for each one's A") {
  const TileShape tile = best_vector() == std::string_view("avx512") ? avx512_tile : avx2_tile;
  const Blocks cut = blocks(tile, sizeof(double), 64 / 8, 800, 400, caches_here(8));  // of 64 rows each has 8
  const auto pages = [](Index elements) { return divide_up(elements * 8, 2 << 20) * (2 << 20); };
  CHECK(best_packs<double>(64, 800, 400, 8) >=
        static_cast<double>(pages(8 * cut.kc * cut.nc) + 8 * pages(cut.mc * cut.kc)));
}
