// Functions as variants: what follows from the makers of their arguments, and the memory that they are given.
#include "common/variant.hpp"

#include <doctest/doctest.h>

#include <cmath>

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
void with_threads(View<const float>, View<const float>, View<float>, int) {}
void with_all(View<const float>, View<const float>, View<float>, int threads, View<float> workspace,
              Index tile) {
  seen = {threads, tile, workspace.rows(), workspace.cols()};
  for (Index i = 0; i < workspace.rows(); ++i)
    for (Index j = 0; j < workspace.cols(); ++j) seen.poisoned &= std::isnan(workspace(i, j));
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

TEST_CASE("what a variant is swept over follows from the makers of its arguments") {
  const auto swept = [](const Made& variant) {
    return std::pair(variant->traits.threads, variant->traits.tiles);
  };
  CHECK(swept(cpu<float>("", "", plain)) == std::pair(false, false));
  CHECK(swept(cpu<float>("", "", with_threads, {}, threads)) == std::pair(true, false));
  CHECK(swept(all()) == std::pair(true, true));
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
}

TEST_CASE("inputs that one thread touches first are others than the problem's, and all copies are counted") {
  const Made shared = cpu<float>("", "", plain), own = touched_by_one(cpu<float>("", "", plain));
  run(shared, {});
  CHECK(seen.a == problem.whole().a.view().data());
  run(own, {});
  CHECK(seen.a != problem.whole().a.view().data());
  const double inputs = problem.whole_bytes();
  CHECK(shared->bytes(problem, {}) == inputs + 3 * 4 * sizeof(float));
  CHECK(own->bytes(problem, {}) == 2 * inputs + 3 * 4 * sizeof(float));
  const Problem<float> large{{300, 400, 500}};
  CHECK(cpu<float>("", "", of_rows)->bytes(large, {}) > 2 * large.whole_bytes());
}
