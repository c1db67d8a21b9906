// The costs that the steps declare, held against what cachegrind counts for the same product and caches
// (tests/CMakeLists.txt has the same bounds).
#include <doctest/doctest.h>

#include "01_naive/cost.hpp"
#include "02_loop_order/cost.hpp"
#include "03_tiling/cost.hpp"
#include "04_openmp/cost.hpp"

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

Cost of(CostOf count, Index tile = 0, Shape s = shape) {
  return count(s, {.threads = 1, .tile = tile, .grid = {}, .block = {}});
}

bool between(double low, double value, double high) {
  CAPTURE(value);
  return low <= value && value <= high;
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
  CHECK(between(0.005, lines(tiled(25), first), 0.015));
  CHECK(between(0.002, lines(tiled(25), last), 0.006));
  const Cost two_level = of(tiling::cost::two_level<float>, 25);
  CHECK(between(0.005, lines(two_level, first), 0.015));
  CHECK(between(0.0006, lines(two_level, last), 0.002));
  // cachegrind: 0.019 with tiles of 100. A quarter of ikj's 0.0625, and some for the edges.
  CHECK(between(0.01, lines(of(tiling::cost::four_by_four<float>, 100), first), 0.025));
}

TEST_CASE("a cache that holds all three matrices fetches nothing") {
  for (const CostOf& cost :
       {CostOf(naive::cost::rows_of_rows<double>), CostOf(loop_order::cost::jki<double>),
        CostOf(loop_order::cost::kji<double>), CostOf(loop_order::cost::kij<double>),
        CostOf(loop_order::cost::jik<double>), CostOf(loop_order::cost::transposed<double>),
        CostOf(tiling::cost::two_level<double>), CostOf(openmp::cost::tiled_simd<double>),
        CostOf(openmp::cost::columns<double>), CostOf(openmp::cost::collapse_simd<double>)})
    CHECK(lines(of(cost, 32), 3 * 300 * 300 * 8 + 300 * (8 + 64 + 24)) == 0);
}

TEST_CASE("the element counts, and twice the bytes are twice the lines") {
  CHECK(of(loop_order::cost::ikj<double>).loads_stores == 2 * of(loop_order::cost::ikj<float>).loads_stores);
  CHECK(lines(of(loop_order::cost::ikj<double>), first) ==
        doctest::Approx(2 * lines(of(loop_order::cost::ikj<float>), first)));
  CHECK(of(loop_order::cost::ijk<float>).chain == 27e6);
  CHECK(of(loop_order::cost::ikj<float>).chain == 0);
  CHECK(of(tiling::cost::four_by_four<float>, 100).loads_stores == 3.0 * 27e6);
  CHECK(of(loop_order::cost::ijk<float>, 0, {0, 5, 5}).flops == 0);
}
