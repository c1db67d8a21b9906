// The costs that the steps declare, held against what cachegrind counts for the same product and caches
// (tests/CMakeLists.txt has the same bounds).
#include <doctest/doctest.h>

#include <cmath>
#include <list>
#include <map>
#include <string>
#include <unordered_map>

#include "01_naive/cost.hpp"
#include "02_loop_order/cost.hpp"
#include "03_tiling/cost.hpp"
#include "04_openmp/cost.hpp"
#include "05_avx2/cost.hpp"
#include "07_cuda_global/cost.hpp"
#include "08_cuda_shared/cost.hpp"
#include "09_cuda_regtile/cost.hpp"
#include "10_openacc/cost.hpp"

using namespace course;

namespace {

constexpr double first = 8192, last = 262144;
constexpr Shape shape{300, 300, 300};

/// Lines that a cache of so many bytes must fetch for one multiply-add.
double lines(const Cost& cost, double capacity) {
  double bytes = 0;
  for (const Reuse& reuse : cost.reuses)
    if (reuse.distance > capacity) bytes += reuse.bytes;
  return bytes / line / (cost.flops / 2);
}

Settings set(Index tile, const Dim2& block = {}) {
  return {.threads = 1, .tile = tile, .grid = {}, .block = block};
}

Cost of(CostOf count, Index tile = 0, Shape s = shape) {
  return count(s, set(tile));
}

bool between(double low, double value, double high) {
  CAPTURE(value);
  return low <= value && value <= high;
}

/// Of a GPU's product: wavefronts of the first level for 32 multiply-adds.
double wavefronts(CostOf count, const Shape& s, const Settings& settings) {
  return count(s, settings).loads_stores / 128 / (s.flops() / 2 / 32);
}

/// A cache of so many lines, anywhere; the one unused for longest makes room.
class Lru {
 public:
  explicit Lru(std::size_t lines) : lines_(lines) {}
  void touch(Index at) {
    if (const auto found = where_.find(at); found != where_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return;
    }
    ++misses;
    order_.push_front(at), where_[at] = order_.begin();
    if (order_.size() > lines_) where_.erase(order_.back()), order_.pop_back();
  }
  double misses = 0;

 private:
  std::size_t lines_;
  std::list<Index> order_;
  std::unordered_map<Index, std::list<Index>::iterator> where_;
};

/// Lines that such a cache fetches for one multiply-add of an order such as "ijk": each step touches the two
/// elements that its innermost loop walks along; the third stays in a register.
double lines_of(const std::string& order, const Shape& s, double capacity) {
  Lru cache(static_cast<std::size_t>(capacity / line));
  const auto lengths = std::map<char, Index>{{'i', s.m}, {'j', s.n}, {'k', s.k}};
  const auto touch = [&](char from, Index row, Index col, Index ld) {
    cache.touch((Index{from} << 40) + (row * ld + col) * 4 / 64);
  };
  std::map<char, Index> at;
  for (at[order[0]] = 0; at[order[0]] < lengths.at(order[0]); ++at[order[0]])
    for (at[order[1]] = 0; at[order[1]] < lengths.at(order[1]); ++at[order[1]])
      for (at[order[2]] = 0; at[order[2]] < lengths.at(order[2]); ++at[order[2]]) {
        const Index i = at['i'], j = at['j'], p = at['k'];
        if (order[2] != 'j') touch('A', i, p, s.k);
        if (order[2] != 'i') touch('B', p, j, s.n);
        if (order[2] != 'k') touch('C', i, j, s.n);
      }
  return cache.misses / static_cast<double>(s.m * s.n * s.k);
}

struct Large {  // a tiling of 09
  using T = float;
  static constexpr int BM = 128, BN = 256;
};

}  // namespace

TEST_CASE("misses counted by hand are those that cachegrind counts") {
  const Cost ijk = of(loop_order::cost::ijk<float>), ikj = of(loop_order::cost::ikj<float>);
  CHECK(between(1.0, lines(ijk, first), 1.1));
  CHECK(between(0.06, lines(ikj, first), 0.07));
  CHECK(between(0.06, lines(ijk, last), 0.07));
  CHECK(between(0.06, lines(ikj, last), 0.07));
  CHECK(lines(of(naive::cost::ijk<float>), first) == lines(ijk, first));
  const auto tiled = [](Index tile) { return of(tiling::cost::tiled<float>, tile); };
  CHECK(between(0.06, lines(tiled(300), first), 0.065));
  CHECK(between(0.06, lines(tiled(300), last), 0.065));
  CHECK(between(0.06, lines(tiled(100), first), 0.08));
  CHECK(between(0.0006, lines(tiled(100), last), 0.002));
  CHECK(between(0.0019, lines(tiled(100), 98304), 0.0026));  // two tiles, not three: A's come again, too
  CHECK(between(0.005, lines(tiled(25), first), 0.015));
  CHECK(between(0.002, lines(tiled(25), last), 0.006));
  const Cost two_level = of(tiling::cost::two_level<float>, 25);
  CHECK(between(0.005, lines(two_level, first), 0.015));
  CHECK(between(0.0006, lines(two_level, last), 0.002));
  // cachegrind: 0.019 with tiles of 100. A quarter of ikj's 0.0625, and some for the edges.
  CHECK(between(0.01, lines(of(tiling::cost::four_by_four<float>, 100), first), 0.025));
}

