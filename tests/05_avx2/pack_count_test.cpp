// Mechanism: what 05's loops copy, and how often, as TUNED.md says it. Their vectors write down each read; in
// place of the micro-kernel is one that does nothing.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

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

/// A matrix in rows of `cols` + `pad` numbers, whose elements are `from`, `from` + 1, …
struct Numbered {
  std::vector<float> room;
  View<float> view;

  Numbered(Index rows, Index cols, Index pad, Index from)
      : room(static_cast<std::size_t>(rows * (cols + pad))), view(room.data(), rows, cols, cols + pad) {
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j) view(i, j) = static_cast<float>(from + i * cols + j);
  }
};

struct Product {
  Numbered a, b, c;

  Product(Index m, Index n, Index k, Index a_pad = 0, Index b_pad = 0)
      : a(m, k, a_pad, 0), b(k, n, b_pad, m * k), c(m, n, 0, 0) {
    reads.assign(static_cast<std::size_t>(m * k + k * n), 0);
  }
};

using Times = std::pair<int, int>;

/// How often each element of A, and of B, has been read; -1 if not all as often.
Times reads_of(const Product& product) {
  const auto all = [](auto from, auto to) {
    for (auto times = from; times != to; ++times)
      if (*times != *from) return -1;
    return *from;
  };
  const auto b = reads.begin() + product.a.view.rows() * product.a.view.cols();
  return {all(reads.begin(), b), all(b, reads.end())};
}

void no_product(const View<const float>&, const View<const float>&, const View<float>&, const RowAddress&) {}
template <>
auto kernel<Narrow>(Index, Index) {
  return &no_product;
}
template <>
auto kernel<Wide>(Index, Index) {
  return &no_product;
}

constexpr Index ample = 1 << 30;

/// How often A, and B, are copied.
template <class Tile>
Times copied(const Product& product, const Caches& caches, int threads = 1) {
  reads.assign(reads.size(), 0);
  in_threads<Tile>(product.a.view, product.b.view, product.c.view, caches, threads);
  return reads_of(product);
}

}  // namespace

TEST_CASE("packing reads each element once") {
  for (const Index rows : {1, 8, 29})
    for (const Index cols : {1, 5, 8, 33}) {
      INFO(rows, ", ", cols);
      const Product product(rows, 1, cols);
      std::vector<float> to(static_cast<std::size_t>(rows * cols + 1000));
      copy_rows<Narrow>(product.a.view, View<float>(to.data(), rows, cols, cols));
      CHECK(reads_of(product) == Times(1, 0));
      reads.assign(reads.size(), 0);
      pack_B<Narrow>(product.a.view, to.data());
      CHECK(reads_of(product) == Times(1, 0));
    }
}

TEST_CASE("A is copied if it is used more than once, and is large or its rows are pages apart") {
  const auto a = []<class Tile>(Tile, const Product& product, Index l3) {
    return copied<Tile>(product, {ample, ample, l3}).first;
  };
  const Product twice(6, 16, 20), once(6, 8, 20), pages(6, 16, 20, 1004);
  CHECK(a(Wide(), twice, 4 * 480) == 0);
  CHECK(a(Wide(), twice, 4 * 480 - 1) == 1);
  CHECK(a(Wide(), once, 4) == 0);
  CHECK(a(Wide(), pages, ample) == 0);
  CHECK(a(Narrow(), pages, ample) == 1);
  CHECK(a(Narrow(), Product(6, 16, 20, 1005), ample) == 0);
}

TEST_CASE("B is copied if it is used more than once, and is cut or its rows are a page apart") {
  const auto b = []<class Tile>(Tile, const Product& product, Index l1) {
    return copied<Tile>(product, {l1, ample, ample}).second;
  };
  constexpr Index kc_20 = 20 * 12 * 8 / 5;  // of A's strip, 12 bytes for each p, in 5/8 of L1
  CHECK(b(Wide(), Product(6, 16, 20), kc_20) == 0);
  CHECK(b(Wide(), Product(6, 16, 20), kc_20 - 2) == 1);
  CHECK(b(Wide(), Product(6, 16, 20, 0, 1008), ample) == 1);
  CHECK(b(Wide(), Product(3, 16, 20, 0, 1008), ample) == 0);
  CHECK(b(Narrow(), Product(6, 16, 20), ample) == 1);
  CHECK(b(Narrow(), Product(3, 16, 20), ample) == 0);
}

TEST_CASE("threads stand where they need the fewest rows and columns") {
  CHECK(threads_down(24, 4, 4, 4) == 2);
  CHECK(threads_down(3, 16, 4, 2) == 1);
  CHECK(threads_down(40, 8, 4, 6) == 3);  // 14 + 16; four are no divisor: 10 + 32
}

TEST_CASE("more than two threads share a copy of B that the second level does not hold") {
  const auto b = [](const Product& product, Index l2, int threads) {
    return copied<Narrow>(product, {ample, l2, ample}, threads).second;
  };
  const Product high(30, 22, 20);
  CHECK(b(high, 4 * 20 * 22, 3) == 3);  // three below each other, each all of B
  CHECK(b(high, 4 * 20 * 22 - 1, 3) == 1);
  CHECK(b(Product(30, 8, 20), 1, 2) == 2);
}

}  // namespace avx2
