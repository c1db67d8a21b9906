// Functions as variants: what follows from the makers of their arguments, and the memory that they are given.
#include "common/cpu.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <tuple>
#include <utility>

using namespace course;

namespace {

struct Seen {
  int threads = 0;
  Index tile = 0, rows = 0, cols = 0;
  bool poisoned = true;
  const float* a = nullptr;
} seen;

void plain(View<const float> a, View<const float>, View<float>) {
  seen.a = a.data();
}
void beside_its_inputs(View<const float> a, View<const float>, View<float>) {
  const_cast<float*>(a.data())[-1] = 0;
}
void with_all(View<const float>, View<const float>, View<float>, int threads, View<float> workspace,
              Index tile) {
  seen = {threads, tile, workspace.rows(), workspace.cols()};
  for (Index i = 0; i < workspace.rows(); ++i)
    for (Index j = 0; j < workspace.cols(); ++j)
      seen.poisoned &= std::isnan(std::exchange(workspace(i, j), 0.f));
  if (tile == 99) workspace.data()[-1] = 0;
}
void of_rows(const Rows<float>&, const Rows<float>&, Rows<float>& c) {
  for (auto& row : c)
    for (float& element : row) element = 7;
}

using Made = std::shared_ptr<Variant<float>>;
const Problem<float> problem{{3, 4, 5}};

Made all() {
  return cpu<float>("all", "", with_all, {}, threads, transposed_b, tile);
}

void run(const Made& variant, const Settings& settings) {
  variant->allocate(problem, settings, World());
  variant->reset();
  variant->run();
}

}  // namespace

TEST_CASE("what a variant is swept over follows from the makers of its arguments and its marks") {
  const Traits marked = on<float>("avx2", "avx2,fma", broken(baseline(cpu<float>("", "", plain))))->traits;
  CHECK((marked.vector == "avx2" && marked.needs == "avx2,fma" && marked.broken && marked.baseline));
  CHECK_FALSE((marked.threads || marked.tiles || marked.blocks || marked.touched_by_one));
  const Made swept = with_blocks(all());
  CHECK((swept->traits.threads && swept->traits.tiles && swept->traits.blocks));
}

TEST_CASE("a function gets the row's settings and a poisoned, guarded workspace") {
  const Made variant = all();
  run(variant, {.threads = 2, .tile = 9, .grid = {}, .block = {}});
  CHECK(seen.threads == 2);
  CHECK(seen.tile == 9);
  CHECK(seen.rows == 4);  // B is 5 x 4
  CHECK(seen.cols == 5);
  CHECK(seen.poisoned);
  CHECK(variant->guards_intact());
  seen.poisoned = true;
  variant->reset(), variant->run();  // with_all has written there; nothing of it is left
  CHECK(seen.poisoned);
  run(variant, {.threads = 2, .tile = 99, .grid = {}, .block = {}});
  CHECK_FALSE(variant->guards_intact());
}

TEST_CASE("rows of rows come back, and release gives all memory back") {
  const Made variant = cpu<float>("rows", "", of_rows);
  run(variant, {});
  Piece<float> piece;
  variant->fetch(piece);
  CHECK(piece.c(0, 0) == 7);
  CHECK(piece.c(2, 3) == 7);
  CHECK(variant->guards_intact());
  variant->release();
  variant->fetch(piece);
  CHECK(piece.c.data() == nullptr);
  const Made with_workspace = all();
  run(with_workspace, {});
  with_workspace->release();
  with_workspace->run();
  CHECK(seen.rows == 0);
}

TEST_CASE("who has inputs of its own is wrong if it writes beside them, until they are given back") {
  const Made variant = touched_by_one(cpu<float>("", "", beside_its_inputs));
  run(variant, {});
  CHECK_FALSE(variant->guards_intact());
  variant->release();
  CHECK(variant->guards_intact());
}

TEST_CASE("inputs that one thread touches first are others than the problem's") {
  const Made shared = cpu<float>("", "", plain), own = touched_by_one(cpu<float>("", "", plain));
  run(shared, {});
  CHECK(seen.a == problem.whole().a.view().data());
  run(own, {});
  CHECK(seen.a != problem.whole().a.view().data());
}

TEST_CASE("a problem's matrices have its shape, its padding and its elements, and are made by allocate") {
  Problem<float> padded{{3, 4, 5}, Fill::uniform, 1, 2, 3};
  cpu<float>("", "", plain)->allocate(padded, {}, World());
  REQUIRE(padded.made);
  const Inputs<float>& made = padded.whole();
  for (const auto& [matrix, name, rows, cols] :
       {std::tuple(&made.a, 'A', 3, 5), {&made.b, 'B', 5, 4}, {&made.c, 'C', 3, 4}}) {
    const View<const float> view = matrix->view();
    CHECK((view.rows() == rows && view.cols() == cols && view.ld() == cols + 2));
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j) CHECK(view(i, j) == element<float>(Fill::uniform, 1, name, i, j));
    float& outside = const_cast<float*>(view.data())[-1];  // all guards count
    const float before = std::exchange(outside, 0.f);
    CHECK_FALSE(padded.guards_intact());
    outside = before;
    CHECK(padded.guards_intact());
  }
  CHECK(padded.shape.flops() == 2 * 3 * 4 * 5);
}

TEST_CASE("phases of one run add up, the sides of a grid are written with an x") {
  Times times{.alloc = 1.0, .product = 2.0};
  times += {.product = 3.0, .collect = 4.0};
  const Times expected{.alloc = 1.0, .product = 5.0, .collect = 4.0};
  for (const auto part : Times::fields()) CHECK(times.*part == expected.*part);
  CHECK(Sides{2, 31}.text() == "2x31");
  CHECK(Sides{}.text() == "");
}