TEST_CASE(
    "02: each order fetches what a simulated cache does, whichever of its reuses the cache has room for") {
  namespace cost = loop_order::cost;
  constexpr Shape oblong{48, 80, 64};  // whole lines; A, B and C have 12, 20 and 15 KiB
  const std::map<std::string, CostOf> orders = {{"ijk", cost::ijk<float>}, {"jik", cost::jik<float>},
                                                {"ikj", cost::ikj<float>}, {"kij", cost::kij<float>},
                                                {"jki", cost::jki<float>}, {"kji", cost::kji<float>}};
  for (const auto& entry : orders)
    for (const double held : {4, 9, 10, 11, 40, 48, 70, 94, 98, 110, 185, 300, 400}) {  // lines
      const std::string& order = entry.first;  // clang 14's lambdas take no bindings
      INFO(order, ", ", held);
      CHECK(std::abs(lines(of(entry.second, 0, oblong), held * line) - lines_of(order, oblong, held * line)) <
            0.005);
    }
}

TEST_CASE("chains: a sum is a chain of as many additions as it has terms, fewer in several sums or vectors") {
  CHECK(of(naive::cost::ijk<float>).chain == 27e6);
  CHECK(of(naive::cost::rows_of_rows<float>).chain == 27e6);
  CHECK(of(loop_order::cost::contiguous<float>).chain == 27e6);
  CHECK(of(loop_order::cost::ikj<float>).chain == 0);
  CHECK(of(openmp::cost::collapse_simd<float>).chain == 27e6 / 4);
  CHECK(of(loop_order::cost::transposed<std::int32_t>).chain == 0);  // integers may be added in any order
  CHECK(of(avx2::cost::dot<float>).chain == 27e6 / (avx2::textbook_tile.bytes / 4));
  CHECK(of(avx2::cost::dot<double>).chain == 27e6 / (avx2::textbook_tile.bytes / 8));
  CHECK(of(avx2::cost::dot<double>).fused);
  CHECK_FALSE(of(avx2::cost::dot<std::int32_t>).fused);  // the chain adds
}

TEST_CASE("03, 05: a tile in registers loads its sides, not its area") {
  const auto of_one = [](const Cost& cost) {
    return cost.loads_stores / 4 / 27e6;
  };                          // elements a multiply-add
  const double c = 2 / 300.;  // C once, in and out
  CHECK(of_one(of(tiling::cost::tiled<float>, 100)) == doctest::Approx(3));
  CHECK(of_one(of(tiling::cost::four_by_four<float>, 100)) == doctest::Approx(3 / 4.));
  CHECK(of_one(of(avx2::cost::register_tile<float>)) ==
        doctest::Approx(1. / avx2::textbook_tile.nr(4) + 1 / 6. + c));
  CHECK(of_one(of(avx2::cost::tuned<float>(avx2::avx512_tile, {}))) == doctest::Approx(1 / 48. + 1 / 9. + c));
}

TEST_CASE("07 to 10: a warp's wavefronts for a step of k are those of the notes") {
  static constexpr Shape n2048{2048, 2048, 2048}, n2001{2001, 2001, 2001}, n2000{2000, 2000, 2000};
  const auto at_2048 = [](const CostOf& count, Index tile = 0, const Dim2& block = {}) {
    return wavefronts(count, n2048, set(tile, block));
  };
  namespace global = cuda_global::cost;
  CHECK(at_2048(global::coalesced<float>, 0, {32, 8}) == 2);
  CHECK(at_2048(global::coalesced<double>, 0, {32, 8}) == 3);
  CHECK(at_2048(global::coalesced<float>, 0, {8, 32}) == 4 + 1);  // exercise 1
  CHECK(at_2048(global::uncoalesced<float>, 0, {32, 8}) == 32 + 1);
  CHECK(at_2048(global::uncoalesced<float>, 0, {8, 32}) == 8 + 1);
  CHECK(wavefronts(global::uncoalesced<float>, n2000, set(0, {32, 8})) == 16 + 1);
  CHECK(wavefronts(global::uncoalesced<float>, n2001, set(0, {32, 8})) == 8 + 1);

  namespace shared = cuda_shared::cost;
  CHECK(at_2048(shared::shared<float>, 32) == 1 + 0.5 + 4.0 / 32);
  CHECK(at_2048(shared::shared<float>, 16) == 1 + 0.5 + (2 + 2 + 2) / 16.0);      // two rows in one bank
  CHECK(at_2048(shared::shared<float>, 4) == 2 * (1 + 0.5 + (4 + 4 + 2) / 4.0));  // half a warp
  CHECK(wavefronts(shared::shared<float>, n2000, set(16)) == doctest::Approx(1 + 0.5 + 4 / 16.0));
  CHECK(at_2048(shared::shared<double>, 32) == 2 + 1 + 8.0 / 32);

  namespace tiles = cuda_regtile::cost;
  CHECK(at_2048(tiles::column<float, 1>) == 1 + 0.5 + 4.0 / 32);  // 08's, a thread an element
  CHECK(at_2048(tiles::column<float, 8>) == 1 / 8.0 + 0.5 + 4.0 / 32);
  CHECK(at_2048(tiles::side_by_side<float>) == (2 * 2 + 2 * 8) / 64.0);
  CHECK(at_2048(tiles::interleaved<float>) == (2 * 2 + 2 * 4) / 64.0);
  CHECK(at_2048(tiles::warp_tiles<Large>) == (2 * 2 + 2 * 2) / 64.0);

  namespace acc = openacc::cost;
  CHECK(at_2048(acc::one_each<float>) == 2);
  CHECK(at_2048(acc::four_by_four<float>) == 0.5);
  CHECK(at_2048(acc::omp_target<float>) == 64);
}
