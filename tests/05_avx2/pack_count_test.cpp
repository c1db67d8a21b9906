// Mechanism: what 05's loops read, copy and wait for, and how often. Their vectors write down each read; in
// place of the micro-kernel is one that does nothing; what stands for madvise writes down its calls.
#include <doctest/doctest.h>
#include <sys/mman.h>

#include <string>
#include <utility>
#include <vector>

namespace {

std::vector<std::size_t> advised;  // bytes

int advise(void*, std::size_t bytes, int advice) {
  return advised.push_back(advice == MADV_HUGEPAGE ? bytes : 0), 0;
}

}  // namespace

#define madvise(room, bytes, advice) advise(room, bytes, advice)
#include "05_avx2/tuned/five_loops.hpp"

namespace avx2 {
namespace {

std::vector<int> reads;  // of the element whose value is its number

struct Counting {
  using Element = float;
  using Mask = Index;
  static constexpr int lanes = 4;
  float v[lanes];

  static Counting load(const float* p, Mask some = lanes) {
    Counting x{};
    for (Index i = 0; i < some; ++i) {
      x.v[i] = p[i];
#pragma omp atomic
      ++reads[static_cast<std::size_t>(p[i])];
    }
    return x;
  }
  void store(float* p, Mask some = lanes) const {
    for (Index i = 0; i < some; ++i) p[i] = v[i];
  }
  static Mask first(Index count) {
    return count < lanes ? count : lanes;
  }
};

/// 3 rows of two vectors.
template <bool is_narrow>
struct CountingTile {
  using T = float;
  using V = Counting;
  static constexpr TileShape shape{3, 2, 16};
  static constexpr int mr = 3, nr = 8, size = 4, line = 16;
  static constexpr bool narrow = is_narrow;
};
using Narrow = CountingTile<true>;
using Wide = CountingTile<false>;

/// A (m × k), whose elements are 0, 1, …, B (k × n), whose go on from there, and C.
struct Product {
  Index m, n, k, lda, ldb;
  std::vector<float> a_room, b_room, c_room;
  View<const float> a, b;
  View<float> c;

  Product(Index m_, Index n_, Index k_, Index a_pad = 0, Index b_pad = 0)
      : m(m_),
        n(n_),
        k(k_),
        lda(k + a_pad),
        ldb(n + b_pad),
        a_room(room(m, lda)),
        b_room(room(k, ldb)),
        c_room(room(m, n)),
        a(a_room.data(), m, k, lda),
        b(b_room.data(), k, n, ldb),
        c(c_room.data(), m, n, n) {
    number(View<float>(a_room.data(), m, k, lda), 0);
    number(View<float>(b_room.data(), k, n, ldb), m * k);
    reads.assign(static_cast<std::size_t>(m * k + k * n), 0);
  }

  /// How often each element of A, and of B, has been read; -1 if not all as often.
  std::pair<int, int> copied() const {
    const auto all = [](auto from, auto to) {
      for (auto times = from; times != to; ++times)
        if (*times != *from) return -1;
      return *from;
    };
    return {all(reads.begin(), reads.begin() + m * k), all(reads.begin() + m * k, reads.end())};
  }

