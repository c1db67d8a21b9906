// What the common loop does not ask of 05: edges round every block, threads in threads, the same bits. Where
// these kernels pack is guarded (guarded_buffer.hpp): SIGSEGV means that one left the buffer it had asked
// for.
#include <doctest/doctest.h>

#include <cstring>
#include <thread>
#include <utility>

#include "05_avx2/blocks.hpp"
#include "common/verify.hpp"
#include "runner/machine.hpp"
#include "tests/check.hpp"

using namespace avx2;
using course::Matrix, course::Shape;

namespace {

constexpr Caches small{2048, 8192, 32768};  // small blocks: their edges are met in small products

bool can(bool wide) {
  return course::lacking(wide ? avx512_needs : tuned_needs).empty();
}

/// The smallest caches in which blocks of mc, kc and nc stay whole: of a few tiles, so that small products
/// have many.
Caches caches_for(TileShape tile, int size, Index mc, Index kc, Index nc) {
  const Index l1 = kc * tile.mr * size * (tile.needs_32_registers() ? 8 : 16);
  return {ceil_div(l1, 5), ceil_div(8 * kc * nc * size, 5), kc * mc * size};
}

/// Random numbers below a limit, the same in each run.
struct Draw {
  std::uint64_t state;
  Index operator()(std::uint64_t below) { return static_cast<Index>(course::mix(++state) % below); }
};

/// A problem and its C, with padded rows and guard bands.
template <class T>
struct Case {
  course::Problem<T> problem;
  course::Inputs<T> inputs;
  Matrix<T> c;

  explicit Case(Shape s, Index pad = 3)
      : problem{s, course::Fill::uniform, 1, pad}, inputs(problem.whole()), c(s.m, s.n, pad) {
    reset();
  }
  View<const T> a() const { return inputs.a.view(); }
  View<const T> b() const { return inputs.b.view(); }
  void reset() { course::copy<T>(std::as_const(inputs.c).view(), c.view()); }
  void run(bool wide, int threads, const Caches& caches = small) {
    (wide ? tuned<widest_tile, T> : tuned<tuned_tile, T>)(a(), b(), c.view(), caches, threads);
  }
  bool right() {
    return course::Verifier<T>(problem, true).check(View<const T>(c.view())).right && c.guards_intact() &&
           inputs.guards_intact();
  }
  bool same(Case& other) {
    for (Index i = 0; i < c.view().rows(); ++i)
      if (std::memcmp(&c.view()(i, 0), &other.c.view()(i, 0),
                      static_cast<std::size_t>(c.view().cols()) * sizeof(T)))
        return false;
    return true;
  }
};

}  // namespace

TEST_CASE("blocks of nothing, and of caches that hold less than a tile, are whole tiles") {
  const BlockSizes none = blocks(avx2_tile, sizeof(double), 0, 0, 0, {});
  CHECK((none.mc == 6 && none.kc == 1 && none.nc == 8));
  for (const auto& least : {blocks(avx2_tile, sizeof(float), 13, 33, 5, {64, 16, 16}),
                            textbook(avx2_tile, sizeof(float), {64, 16, 16})})
    CHECK((least.mc == 6 && least.kc == 1 && least.nc == 16));
}

TEST_CASE_TEMPLATE("edges round every tile and block, the textbook's, too", T, float, double) {
  constexpr int size = sizeof(T);
  for (const bool wide : {false, true}) {
    if (!can(wide)) continue;
    const TileShape tile = wide ? widest_tile : tuned_tile;
    const Index mr = tile.mr, nr = tile.nr(size), mc = 3 * mr, kc = 13, nc = 2 * nr;
    const Index rows = textbook_tile.mr, cols = textbook_tile.nr(size);
    const Caches half{2 * kc * cols * size, 2 * kc * 3 * rows * size, 2 * kc * 2 * cols * size};
    for (const Index m : {mr - 1, mr, mr + 1, mc - 1, mc, mc + 1, 2 * mc + 1})
      for (const Index n : {nr - 1, nr, nr + 1, nc - 1, nc, nc + 1, 2 * nc + 1})
        for (const Index k : {kc - 1, kc, kc + 1, 2 * kc + 1}) {
          Case<T> product({m, n, k});
          INFO(wide, ", ", m, ", ", n, ", ", k);
          product.run(wide, 1, caches_for(tile, size, mc, kc, nc));
          CHECK(product.right());
          for (const auto kernel : {blocked<textbook_tile, T>, packed<textbook_tile, T>}) {
            product.reset();
            kernel(product.a(), product.b(), product.c.view(), half);
            CHECK(product.right());
          }
        }
  }
}

