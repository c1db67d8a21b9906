// What 09 says of its engines, under the emulator: same bits in any order and on every run, k in pieces, a
// choice for every shape.
#include "09_cuda_regtile/best.cuh"

#include <doctest/doctest.h>

#include <chrono>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>

#include "tests/instrumented.hpp"

using namespace course;
using namespace cuda_regtile;
using instrumented::Counted, instrumented::Work;

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

TEST_CASE("every engine is right, at the edges and where rows are not aligned") {
  for (const Shape& shape : {Shape{132, 272, 72}, Shape{129, 256, 36}, Shape{31, 37, 41}, Shape{65, 129, 8},
                             Shape{128, 255, 16}, Shape{8, 8, 0}}) {
    const Problem<float> problem{.shape = shape, .fill = Fill::digits};
    const Inputs<float>& in = problem.whole();
    Matrix<float> expected(shape.m, shape.n);
    copy<float>(in.c.view(), expected.view());
    for (Index i = 0; i < shape.m; ++i)
      for (Index p = 0; p < shape.k; ++p)
        for (Index j = 0; j < shape.n; ++j) expected.view()(i, j) += in.a.view()(i, p) * in.b.view()(p, j);
    for (const auto& engine : engines())
      CHECK_MESSAGE(same_bits(after(engine.launch, shape, {"reversed"}, Fill::digits), expected),
                    engine.name);
  }
}

TEST_CASE("every engine takes k in pieces, and they add up to the product") {
  using Small = Tiling<float, 32, 64, 32, 8>;
  for (const Shape& shape : {Shape{33, 260, 100}, Shape{33, 261, 101}}) {  // four pieces, aligned or not
    const Matrix<float> expected = after(by_tiles<Small>(), shape, {"forward"}, Fill::digits);
    CHECK(same_bits(after(by_tiles<Small, 32>(), shape, {"reversed"}, Fill::digits), expected));
    CHECK(same_bits(after(by_shares<Large, 32>(), shape, {"reversed"}, Fill::digits), expected));
  }
}

TEST_CASE("stream-K's flags are poisoned before its first run, whatever was there") {
  const auto exchange = std::make_shared<Exchange>();
  const Launch<float> launch = by_shares<Large>(exchange);
  after(launch, {1, 4, 20}, {"forward", "reversed"});  // two blocks of five; the second awaits the first
  CHECK(exchange->run == 2);
  for (Index block = 0; block < 5; ++block)
    CHECK(exchange->ready.view()(0, block) == (block == 0 ? 2 : poison<unsigned>()));
}

TEST_CASE("a flag is awaited until it says this run, whether an earlier one is there or none") {
  for (unsigned flag : {1U, poison<unsigned>()}) {
    std::atomic<bool> came = false;
    std::thread waits([&] { wait_acquire(&flag, 2), came = true; });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // whoever does not wait has come by then
    CHECK_FALSE(came);
    store_release(&flag, 2);
    waits.join();
  }
}

TEST_CASE("each shape has an engine, the measured ones their own, others that of the nearest") {
  for (const Choice& choice : choices)
    CHECK(engine_for(Index(choice.m), Index(choice.n), Index(choice.k)).name == choice.engine);
  for (const Index side : {0, 1, 77, 1000, 100000}) CHECK(!engine_for(side, 1, side).name.empty());
  CHECK(engine_for(9000, 9000, 9000).name == "shares_128x256x16");
  after(best, {64, 1024, 4}, {"forward"});  // that of a flat k
  CHECK((launched.kernel == reinterpret_cast<void (*)()>(tiled<Tiling<float, 64, 128, 8>, true>)));
}

// ---- What the kernels do, counted: right at twice the work is wrong here.

/// 16 bytes of counted numbers, counted as one word where they are loaded or stored.
template <>
struct alignas(16) cuda_regtile::Vector<Counted> {
  Vector() = default;
  Vector(const Vector& other) : Vector() { *this = other; }
  Vector(Vector&& other) : Vector() { *this = std::move(other); }
  Vector& operator=(const Vector& other) {
    ++instrumented::words;
    return take(other);
  }
  Vector& operator=(Vector&& other) { return take(other); }  // what a function returns
  Counted element[4];

 private:
  Vector& take(const Vector& other) {
    for (int e = 0; e < 4; ++e) element[e].value = other.element[e].value;
    return *this;
  }
};

