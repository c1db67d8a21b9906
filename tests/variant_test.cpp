// Functions as variants: what they are called with, and the memory that they are given.
#include "runner/cpu.hpp"

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
} seen;

void beside_its_inputs(View<const float> a, View<const float>, View<float>) {
  const_cast<float*>(a.data())[-1] = 0;
}
using Vectors = std::vector<std::vector<float>>;
void of_vectors(const Vectors&, const Vectors&, Vectors& c) {
  for (auto& row : c)
    for (float& element : row) element = 7;
}

using Made = std::shared_ptr<Variant<float>>;
const Problem<float> problem{{3, 4, 5}};

/// Sees what it is called with, and writes all of its workspace; with a tile of 99 beside it.
Made with_all() {
  return cpu<float>("all", "",
                    [](const KernelArgs<float>& x) {
                      seen = {x.threads, x.tile, x.bt.rows(), x.bt.cols()};
                      for (Index i = 0; i < x.bt.rows(); ++i)
                        for (Index j = 0; j < x.bt.cols(); ++j)
                          seen.poisoned &= std::isnan(std::exchange(x.bt(i, j), 0.f));
                      if (x.tile == 99) x.bt.data()[-1] = 0;
                    },
                    {}, {.transposed_b = true});
}

void run(const Made& variant, const Settings& settings) {
  variant->allocate(problem, settings);
  variant->reset();
  variant->run();
}

}  // namespace

TEST_CASE("a function gets the row's settings and a poisoned, guarded workspace") {
  const Made variant = with_all();
  run(variant, {.threads = 2, .tile = 9, .grid = {}, .block = {}});
  CHECK((seen.threads == 2 && seen.tile == 9));
  CHECK((seen.rows == 4 && seen.cols == 5));  // B is 5 x 4
  CHECK(seen.poisoned);
  CHECK(variant->guards_intact());
  seen.poisoned = true;
  variant->reset(), variant->run();  // it has written there; nothing of it is left
  CHECK(seen.poisoned);
  run(variant, {.threads = 2, .tile = 99, .grid = {}, .block = {}});
  CHECK_FALSE(variant->guards_intact());
}

TEST_CASE("vectors of vectors come back, and release gives all memory back") {
  const Made variant = cpu_on_vectors<float>("vectors", "", of_vectors);
  run(variant, {});
  CHECK((variant->result()(0, 0) == 7 && variant->result()(2, 3) == 7));
  CHECK(variant->guards_intact());
  const Made with_workspace = with_all();
  run(with_workspace, {});
  with_workspace->release();
  CHECK(with_workspace->result().data() == nullptr);
  with_workspace->run();
  CHECK(seen.rows == 0);
}

TEST_CASE("who writes beside its inputs is wrong, until they are given back") {
  const Made variant = cpu<float>("", "", beside_its_inputs);
  run(variant, {});
  CHECK_FALSE(variant->guards_intact());
  variant->release();
  CHECK(variant->guards_intact());
}

TEST_CASE("a problem's matrices have its shape, its padding and its elements") {
  const Problem<float> padded{{3, 4, 5}, Fill::uniform, 1, 2};
  const Inputs<float>& made = padded.whole(3);
  for (const auto& [matrix, name, rows, cols] :
       {std::tuple(&made.a, 'A', 3, 5), {&made.b, 'B', 5, 4}, {&made.c, 'C', 3, 4}}) {
    const View<const float> view = matrix->view();
    CHECK((view.rows() == rows && view.cols() == cols && view.ld() == cols + 2));
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j) CHECK(view(i, j) == element<float>(Fill::uniform, 1, name, i, j));
    float& outside = const_cast<float*>(view.data())[-1];  // all guards count
    const float before = std::exchange(outside, 0.f);
    CHECK_FALSE(made.guards_intact());
    outside = before;
    CHECK(made.guards_intact());
  }
  Problem<float> other = padded;  // a value: a copy with another shape has other matrices
  other.shape = {2, 2, 2};
  CHECK(other.whole().a.view().cols() == 2);
  CHECK(padded.shape.flops() == 2 * 3 * 4 * 5);
}

TEST_CASE("phases of one run add up, the sides of a grid are written with an x") {
  Times times{.alloc = 1.0, .product = 2.0};
  times += {.product = 3.0, .collect = 4.0};
  const Times expected{.alloc = 1.0, .product = 5.0, .collect = 4.0};
  for (const auto part : Times::fields()) CHECK(times.*part == expected.*part);
  CHECK(Dim2{2, 31}.text() == "2x31");
  CHECK(Dim2{}.text() == "");
}
