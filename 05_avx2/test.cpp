// What the common loop does not ask of 05: edges round every block, threads in threads, the same bits. Where
// these kernels pack is guarded (guarded_space.hpp): SIGSEGV means that one left the room it had asked for.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstring>
#include <thread>

#include "common/verify.hpp"
#include "gemm.hpp"
#include "runner/machine.hpp"

using namespace avx2;
using course::Matrix, course::Shape;

namespace {

constexpr Caches small{2048, 8192, 32768};  // small blocks: their edges are met in small products

bool can(bool wide) {
  return course::lacking(wide ? "avx2,fma,avx512f,avx512dq,avx512bw,avx512vl" : "avx2,fma").empty();
}

/// The tile, and caches for blocks of at most mc, kc and nc: of a few tiles, so that small products have
/// many.
template <class T>
struct Tile {
  bool wide;
  Index size = sizeof(T), mr = wide ? 9 : 6, nr = (wide ? 192 : 64) / size;

  Caches caches(Index mc, Index kc, Index nc) const {
    const auto cache = [](Index bytes) { return (bytes * 8 + 4) / 5; };  // a block takes 5/8 of it
    return {cache(mr * kc * size), cache(kc * nc * size), mc * kc * size};
  }
};

/// Random numbers below a limit, the same in each run.
struct Draw {
  std::uint64_t state;
  Index operator()(std::uint64_t below) { return static_cast<Index>(course::mix(++state) % below); }
};

/// A problem and its C, with padded rows and guard bands.
template <class T>
struct Product {
  course::Problem<T> problem;
  Matrix<T> c;

  explicit Product(Shape s, Index pad = 3) : problem{s, course::Fill::uniform, 1, pad}, c(s.m, s.n, pad) {
    reset();
  }
  void reset() { course::copy<T>(problem.whole().c.view(), c.view()); }
  void run(bool wide, int threads, const Caches& caches = small) {
    const View<const T> a = problem.whole().a.view(), b = problem.whole().b.view();
    if (wide)
      threads == 1 ? avx512<T>(a, b, c.view(), caches) : avx512_threads<T>(a, b, c.view(), caches, threads);
    else
      threads == 1 ? packed<T>(a, b, c.view(), caches) : packed_threads<T>(a, b, c.view(), caches, threads);
  }
  bool right() {
    const auto [m, n, k] = problem.shape;
    course::Verifier<T> verifier(problem, true);
    return verifier.check({course::all_of(m), course::all_of(n), c.view()}, course::World()).right &&
           c.guards_intact() && problem.guards_intact();
  }
  bool same(Product& other) {
    for (Index i = 0; i < c.view().rows(); ++i)
      if (std::memcmp(&c.view()(i, 0), &other.c.view()(i, 0),
                      static_cast<std::size_t>(c.view().cols()) * sizeof(T)))
        return false;
    return true;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("edges round every tile and block", T, float, double, std::int32_t) {
  for (const bool wide : {false, true}) {
    if (!can(wide)) continue;
    const Tile<T> tile{wide};
    const Index mr = tile.mr, nr = tile.nr, mc = 3 * mr, kc = 13, nc = 2 * nr;
    for (const Index m : {mr - 1, mr, mr + 1, mc - 1, mc, mc + 1, 2 * mc + 1})
      for (const Index n : {nr - 1, nr, nr + 1, nc - 1, nc, nc + 1, 2 * nc + 1})
        for (const Index k : {kc - 1, kc, kc + 1, 2 * kc + 1}) {
          Product<T> product({m, n, k});
          CAPTURE(wide);
          CAPTURE(m);
          CAPTURE(n);
          CAPTURE(k);
          product.run(wide, 1, tile.caches(mc, kc, nc));
          CHECK(product.right());
        }
  }
}

TEST_CASE_TEMPLATE("random shapes, random caches, any number of threads: right, and the same bits", T, float,
                   double, std::int32_t) {
  Draw draw{20};
  for (int round = 0; round < 60; ++round) {
    const bool wide = round % 2;
    if (!can(wide)) continue;
    const Shape shape{1 + draw(150), 1 + draw(150), 1 + draw(150)};
    const Caches caches{512 + draw(4096), 2048 + draw(65536), 4096 + draw(65536)};
    CAPTURE(wide);
    CAPTURE(shape.m);
    CAPTURE(shape.n);
    CAPTURE(shape.k);
    CAPTURE(caches.l1);
    Product<T> one(shape), many(shape);
    one.run(wide, 1, caches);
    CHECK(one.right());
    for (const int threads : {2, 3, 7, 16}) {
      many.reset();
      many.run(wide, threads, caches);
      CHECK(one.same(many));
      CHECK(many.c.guards_intact());
    }
  }
}

TEST_CASE_TEMPLATE("threads alone and in teams, every edge of their blocks: right, and the same bits", T,
                   float, double, std::int32_t) {
  Draw draw{5};
  for (int round = 0; round < 150; ++round)
    for (const bool wide : {false, true}) {
      if (!can(wide)) continue;
      const Tile<T> tile{wide};
      const auto about = [&draw](Index step) { return step * (1 + draw(4)) + draw(3) - 1; };
      const int threads = 2 + round % 15;
      const Index kc = 2 + draw(12), nc = tile.nr * (1 + draw(2));
      const Index mc = draw(3) ? tile.mr * (1 + draw(2)) : 10'000;  // then A is small and read where it lies
      // Threads share the copy of B if C is higher than wide, and B larger than the second level.
      const Index m = about(tile.mr) * (round / 15 % 4 ? threads : 1), n = about(tile.nr), k = about(kc);
      // The narrow tile copies rows of A that lie whole pages apart however small A is.
      const Index pad = draw(4) ? 3 : 4096 / tile.size - k;
      Product<T> one({m, n, k}, pad), many({m, n, k}, pad);
      const Caches caches = tile.caches(mc, kc, nc);
      CAPTURE(wide);
      CAPTURE(m);
      CAPTURE(n);
      CAPTURE(k);
      CAPTURE(kc);
      CAPTURE(nc);
      CAPTURE(mc);
      CAPTURE(threads);
      one.run(wide, 1, caches);
      CHECK(one.right());
      many.run(wide, threads, caches);
      CHECK(one.same(many));
      CHECK(many.c.guards_intact());
    }
}

TEST_CASE("more threads than rows, inside a parallel region, and two products at once") {
  for (const bool wide : {false, true}) {
    if (!can(wide)) continue;
    Product<float> expected({5, 300, 70});
    expected.run(wide, 1);
    Product<float> products[2] = {Product<float>({5, 300, 70}), Product<float>({5, 300, 70})};
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