namespace instrumented {
std::multiset<const Counted*> near;
std::mutex one_at_a_time;

// Found before those of ptx.cuh, which are for any type.
void cp_async(Counted* to, const Counted* from) {
  ++copies;
  for (int e = 0; e < 4; ++e) to[e].value = from[e].value;
}
void cp_async_or_zero(Counted* to, const Counted* from, bool there) {
  ++single;
  to->value = there ? from->value : 0;
}
void prefetch_l2(const Counted* address) {
  const std::lock_guard lock(one_at_a_time);
  near.insert(address);
}
}  // namespace instrumented

namespace {

constexpr Index W = 4;  // of Counted, as of float

Work by(Kernel<Counted> kernel, Index side, Block block, const Shape& shape) {
  return instrumented::work_of(shape, [&](auto a, auto b, auto c) {
    tile_a_block<Counted>(kernel, side, side, block, a, b, c), emulator::synchronize();
  });
}

/// Of a kernel with blocks of 128 × 128: what each step of a block's k costs, and words where rows are
/// aligned.
struct PerStep {
  Index assigned, words;
};
const PerStep by_elements{BM * BK + BK * BN + cuda_regtile::threads * BK * (TM + TN), 0};
const PerStep by_words{BM * BK + cuda_regtile::threads * BK * (TM + TN),
                       cuda_regtile::threads* BK*(TM + TN) / W};

struct Grids {
  Index across, down, steps;
};
Grids tiles_of(const Shape& shape, Index bm, Index bn, Index bk) {
  return {ceil_div(shape.n, bn), ceil_div(shape.m, bm), ceil_div(shape.k, bk)};
}

template <class S>
Work by_async(const Shape& shape, Kernel<Counted> kernel = tiled<S, true>,
              instrumented::Fence fence = instrumented::Fence::behind) {
  return instrumented::work_of(
      shape,
      [&](auto a, auto b, auto c) {
        tile_a_block<Counted>(kernel, S::BM, S::BN, Block{S::threads, 1}, a, b, c);
        emulator::synchronize();
      },
      fence);
}

/// What a kernel with cp.async must do, each step by words; so many q ahead of its steps it takes operands.
template <class S>
Work expected_of(const Shape& shape, Index ahead = 1) {
  const auto [across, down, steps] = tiles_of(shape, S::BM, S::BN, S::BK);
  const Index tiles = across * down, inside = shape.m * shape.n;
  const Index columns = tiles * S::threads * (steps * S::BK / S::slices + ahead);  // and rows, that are taken
  Work work{.multiplied = tiles * steps * S::BM * S::BN * S::BK,
            .assigned = columns * (TM + TN) + tiles * steps * S::BM * S::BK,
            .words = columns * (TM + TN) / W + tiles * steps * S::BM * S::BK / W,
            .copies = tiles * steps * S::BK * S::BN / W};
  if (S::slices == 1)
    work.assigned += tiles * S::BM * S::BN + inside;  // C is loaded, or a zero, and stored
  else {
    work.assigned += 2 * tiles * S::BM * S::BN * (S::slices - 1);  // written for another slice, and read
    work.words += 2 * inside / W;
  }
  return work;
}

}  // namespace

TEST_CASE("a kernel makes each multiply-add once, stores each tile once, and reads nothing beyond a matrix") {
  emulator::set_order("reversed");
  for (const Shape& shape : {Shape{128, 128, 8}, Shape{100, 60, 24}, Shape{129, 133, 9}, Shape{3, 1, 1}}) {
    CAPTURE(shape.m);
    {
      const auto [across, down, steps] = tiles_of(shape, 32, 32, 32);
      const Work expected{.multiplied = across * down * steps * 32 * 32 * 32,
                          .assigned = across * down * steps * 2 * 32 * 32};
      CHECK(by(column<Counted, 4>, 32, Block{32, 8}, shape) == expected);
      CHECK(by(column<Counted, 32>, 32, Block{32, 1}, shape) == expected);
    }
    const auto [across, down, steps] = tiles_of(shape, BM, BN, BK);
    const Index tiles = across * down, madds = tiles * steps * BM * BN * BK;
    const Work expected{.multiplied = madds, .assigned = tiles * steps * by_elements.assigned};
    CHECK(by(square<Counted>, BM, Block{cuda_regtile::threads, 1}, shape) == expected);
    CHECK(by(transposed<Counted>, BM, Block{cuda_regtile::threads, 1}, shape) == expected);
  }
}