 private:
  static std::vector<float> room(Index rows, Index ld) {
    return std::vector<float>(static_cast<std::size_t>(rows * ld), -1e9F);
  }
  static void number(View<float> matrix, Index from) {
    for (Index i = 0; i < matrix.rows(); ++i)
      for (Index j = 0; j < matrix.cols(); ++j)
        matrix(i, j) = static_cast<float>(from + i * matrix.cols() + j);
  }
};

void no_product(const View<const float>&, const View<const float>&, const View<float>&, const Rows&) {}
template <>
auto kernel<Narrow>(Index, Index) {
  return &no_product;
}
template <>
auto kernel<Wide>(Index, Index) {
  return &no_product;
}

using Times = std::pair<int, int>;
constexpr Index ample = 1 << 30;

template <class Tile>
Times copied(const Product& product, const Caches& caches, int threads = 1) {
  reads.assign(reads.size(), 0);
  in_threads<Tile>(product.a, product.b, product.c, caches, threads);
  return product.copied();
}

}  // namespace

TEST_CASE("packing reads each element once") {
  for (const Index rows : {1, 7, 8, 9, 16, 29})
    for (const Index cols : {1, 3, 4, 5, 7, 8, 9, 31, 32, 33}) {
      INFO(rows, ", ", cols);
      const Product product(rows, 1, cols);
      std::vector<float> to(static_cast<std::size_t>(rows * cols + 1000));
      copy_rows<Narrow>(product.a, View<float>(to.data(), rows, cols, cols));
      CHECK(product.copied() == Times(1, 0));
      reads.assign(reads.size(), 0);
      pack_B<Narrow>(product.a, to.data());
      CHECK(product.copied() == Times(1, 0));
    }
}

TEST_CASE("A is copied if it is used more than once, and is large or its rows are pages apart") {
  const Product rows_of_80(6, 16, 20), once(6, 8, 20), twice(6, 9, 20), pages(6, 16, 20, 1004),
      off_pages(6, 16, 20, 1005);
  const auto a = []<class Tile>(Tile, const Product& product, Index l3) {
    return copied<Tile>(product, {ample, ample, l3}).first;
  };
  CHECK(a(Wide(), rows_of_80, 4 * 480) == 0);
  CHECK(a(Wide(), rows_of_80, 4 * 480 - 1) == 1);
  CHECK(a(Wide(), once, 4) == 0);
  CHECK(a(Wide(), twice, 4) == 1);
  CHECK(a(Wide(), pages, ample) == 0);
  CHECK(a(Narrow(), pages, ample) == 1);
  CHECK(a(Narrow(), off_pages, ample) == 0);
  CHECK(a(Narrow(), rows_of_80, 4 * 480) == 0);
  CHECK(a(Narrow(), Product(6, 8, 20, 1004), ample) == 0);
}

TEST_CASE("B is copied if it is used more than once, and is cut or its rows are a page apart") {
  const auto b = []<class Tile>(Tile, const Product& product, Index l1) {
    return copied<Tile>(product, {l1, ample, ample}).second;
  };
  constexpr Index kc_20 = 20 * 12 * 8 / 5,
                  kc_19 = kc_20 - 2;  // of A's strip, 12 bytes for each p, in 5/8 of L1
  CHECK(b(Wide(), Product(6, 16, 20), kc_20) == 0);
  CHECK(b(Wide(), Product(6, 16, 20), kc_19) == 1);
  CHECK(b(Wide(), Product(6, 16, 20, 0, 1007), ample) == 0);
  CHECK(b(Wide(), Product(6, 16, 20, 0, 1008), ample) == 1);
  CHECK(b(Wide(), Product(3, 16, 20, 0, 1008), ample) == 0);
  CHECK(b(Wide(), Product(4, 16, 20, 0, 1008), ample) == 1);
  CHECK(b(Narrow(), Product(6, 16, 20), ample) == 1);
  CHECK(b(Narrow(), Product(4, 16, 20), ample) == 1);
  CHECK(b(Narrow(), Product(3, 16, 20), ample) == 0);
}

TEST_CASE(
    "threads stand where they need the fewest rows and columns; the more below each other, if in doubt") {
  struct Case {
    Index strips_of_a, strips_of_b, threads, down;
  };
  for (const auto& [m, n, threads, down] : {Case{8, 2, 4, 2}, {1, 8, 2, 1}, {30, 6, 6, 3}, {100, 1, 7, 7}})
    CHECK(threads_down(m, n, 4, threads) == down);
  CHECK(threads_down(40, 8, 4, 6) == 3);  // 14 + 16; four are no divisor: 10 + 32
}

TEST_CASE("more than two threads share a copy of B that the second level does not hold") {
  const auto b = [](const Product& product, Index l2, int threads) {
    return copied<Narrow>(product, {ample, l2, ample}, threads).second;
  };
  const Product high(30, 22, 20);
  CHECK(b(high, 4 * 20 * 22, 3) == 3);  // three below each other, each all of B
  CHECK(b(high, 4 * 20 * 22 - 1, 3) == 1);
  CHECK(b(high, 4 * 20 * 12, 6) == 3);  // in two columns: 12 and 10 of B's
  CHECK(b(high, 4 * 20 * 12 - 1, 6) == 1);
  CHECK(b(Product(30, 8, 20), 1, 2) == 2);
}

TEST_CASE("a team packs each block of B once, and waits once for each") {
  const Product product(12, 16, 6);
  std::vector<float> room(2 * 24);
  Barrier barrier;
#pragma omp parallel num_threads(2)
  {
    const Index me = omp_get_thread_num(), i = 7 * me,
                rows = me == 0 ? 7 : 5;  // it shares 7, though it has 5
    const auto mine = View<float>(&product.c(i, 0), rows, 16, 16);
    five_loops<Narrow>(product.a.block(i, 0, rows, 6), product.b, mine, {6, 3, 8}, {ample, ample, ample},
                       {2, me, 7, 24, room.data(), barrier});
  }
  CHECK(barrier.arrived == 2 * 8);  // 2 x 2 x 2 blocks
  CHECK(product.copied() == Times(0, 2));
}

TEST_CASE("room is kept for as long as it is large enough, in pages of 2 MiB that are asked for") {
  Space space;
  advised.clear();
  constexpr Index page = 2 << 20;
  const auto page_of = [](const void* room) { return Rows::address(room) % page; };
  float* const first = space.of<float>(1);
  CHECK(page_of(first) == 0);
  CHECK(space.of<double>(page / 8) == reinterpret_cast<double*>(first));
  CHECK(advised == std::vector<std::size_t>{page});
  CHECK(page_of(space.of<double>(page / 8 + 1)) == 0);
  CHECK(advised == std::vector<std::size_t>{page, 2 * page});
}

}  // namespace avx2
