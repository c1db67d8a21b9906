// What 09 says of its engines, under the emulator: same bits in any order and on every run, k in panels, a
// choice for every shape.
#include "09_cuda_regtile/best.cuh"

#include <doctest/doctest.h>

#include <cstring>

#include "09_cuda_regtile/gemm.cuh"
#include "tests/fenced.hpp"

using namespace course;
using namespace cuda_regtile;

namespace {

/// C after as many products as there are orders, the threads of each block in those orders.
Matrix<float> after(const Launch<float>& launch, const Shape& shape, const std::vector<std::string>& orders,
                    Fill fill = Fill::uniform) {
  const Problem<float> problem{.shape = shape, .fill = fill};
  const Inputs<float>& in = problem.whole();
  Matrix<float> c(shape.m, shape.n);
  copy<float>(in.c.view(), c.view());
  for (const std::string& order : orders) {
    emulator::set_order(order);
    launch(in.a.view(), in.b.view(), c.view(), {});
    emulator::synchronize();
  }
  return c;
}

bool same_bits(const Matrix<float>& one, const Matrix<float>& other) {
  for (Index i = 0; i < one.view().rows(); ++i)
    if (std::memcmp(&one.view()(i, 0), &other.view()(i, 0), sizeof(float) * std::size_t(one.view().cols())))
      return false;
  return true;
}

}  // namespace

TEST_CASE("every engine has the same bits in any order, and when it runs again") {
  const Shape cut{300, 520, 100};  // 9 tiles of 128 × 256, which stream-K cuts
  for (const auto& engine : engines()) {
    const Matrix<float> once = after(engine.launch, cut, {"forward"});
    CHECK_MESSAGE(same_bits(once, after(engine.launch, cut, {"reversed"})), engine.name);
    CHECK_MESSAGE(same_bits(once, after(engine.launch, cut, {"987654"})), engine.name);
    CHECK_MESSAGE(same_bits(after(engine.launch, cut, {"forward", "forward", "forward"}),
                            after(engine.launch, cut, {"reversed", "987654", "forward"})),
                  engine.name);
  }
}

TEST_CASE("every engine takes k in panels, and they add up to the product") {
  using Small = Tiling<float, 32, 64, 32, 8>;
  for (const Shape& shape : {Shape{33, 260, 100}, Shape{33, 261, 101}}) {  // four panels, aligned or not
    const Matrix<float> expected = after(by_tiles<Small>(), shape, {"forward"}, Fill::digits);
    CHECK(same_bits(after(by_tiles<Small, 32>(), shape, {"reversed"}, Fill::digits), expected));
    CHECK(same_bits(after(by_stream_k<Large, 32>(), shape, {"reversed"}, Fill::digits), expected));
  }
}

TEST_CASE("stream-K's flags are poisoned before its first run, whatever was there") {
  auto& exchange = workspace<Exchange<Large>>();
  exchange = {};
  after(by_stream_k<Large>(), {1, 4, 20},
        {"forward", "reversed"});  // two blocks of five; the second awaits the first
  CHECK(exchange.run == 2);
  for (Index block = 0; block < 5; ++block)
    CHECK(exchange.ready.view()(0, block) == (block == 0 ? 2 : 0x81818181U));
}

TEST_CASE("each shape has an engine, the measured ones their own, others that of the nearest") {
  for (const Choice& choice : choices)
    CHECK(engine_for(Index(choice.m), Index(choice.n), Index(choice.k)).name == choice.engine);
  for (const Index side : {0, 1, 77, 1000, 100000}) CHECK(!engine_for(side, 1, side).name.empty());
  CHECK(engine_for(9000, 9000, 9000).name == "stream_k_128x256x16");
  after(best, {64, 1024, 4}, {"forward"});  // that of a flat k
  CHECK((launched.kernel == reinterpret_cast<void (*)()>(tiled<Tiling<float, 64, 128, 8>, true>)));
}