TEST_CASE("where rows are aligned all goes by words of 16 bytes, at the edges, too") {
  emulator::set_order("reversed");
  const Block block{cuda_regtile::threads, 1};
  for (const Shape& shape : {Shape{128, 128, 8}, Shape{100, 60, 24}, Shape{129, 136, 12}, Shape{1, 4, 4}}) {
    const auto [across, down, steps] = tiles_of(shape, BM, BN, BK);
    const Index tiles = across * down, madds = tiles * steps * BM * BN * BK;
    const Index loaded = shape.m * shape.k * across + shape.k * shape.n * down;
    const Index zeros = tiles * steps * (BM * BK + BK * BN) - loaded;  // beyond the matrices, one by one
    const Work expected{.multiplied = madds,
                        .assigned = tiles * steps * by_words.assigned + zeros,
                        .words = tiles * steps * by_words.words + loaded / W + 2 * shape.m * shape.n / W};
    CHECK(by(vectorised<Counted, true>, BM, block, shape) == expected);
    CHECK(by(conflict_free<Counted, true>, BM, block, shape) == expected);
    Work buffered = expected;  // fetched and put once more, beyond k, and B's tile from registers
    buffered.assigned += tiles * (BM * BK + BM * BK + BK * BN);
    buffered.words += tiles * (steps + 1) * BK * BN / W;
    CHECK(by(double_buffered<Counted, true>, BM, block, shape) == buffered);
    const Work guarded{.multiplied = madds,
                       .assigned = tiles * steps * (by_words.assigned + BM * BK + BK * BN),
                       .words = tiles * steps * by_words.words};
    CHECK(by(vectorised<Counted, false>, BM, block, shape) == guarded);
    CHECK(by(conflict_free<Counted, false>, BM, block, shape) == guarded);
  }
}

TEST_CASE("with cp.async, too, and no step is begun that nobody needs") {
  emulator::set_order("reversed");
  const auto check = []<class S>(S, Kernel<Counted> kernel, Index ahead) {
    for (const Shape& shape : {Shape{S::BM, S::BN, 2 * S::BK}, Shape{S::BM + 1, 60, 3 * S::BK},
                               Shape{3, S::BN + 4, 2 * S::BK}, Shape{1, 4, 2 * S::BK}}) {
      Work expected = expected_of<S>(shape, ahead);
      if (kernel == kept_addresses<Counted, true>)  // B's go through registers
        expected.words += 2 * std::exchange(expected.copies, 0);
      CHECK(by_async<S>(shape, kernel) == expected);
    }
    if (kernel == kept_addresses<Counted, true>) return;
    const Work last = by_async<S>({S::BM, S::BN, S::BK + 4}, kernel);  // not whole: one by one
    CHECK(last.copies == S::BK * S::BN / W);
    CHECK(last.single == S::BK * S::BN);
  };
  using S = Rung<Counted>;
  check(S(), kept_addresses<Counted, true>, 0), check(S(), async_copies<Counted, true>, 0);
  check(S(), warp_tiles<Counted, true>, 0), check(S(), fragments_ahead<Counted, true>, 1);
  const auto check_tiled = [&]<class S>(S) { check(S(), tiled<S, true>, 1); };
  check_tiled(S()), check_tiled(Tiling<Counted, 128, 256, 16>());
  check_tiled(Tiling<Counted, 64, 128, 16, 2>()), check_tiled(Tiling<Counted, 32, 64, 32, 8>());
}

TEST_CASE("where rows are not aligned cp.async copies element by element, and none beyond a matrix") {
  emulator::set_order("reversed");
  using S = Tiling<Counted, 64, 128, 16, 2>;
  for (const auto fence : {instrumented::Fence::behind, instrumented::Fence::before})
    for (const Shape& shape : {Shape{1, 3, 5}, Shape{1, 1, 16}, Shape{65, 130, 17}, Shape{2, 5, 33}}) {
      const auto [across, down, steps] = tiles_of(shape, S::BM, S::BN, S::BK);
      const Work work = by_async<S>(shape, tiled<S, false>, fence);
      CHECK(work.multiplied == across * down * steps * S::BM * S::BN * S::BK);
      CHECK(work.single == across * down * steps * S::BK * S::BN);
      CHECK(work.copies == 0);
    }
}

