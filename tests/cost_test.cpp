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

Settings set(Index tile, const Sides& block = {}) {
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
double wavefronts(CostOf count, Index n, const Settings& settings) {
  return wavefronts(count, Shape{n, n, n}, settings);
}

/// Of A and of B: how many multiply-adds an element serves each time that it comes from the second level.
std::pair<double, double> served(CostOf count, Index n, const Settings& settings, double size) {
  const Cost cost = count({n, n, n}, settings);
  const double madds = static_cast<double>(n * n * n) * size;
  return {madds / cost.reuses.at(1).bytes, madds / cost.reuses.at(2).bytes};
}

using Pair = std::pair<double, double>;

struct Large {  // a tiling of 09
  using T = float;
  static constexpr int BM = 128, BN = 256;
};
constexpr double mib = 1024 * 1024;  // beyond any first level
// Rows of A, and of B, that begin in one bank, and the others anywhere; A, B and C of 4, 8 and 2 MiB in f32.
constexpr Shape a_in_one_bank{512, 2001, 2048}, b_in_one_bank{512, 2048, 2001}, unequal{512, 1024, 2048};

using Reuses = std::vector<Pair>;  // bytes, distance
void check_reuses(const Cost& cost, double loads_stores, const Reuses& expected) {
  CHECK(cost.loads_stores == doctest::Approx(loads_stores));
  REQUIRE(cost.reuses.size() == expected.size());
  for (std::size_t r = 0; r < expected.size(); ++r) {
    CAPTURE(r);
    CHECK(cost.reuses[r].bytes == doctest::Approx(expected[r].first));
    CHECK(cost.reuses[r].distance == doctest::Approx(expected[r].second));
  }
}

/// What the second level must hold for A, and for B, to stay there.
void check_held(CostOf count, const Settings& settings) {
  for (const auto& [shape, b] :
       {std::pair(Shape{2048, 2048, 2048}, 16 * mib), {Shape{300, 300, 300}, mib}, {unequal, 8 * mib}}) {
    const Cost cost = count(shape, settings);
    CHECK(Pair(cost.reuses.at(1).distance, cost.reuses.at(2).distance) == Pair(mib, b));
  }
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
    for (const double held : {4, 9, 10, 11, 40, 48, 70, 94, 98, 110, 185, 400}) {  // lines
      const std::string& order = entry.first;  // clang 14's lambdas take no bindings
      INFO(order, ", ", held);
      CHECK(std::abs(lines(of(entry.second, 0, oblong), held * line) - lines_of(order, oblong, held * line)) <
            0.005);
    }
}

TEST_CASE("a cache that holds all three matrices fetches nothing") {
  for (const CostOf& cost :
       {CostOf(naive::cost::rows_of_rows<double>), CostOf(loop_order::cost::jki<double>),
        CostOf(loop_order::cost::kji<double>), CostOf(loop_order::cost::kij<double>),
        CostOf(loop_order::cost::jik<double>), CostOf(loop_order::cost::transposed<double>),
        CostOf(tiling::cost::two_level<double>), CostOf(openmp::cost::tiled_simd<double>),
        CostOf(openmp::cost::sums<double>), CostOf(openmp::cost::collapse_simd<double>)})
    CHECK(lines(of(cost, 32), 3 * 300 * 300 * 8 + 300 * (8 + 64 + 24)) == 0);
}

TEST_CASE("the type counts: twice the bytes are twice the lines, and integers may be added in any order") {
  CHECK(of(loop_order::cost::ikj<double>).loads_stores == 2 * of(loop_order::cost::ikj<float>).loads_stores);
  CHECK(lines(of(loop_order::cost::ikj<double>), first) ==
        doctest::Approx(2 * lines(of(loop_order::cost::ikj<float>), first)));
  CHECK(of(loop_order::cost::transposed<std::int32_t>).chain == 0);
  CHECK(of(naive::cost::ijk_reordered<double>).chain == 27e6 / 2);
  CHECK(of(naive::cost::ijk_reordered<std::int32_t>).chain == 27e6);  // SSE2 cannot multiply four of them
  CHECK(of(loop_order::cost::ijk<float>, 0, {0, 5, 5}).flops == 0);
}

TEST_CASE("01 to 04 and 10: all that a product of 8 x 12 x 16 costs, by hand") {
  // A, B and C have 512, 768 and 384 bytes; 1536 multiply-adds, of 4 bytes 6144, of a line 98304.
  static constexpr Shape small{8, 12, 16};
  const auto check = [](const char* name, const CostOf& count, double chain, double loads_stores,
                        Reuses reuses, Index tile = 0) {
    CAPTURE(name);
    const Cost cost = of(count, tile, small);
    CHECK(cost.flops == 2 * 1536);
    CHECK(cost.chain == doctest::Approx(chain));
    check_reuses(cost, loads_stores, reuses);
  };
  const Pair once = {1664, 1664};  // each matrix
  const double pass = 16 * (4 + 64), down = 98304 - 6144;
  const Reuses row_column = {once, {6144, pass}, {down, pass}, {6144, 768}};
  check("01 ijk", naive::cost::ijk<float>, 1536, 2 * 6144, row_column);
  check("01 reordered", naive::cost::ijk_reordered<float>, 384, 2 * 6144, row_column);
  check("01 rows_of_rows", naive::cost::rows_of_rows<float>, 1536, 20 * 1536,
        {once, {28 * 1536, 16 * 92}, {down, 16 * 92}, {6144, 768}});
  check("02 ijk", loop_order::cost::ijk<float>, 1536, 2 * 6144, row_column);
  check("02 jik", loop_order::cost::jik<float>, 1536, 2 * 6144, {once, {98304, pass}, {6144, 512}});
  check("ikj", course::ikj<float>, 0, 3 * 6144, {once, {6144, 96}, {6144, 768}});
  check("02 kij", loop_order::cost::kij<float>, 0, 3 * 6144, {once, {6144, 384}, {6144, 96}});
  check("02 jki", loop_order::cost::jki<float>, 0, 3 * 6144,
        {once, {98304, 1024}, {down, 1024}, {6144, 512}});
  check("02 kji", loop_order::cost::kji<float>, 0, 3 * 6144,
        {once, {98304, 1024}, {down, 1024}, {6144, 384}});
  check("02 transposed", loop_order::cost::transposed<float>, 1536, 2 * 6144,
        {once, {6144, 128}, {6144, 768}, {192 * 60, 12 * 64}, {192 * 4, 768}});
  check("02 contiguous", loop_order::cost::contiguous<float>, 1536, 3 * 6144, row_column);

  // Tiles that fit three times along n, and of 8 x 14 by 14 x 12.
  check("03 tiled, 4", tiling::cost::tiled<float>, 0, 3 * 6144,
        {once, {6144, 32}, {6144, 96}, {1536, 768}, {1536, 384}, {1536, 192}}, 4);
  check("03 tiled, 14", tiling::cost::tiled<float>, 0, 3 * 6144,
        {once, {6144, 96}, {6144, 768}, {768, 768}, {6144 / 14., 1056}, {512, 1504}}, 14);
  check("03 two_level", tiling::cost::two_level<float>, 0, 3 * 6144,  // of 3 in 8 x 12 by 12 x 12
        {{1664, 1344},
         {6144, 24},
         {6144, 60},
         {2048, 768},
         {2048, 288},
         {2048, 108},
         {768, 768},
         {512, 960},
         {512, 1344},
         once},
        3);
  check("03 four_by_four, 4", tiling::cost::four_by_four<float>, 0, 3 * 1536,
        {once, {1536, 128}, {1536, 96}, {1536, 768}, {1536, 384}, {1536, 192}}, 4);
  check("03 four_by_four, 14", tiling::cost::four_by_four<float>, 0, 3 * 1536,
        {once, {1536, 384}, {1536, 768}, {768, 768}, {6144 / 14., 1056}, {512, 1504}}, 14);

  check("04 collapse_simd", openmp::cost::collapse_simd<float>, 384, 2 * 6144, row_column);
  check("04 tiled, 4", openmp::cost::tiled<float>, 0, 3 * 6144,
        {once, {6144, 32}, {6144, 96}, {1536, 768}, {1536, 192}}, 4);
  check("04 tiled, 14", openmp::cost::tiled<float>, 0, 3 * 6144,
        {once, {6144, 96}, {6144, 768}, {768, 768}, {6144 / 14., 1504}}, 14);
  check("04 tiled_simd", openmp::cost::tiled_simd<float>, 0, 3 * 1536,
        {once, {1536, 384}, {1536, 768}, {768, 768}, {6144 / 14., 1504}}, 14);
  check("04 sums", openmp::cost::sums<float>, 192 * 11 / 3., 4 * 6144, {once, {6144, pass}, {6144, 768}});

  namespace acc = openacc::cost;
  const auto gang = [&](const char* name, const CostOf& count, double wavefronts, double of_a, double of_b) {
    check(name, count, 0, 6144 * wavefronts, {once, {of_a, beyond_l1}, {of_b, beyond_l1}});
  };
  gang("10 one_each", acc::one_each<float>, 2, 6, 6144);
  gang("10 tiled", acc::tiled<float>, 2, 192, 192);
  gang("10 four_by_four", acc::four_by_four<float>, 0.5, 512, 4.5);  // lanes: 3 in a row, 1024 / 3 rows
  gang("10 omp_target", acc::omp_target<float>, 64, 6144, 8 * 6144);
  gang("10 omp_target_simd", acc::omp_target_simd<float>, 2, 192, 6144);
  CHECK(wavefronts(acc::tiled<double>, 2048, {}) == 3);
  const Cost wide = of(acc::four_by_four<float>, 0, {1, 8192, 1}),
             narrow = of(acc::four_by_four<float>, 0, {1, 2, 1});
  CHECK(wide.reuses[1].bytes == 8);  // 4096 columns of C
  CHECK(narrow.reuses[1].bytes == 2);
}

TEST_CASE("05: a chain of vectors is shorter, and fused where a product waits for the sum") {
  CHECK(of(avx2::cost::dot<float>).chain == 27e6 / 8);
  CHECK(of(avx2::cost::dot<double>).chain == 27e6 / 4);
  CHECK(of(avx2::cost::dot<double>).fused);
  CHECK_FALSE(of(avx2::cost::dot<std::int32_t>).fused);  // the chain adds
}

TEST_CASE("05: what comes again, and after how much else, by hand") {
  constexpr Shape s{600, 2100, 100}, little{50, 40, 30};
  const avx2::Caches caches{8192, 262144, 1 << 20};  // the textbook's kc = 64, mc = 510, nc = 2048
  constexpr double bytes = 4 * 126e6, a = 240e3, b = 840e3, c = 5040e3, all = a + b + c;
  check_reuses(of(avx2::cost::dot<float>, 0, s), 2 * bytes,
               {{all, all}, {bytes, 800}, {bytes, b}, {15 * b, 2100 * 64}, {b, b}});
  check_reuses(of(avx2::cost::register_tile<float>, 0, s), bytes / 16 + bytes / 6 + 2 * c,
               {{all, all}, {bytes / 6, 8800}, {bytes / 16, a}});
  check_reuses(of(avx2::cost::textbook<float>(avx2::avx2_tile, caches), 0, s), bytes / 16 + bytes / 6 + 2 * c,
               {{all, all},
                {bytes / 6, 5632},
                {bytes / 16, 134656},
                {bytes / 510, 654848},
                {bytes / 64, c},
                {bytes / 2048, a}});
  check_reuses(of(avx2::cost::textbook<float>(avx2::avx2_tile, caches), 0, little),
               240e3 / 16 + 240e3 / 6 + 2 * 8e3,  // all of it
               {{18800, 18800}, {40e3, 2640}, {15e3, 7920}, {4800, 10800}, {8e3, 8e3}, {6e3, 6e3}});
  check_reuses(of(avx2::cost::tuned<double>(avx2::avx512_tile, caches), 0, s),  // kc = 50, nc = 360
               2 * bytes / 24 + 2 * bytes / 9 + 4 * c,
               {{2 * all, 2 * all},
                {2 * bytes / 24, 13200},
                {2 * bytes / 9, 147600},
                {2 * bytes / 360, 384000},
                {2 * bytes / 50, 2 * c}});
}

TEST_CASE("07: a warp's wavefronts are those of the note") {
  const auto block = [](const Sides& sides) { return set(0, sides); };
  const CostOf coalesced = cuda_global::cost::coalesced<float>;
  const CostOf uncoalesced = cuda_global::cost::uncoalesced<float>;
  constexpr Shape n2048{2048, 2048, 2048}, n2001{2001, 2001, 2001}, n2000{2000, 2000, 2000};
  struct Case {
    Sides sides;
    Shape shape;
    double coalesced, uncoalesced;
  };
  for (const Case& c : {Case{{32, 8}, n2048, 2, 32 + 1},
                        {{32, 8}, n2000, 2, 16 + 1},
                        {{32, 8}, n2001, 2, 8 + 1},
                        {{8, 32}, n2048, 4 + 1, 8 + 1},  // exercise 1
                        {{64, 4}, n2048, 2, 32 + 1},     // two warps in a row
                        {{1, 32}, n2048, 32 + 1, 2}}) {  // a warp is a column
    INFO(c.sides.x, ", ", c.shape.n);
    CHECK(wavefronts(coalesced, c.shape, block(c.sides)) == c.coalesced);
    CHECK(wavefronts(uncoalesced, c.shape, block(c.sides)) == c.uncoalesced);
  }
  CHECK(wavefronts(coalesced, n2001, block({8, 32})) == 1 + 1);
  CHECK(wavefronts(coalesced, a_in_one_bank, block({8, 32})) == 4 + 1);  // a warp goes down A
  CHECK(wavefronts(coalesced, b_in_one_bank, block({8, 32})) == 1 + 1);
  CHECK(wavefronts(uncoalesced, a_in_one_bank, block({32, 8})) == 32 + 1);
  CHECK(wavefronts(uncoalesced, b_in_one_bank, block({32, 8})) == 8 + 1);
  CHECK(wavefronts(cuda_global::cost::coalesced<double>, n2048, block({32, 8})) == 3);
  CHECK(wavefronts(cuda_global::cost::uncoalesced<double>, n2048, block({32, 8})) == 32 + 1);
  CHECK(served(coalesced, 2048, block({32, 8}), 4) == Pair(32, 8));
  CHECK(served(uncoalesced, 2048, block({32, 8}), 4) == Pair(8, 32));
  for (const CostOf& count : {coalesced, uncoalesced}) {
    check_held(count, block({32, 8}));  // all of B
    CHECK(count({2, 3, 4}, block({32, 8})).flops == 48);
  }
  CHECK(along_row(128, 1) == 1);
  CHECK(along_row(129, 1) == 2);
}

TEST_CASE("08: a tile's side is how many multiply-adds a loaded element serves") {
  const CostOf shared = cuda_shared::cost::shared<float>;
  CHECK(wavefronts(shared, 2048, set(32)) == 1 + 0.5 + 4.0 / 32);
  CHECK(wavefronts(shared, 2048, set(16)) == 1 + 0.5 + (2 + 2 + 2) / 16.0);         // two rows in one bank
  CHECK(wavefronts(shared, 2000, set(16)) == doctest::Approx(1 + 0.5 + 4 / 16.0));  // in different banks
  CHECK(wavefronts(shared, 1000, set(16)) == 1 + 0.5 + (2 + 2 + 2) / 16.0);         // 8 banks apart
  CHECK(wavefronts(shared, 2048, set(4)) == 2 * (1 + 0.5 + (4 + 4 + 2) / 4.0));  // 16 threads in a warp of 32
  CHECK(wavefronts(cuda_shared::cost::shared<double>, 2048, set(32)) == 2 + 1 + 8.0 / 32);
  CHECK(served(shared, 2048, set(16), 4) == Pair(16, 16));
  CHECK(wavefronts(cuda_shared::cost::shared<double>, 2048, set(8)) == 2 + 1 + (4 + 4 + 2 * 2) / 8.0);
  check_held(shared, set(16));
  CHECK(wavefronts(shared, Shape{512, 2000, 2048}, set(16)) == doctest::Approx(1 + 0.5 + (2 + 1 + 2) / 16.0));
  CHECK(wavefronts(shared, Shape{512, 2048, 2000}, set(16)) == doctest::Approx(1 + 0.5 + (1 + 2 + 2) / 16.0));
}

TEST_CASE("09: a thread's tile in registers saves wavefronts") {
  using namespace cuda_regtile::cost;
  const auto of_f32 = [](CostOf count) { return wavefronts(count, 2048, Settings{}); };
  CHECK(of_f32(column<float, 1>) == 1 + 0.5 + 4.0 / 32);  // 08's, a thread an element
  CHECK(of_f32(column<float, 8>) == 1 / 8.0 + 0.5 + 4.0 / 32);
  CHECK(of_f32(side_by_side<float>) == (2 * 2 + 2 * 8) / 64.0);
  CHECK(of_f32(interleaved<float>) == (2 * 2 + 2 * 4) / 64.0);
  CHECK(of_f32(warp_tiles<Large>) == (2 * 2 + 2 * 2) / 64.0);
  CHECK(served(column<float, 8>, 2048, {}, 4) == Pair(32, 32));
  CHECK(served(interleaved<float>, 2048, {}, 4) == Pair(128, 128));
  CHECK(served(warp_tiles<Large>, 2048, {}, 4) == Pair(256, 128));
  const auto of_f64 = [](CostOf count) { return wavefronts(count, 2048, Settings{}); };
  CHECK(of_f64(column<double, 4>) == 2 / 4.0 + 1 + 4 * 2.0 / 32);  // a row of B's tile has 256 bytes
  CHECK(of_f64(side_by_side<double>) == (4 * 2 + 4 * 16) / 64.0);
  CHECK(of_f64(interleaved<double>) == (4 * 2 + 4 * 4) / 64.0);
  check_held(interleaved<float>, {});
}