TEST_CASE_TEMPLATE(
    "small products, A by rows and by columns: right, and nothing beyond A, B and C is touched", T, float,
    double) {
  const Index sides[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 16, 17, 19, 24, 25, 31, 33, 41};
  const Index widths[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17, 31, 32, 33, 41, 66, 83};
  for (const bool wide : {false, true})
    for (const Index m : sides)
      for (const Index n : widths)
        for (const Index k : sides) {
          if (!can(wide)) continue;
          const bool by_columns = (m + n + k) % 3 == 0;
          INFO(wide, ", ", m, ", ", n, ", ", k);
          CHECK(fenced::right<T>({m, n, k}, [&](View<const T> a, View<const T> b, View<T> c) {
            const fenced::Fenced<T> turned(k, m, fenced::Fence::behind);
            for (Index p = 0; p < k; ++p)
              for (Index i = 0; i < m; ++i) turned.view()(p, i) = a(i, p);
            const Operand<T> of_a(by_columns ? View<const T>(turned.view()) : a, by_columns);
            (wide ? gemm<widest_tile, T> : gemm<tuned_tile, T>)(of_a, b, c, {}, {.l1 = 1024}, 1);
          }));
        }
}

TEST_CASE_TEMPLATE("thin products: right, and the same bits in any number of threads", T, float, double) {
  const Caches caches{48 << 10, 256 << 10, 1 << 20};
  for (const bool wide : {false, true})
    for (const Shape& shape :
         {Shape{1, 3001, 301}, Shape{2, 1001, 1003}, Shape{4, 999, 777}, Shape{5, 1999, 333},
          Shape{3001, 1, 301}, Shape{1003, 2, 1001}, Shape{777, 5, 999}, Shape{333, 15, 999},
          Shape{1001, 1003, 1}, Shape{1999, 555, 2}, Shape{701, 999, 8}, Shape{9, 5001, 7},
          Shape{3001, 50, 60}, Shape{9, 31, 9001}}) {
      if (!can(wide)) continue;
      Case<T> one(shape), three(shape);
      one.run(wide, 1, caches), three.run(wide, 3, caches);
      INFO(wide, ", ", shape.m, ", ", shape.n, ", ", shape.k);
      CHECK(one.right());
      CHECK(one.same(three));
      CHECK(three.c.guards_intact());
    }
}

TEST_CASE_TEMPLATE("threads alone and in teams, every edge of their blocks: right, and the same bits", T,
                   float, double) {
  Draw draw{5};
  for (int round = 0; round < 150; ++round)
    for (const bool wide : {false, true}) {
      if (!can(wide)) continue;
      const TileShape tile = wide ? widest_tile : tuned_tile;
      constexpr int size = sizeof(T);
      const Index nr = tile.nr(size);
      const auto about = [&draw](Index step) { return step * (1 + draw(4)) + draw(3) - 1; };
      const int threads = 2 + round % 15;
      const Index kc = 2 + draw(12), nc = nr * (1 + draw(2));
      const Index mc = draw(3) ? tile.mr * (1 + draw(2)) : 10'000;  // then A is small and read where it lies
      // Threads share the copy of B if C is higher than wide, and B larger than the second level.
      const Index m = round / 15 % 4 ? about(tile.mr) * threads - draw(3) : about(tile.mr), n = about(nr),
                  k = about(kc);
      // The narrow tile copies rows of A that lie whole pages apart however small A is.
      const Index pad = draw(4) ? 3 : 4096 / size - k;
      Case<T> one({m, n, k}, pad), many({m, n, k}, pad);
      const Caches caches = caches_for(tile, size, mc, kc, nc);
      INFO(wide, ", ", m, ", ", n, ", ", k, ", ", kc, ", ", nc, ", ", mc, ", ", threads);
      one.run(wide, 1, caches);
      CHECK(one.right());
      many.run(wide, threads, caches);
      CHECK(one.same(many));
      CHECK(many.c.guards_intact());
    }
}

TEST_CASE("more threads than rows, inside a parallel region, and two products at once") {
  for (const bool wide : {false, true})
    for (const Index m : {5, 40}) {  // 40: each product packs B, and has to do so in a buffer of its own
      if (!can(wide)) continue;
      Case<float> expected({m, 300, 70});
      expected.run(wide, 1);
      Case<float> products[2] = {Case<float>({m, 300, 70}), Case<float>({m, 300, 70})};
      const auto check = [&] {
        for (auto& product : products) {
          CHECK(product.same(expected));
          product.reset();
        }
      };
#pragma omp parallel for num_threads(2)
      for (int i = 0; i < 2; ++i) products[i].run(wide, 16);
      check();
      std::thread first([&] { products[0].run(wide, 8); }), second([&] { products[1].run(wide, 8); });
      first.join(), second.join();
      check();
    }
}