TEST_CASE("copies to shared memory: 16 bytes at 16 bytes, or an element, or a zero") {
  alignas(16) float from[8] = {1, 2, 3, 4, 5, 6, 7, 8}, to[8] = {};
  const auto ended = [] { cuda_regtile::cp_async_commit(), cuda_regtile::cp_async_wait(); };
  cuda_regtile::cp_async(to + 4, from), ended();
  CHECK(std::vector(to, to + 8) == std::vector<float>{0, 0, 0, 0, 1, 2, 3, 4});
  cuda_regtile::cp_async_or_zero(to + 1, from + 5, true), cuda_regtile::cp_async_or_zero(to + 4, from, false);
  ended();
  CHECK(std::vector(to, to + 8) == std::vector<float>{0, 6, 0, 0, 0, 2, 3, 4});
  CHECK_THROWS_WITH(cuda_regtile::cp_async(to + 1, from), "misaligned address");
  CHECK_THROWS_WITH(cuda_regtile::cp_async(to, from + 2), "misaligned address");
  alignas(16) __shared__ SharedTile<float, 2, 8> tile;
  CHECK(&in_tile<float>(tile[1], 4).element[3] == &tile[1][7]);
  CHECK_THROWS_AS(in_tile<float>(tile[1], 5), std::out_of_range);
}

TEST_CASE("a copy is there when its thread waited for it, if it was committed, and not before") {
  const float from[] = {1, 2, 3};
  float to[3] = {};
  const auto holds = [&](float first, float second, float third) {
    return to[0] == first && to[1] == second && to[2] == third;
  };
  threadIdx = {1, 0};
  cuda_regtile::cp_async_or_zero(to + 2, from + 2, true), cuda_regtile::cp_async_commit();
  threadIdx = {};
  cuda_regtile::cp_async_or_zero(to, from, true), cuda_regtile::cp_async_commit();
  cuda_regtile::cp_async_or_zero(to + 1, from + 1, true);
  CHECK(holds(0, 0, 0));
  cuda_regtile::cp_async_wait();
  CHECK(holds(1, 0, 0));
  cuda_regtile::cp_async_commit(), cuda_regtile::cp_async_wait();
  CHECK(holds(1, 2, 0));
  threadIdx.x = 1, cuda_regtile::cp_async_wait(), threadIdx.x = 0;
  CHECK(holds(1, 2, 3));
}

TEST_CASE("each line of C's tile is brought near once, before it is needed, and none beyond C") {
  using Thin = Tiling<Counted, 64, 128, 8>;
  emulator::set_order("forward");
  for (const Shape& shape : {Shape{64, 128, 8}, Shape{65, 160, 8}, Shape{3, 140, 8}}) {
    instrumented::near.clear();
    std::multiset<const Counted*> lines;
    instrumented::work_of(shape, [&](auto a, auto b, View<Counted> c) {
      for (Index i = 0; i < shape.m; ++i)
        for (Index j = 0; j < shape.n; j += 32) lines.insert(&c(i, j));
      tile_a_block<Counted>(thin<Thin, true>, 64, 128, Block{Thin::threads, 1}, a, b, c);
      emulator::synchronize();
    });
    CHECK(instrumented::near == lines);
  }
  instrumented::near.clear();
  by_async<Tiling<Counted, 64, 128, 8>>({64, 128, 8});
  CHECK(instrumented::near.empty());
}

TEST_CASE("equal shares: a block for each multiprocessor, or for each step if there are fewer") {
  for (const auto& [shape, blocks] : {std::pair(Shape{300, 520, 100}, 5),
                                      {Shape{384, 1024, 32}, 5},
                                      {Shape{128, 4096, 16}, 5},
                                      {Shape{1, 4, 20}, 2}}) {
    after(by_shares<Large>(), shape, {"forward"});  // the emulator has five multiprocessors
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

TEST_CASE("multiply-adds in a snake: each has an operand in common with the last") {
  static std::vector<std::pair<int, int>> order;
  struct Seen {
    Seen(int value_ = 0) : value(value_) {}
    int operator*(const Seen& other) const { return order.emplace_back(value, other.value), 0; }
    void operator+=(int) {}
    int value;
  };
  Seen sum[TM][TN], a[TM], b[TN];
  for (int r = 0; r < TM; ++r) a[r] = b[r] = r;
  for (int s = 0; s < TN; ++s) multiply_add_column(s, sum, a, b);
  REQUIRE(order.size() == TM * TN);
  CHECK(order.front() == std::pair(0, 0));
  for (std::size_t at = 1; at < order.size(); ++at)
    CHECK((order[at].first == order[at - 1].first || order[at].second == order[at - 1].second));
}
