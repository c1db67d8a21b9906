// Mechanism: what 05's loops copy, and how often, as TUNED.md says it. Their vectors count each element's
// loads; in place of the micro-kernel is one that does nothing.
#include <doctest/doctest.h>

#include "05_avx2/tuned/five_loops.hpp"

namespace avx2 {
namespace {

float memory[32 << 10];  // A, and behind it B
int loads[std::size(memory)];

struct Counting {
  using Element = float;
  static constexpr int lanes = 4;
  static Counting load(const float* p, Index some = lanes) {
    const bool is_copy = p < memory || p >= std::end(memory);  // which is not to be copied: a fault
    for (Index i = 0; i < some; ++i)
#pragma omp atomic
      ++loads[is_copy ? 0 : p + i - memory];
    return {};
  }
  void store(float*, Index = lanes) const {}
  static Index first(Index count) {
    return std::min<Index>(count, lanes);
  }
};

/// 3 rows of two vectors.
struct CountingTile {
  using T = float;
  using V = Counting;
  static constexpr TileShape shape{3, 2, 16};
  static constexpr int mr = 3, nr = 8, size = 4, line = 16;
  static inline bool narrow;
};
using Matrix = In<CountingTile>;

template <>
auto kernel<CountingTile>(Index, Index) {
  return +[](const Matrix&, const Matrix&, const Matrix&, const Scale<float>&, const RowAddress&) {};
}

/// How often each element has been loaded; -1 if not all as often.
int times(const Matrix& x) {
  const int first = loads[x.data() - memory];
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      if (loads[&x(i, j) - memory] != first) return -1;
  return first;
}

struct Product {
  Index m, n, k, a_pad = 0, b_pad = 0;
};
struct Times {
  int a, b;
};
constexpr bool narrow = true, wide = false;

/// How often A, and B, are copied.
Times copied(bool is_narrow, const Product& p, const Caches& caches = {}, int threads = 1) {
  const Matrix a(memory, p.m, p.k, p.k + p.a_pad), b(memory + p.m * a.ld(), p.k, p.n, p.n + p.b_pad);
  CountingTile::narrow = is_narrow;
  std::fill_n(loads, std::size(loads), 0);
  in_threads<CountingTile>(a, b, {memory, p.m, p.n, p.n}, {}, caches, threads);
  return {times(a), times(b)};
}

}  // namespace

TEST_CASE("packing reads each element once") {
  for (const Index rows : {1, 8, 29})
    for (const Index cols : {1, 5, 8, 33}) {
      INFO(rows, ", ", cols);
      const View<float> all(memory, rows, cols, cols);
      std::fill_n(loads, std::size(loads), 0);
      copy_rows<CountingTile>(View<const float>(all), all);
      CHECK(times(all) == 1);
      pack_B<CountingTile>(View<const float>(all), memory);
      CHECK(times(all) == 2);
    }
}

TEST_CASE("A is copied if it is used more than once, and is large or its rows are pages apart") {
  CHECK(copied(wide, {6, 16, 20}, {.l3 = 4 * 480}).a == 0);
  CHECK(copied(wide, {6, 16, 20}, {.l3 = 4 * 480 - 1}).a == 1);
  CHECK(copied(wide, {6, 40, 20}, {.l2 = 1, .l3 = 4}).a == 1);  // for the first of several blocks of B
  CHECK(copied(wide, {6, 8, 20}, {.l3 = 4}).a == 0);
  CHECK(copied(wide, {6, 16, 20, 1004}).a == 0);
  CHECK(copied(narrow, {6, 16, 20, 1004}).a == 1);
  CHECK(copied(narrow, {6, 16, 20, 1005}).a == 0);
}

TEST_CASE("B is copied if it is used more than once, and is cut or its rows are a page apart") {
  constexpr Index kc_20 = 20 * 12 * 8 / 5;  // a micro-panel of A, 12 bytes for each p, in 5/8 of L1
  CHECK(copied(wide, {6, 16, 20}, {.l1 = kc_20}).b == 0);
  CHECK(copied(wide, {6, 16, 20}, {.l1 = kc_20 - 2}).b == 1);
  CHECK(copied(wide, {6, 16, 20, 0, 1008}).b == 1);
  CHECK(copied(wide, {3, 16, 20, 0, 1008}).b == 0);
  CHECK(copied(narrow, {6, 16, 20}).b == 1);
  CHECK(copied(narrow, {3, 16, 20}).b == 0);
}

TEST_CASE("threads stand where they need the fewest rows and columns") {
  CHECK(threads_down(24, 4, 4, 4) == 2);
  CHECK(threads_down(3, 16, 4, 2) == 1);
  CHECK(threads_down(40, 8, 4, 6) == 3);  // 14 + 16; four are no divisor: 10 + 32
}

TEST_CASE("more than two threads share a copy of B that the second level does not hold") {
  CHECK(copied(narrow, {30, 22, 20}, {.l2 = 4 * 20 * 22}, 3).b ==
        3);  // three below each other, each all of B
  CHECK(copied(narrow, {30, 22, 20}, {.l2 = 4 * 20 * 22 - 1}, 3).b == 1);
  CHECK(copied(narrow, {30, 8, 20}, {.l2 = 1}, 2).b == 2);
}

}  // namespace avx2