TEST_CASE("every kernel is right and stays within its matrices, at edges and where rows are not aligned") {
  emulator::set_order("reversed");
  using T = float;
  const auto columns = [](Kernel<T> kernel, Block block) -> Launch<T> {
    return [=](auto a, auto b, auto c, const Settings&) { tile_a_block<T>(kernel, 32, 32, block, a, b, c); };
  };
  const auto rung = [](Kernel<T> fast, Kernel<T> guarded) { return by_tiles<Rung<T>>(fast, guarded); };
  std::vector<Launch<T>> launches = {
      columns(column<T, 4>, {32, 8}),
      columns(column<T, 32>, {32, 1}),
      rung(square<T>, square<T>),
      rung(transposed<T>, transposed<T>),
      rung(vectorised<T, true>, vectorised<T, false>),
      rung(conflict_free<T, true>, conflict_free<T, false>),
      rung(double_buffered<T, true>, double_buffered<T, false>),
      rung(kept_addresses<T, true>, kept_addresses<T, false>),
      rung(async_copies<T, true>, async_copies<T, false>),
      rung(async_copies<T, true, ByWarps>, async_copies<T, false, ByWarps>),
      rung(fragments_ahead<T, true>, fragments_ahead<T, false>),
  };
  const std::vector<Shape> small = {{129, 136, 12}, {3, 132, 20}, {1, 4, 4},
                                    {65, 130, 17},  {1, 3, 5},    {2, 5, 33}};
  std::vector<Shape> all = {{132, 272, 72}, {129, 256, 36}, {31, 37, 41},
                            {65, 129, 8},   {128, 255, 16}, {8, 8, 0}};
  all.insert(all.end(), small.begin(), small.end());
  const auto check = [](const Launch<T>& launch, const std::vector<Shape>& shapes, const auto& name) {
    for (const Shape& shape : shapes)
      CHECK_MESSAGE(fenced::right<T>(
                        shape, [&](auto a, auto b, auto c) { launch(a, b, c, {}), emulator::synchronize(); }),
                    name, shape.n);
  };
  for (std::size_t which = 0; which < launches.size(); ++which) check(launches[which], small, which);
  for (const auto& engine : engines()) check(engine.launch, all, engine.name);
}

TEST_CASE("16 bytes are copied to 16 bytes, and taken in a row") {
  alignas(16) float from[8] = {}, to[8] = {};
  CHECK_THROWS_WITH(cuda_regtile::cp_async(to + 1, from), "misaligned address");
  CHECK_THROWS_WITH(cuda_regtile::cp_async(to, from + 2), "misaligned address");
  alignas(16) __shared__ SharedTile<float, 2, 8> tile;
  CHECK(&in_tile<float>(tile[1], 4).element[3] == &tile[1][7]);
  CHECK_THROWS_AS(in_tile<float>(tile[1], 5), std::out_of_range);
}

TEST_CASE("equal shares: a block for each multiprocessor, or for each step if there are fewer") {
  for (const auto& [shape, blocks] : {std::pair(Shape{300, 520, 100}, 5),
                                      {Shape{384, 1024, 32}, 5},
                                      {Shape{128, 4096, 16}, 5},
                                      {Shape{1, 4, 20}, 2}}) {
    after(by_stream_k<Large>(), shape, {"forward"});  // the emulator has five multiprocessors
    CHECK((launched.grid.x == blocks && launched.grid.y == 1 && launched.block.x == 512));
  }
}

TEST_CASE("rows are aligned if the first begins at 16 bytes and all others follow at a multiple of them") {
  alignas(16) float memory[64] = {};
  const auto at = [&](Index first, Index ld) { return View<float>(memory + first, 3, 5, ld); };
  for (const auto& [first, ld, aligned] :
       {std::tuple(0, 8, true), {4, 12, true}, {0, 9, false}, {0, 10, false}, {2, 8, false}, {2, 10, false}})
    CHECK(is_aligned(at(first, ld)) == aligned);
  CHECK(is_aligned(View<double>(reinterpret_cast<double*>(memory), 3, 2, 6)));
  const View<float> yes = at(0, 8), no = at(2, 8);
  CHECK(all_aligned<float>(yes, yes, yes));
  CHECK_FALSE((all_aligned<float>(no, yes, yes) || all_aligned<float>(yes, no, yes) ||
               all_aligned<float>(yes, yes, no)));
}

TEST_CASE("multiply-adds in serpentine order: each has an operand in common with the last") {
  static std::vector<std::pair<int, int>> order;
  struct Seen {
    Seen(int value_ = 0) : value(value_) {}
    int operator*(const Seen& other) const { return order.emplace_back(value, other.value), 0; }
    void operator+=(int) {}
    int value;
  };
  Seen sum[TM][TN], a[TM], b[TN];
  for (int r = 0; r < TM; ++r) a[r] = b[r] = r;
  for (int s = 0; s < TN; ++s) multiply_add_there_and_back(s, sum, a, b);
  REQUIRE(order.size() == TM * TN);
  CHECK(order.front() == std::pair(0, 0));
  for (std::size_t at = 1; at < order.size(); ++at)
    CHECK((order[at].first == order[at - 1].first || order[at].second == order[at - 1].second));
}
