// The exercises on CUDA, under the emulator: solutions are right, bugs are what the lesson says.
#include <doctest/doctest.h>

#include "07_cuda_global/exercises.cuh"
#include "08_cuda_shared/exercises.cuh"
#include "09_cuda_regtile/exercises.cuh"
#include "11_cuda_tensor/exercises.cuh"
#include "gpu/emulator/exercises.cuh"
#include "tests/check.hpp"

using namespace course;
using exercises::row;

namespace {

const std::vector<std::string> orders = {"forward", "reversed", "987654"};

/// How many elements are wrong when what `start` started has run.
template <class T, class Start>
Index wrong(const Shape& shape, Start start) {
  const auto kernel = [&](auto a, auto b, auto c) { start(a, b, c), emulator::synchronize(); };
  return check::wrong<T>(shape, kernel, 0);
}

/// How many are wrong in all of the emulator's orders and these shapes.
template <class T, class Start>
Index wrong_anywhere(const std::vector<Shape>& shapes, Start start) {
  Index all = 0;
  for (const std::string& order : orders)
    for (const Shape& shape : shapes) emulator::set_order(order), all += wrong<T>(shape, start);
  return all;
}

}  // namespace

TEST_CASE("emulator: rows that are shifted, mirrored and added up by blocks") {
  const std::string shifted = "2 3 4 5 6 7 8 0";
  emulator::set_order("forward");
  CHECK(row(exercises::shift, 8, 8) == "nan nan nan nan nan nan nan 0");
  emulator::set_order("reversed");
  CHECK(row(exercises::shift, 8, 8) == shifted);  // by luck
  for (const std::string& order : orders) {
    emulator::set_order(order);
    CHECK(row(exercises::shift_solved, 8, 8) == shifted);
    CHECK(row(exercises::mirror, 8, 16) == "8 7 6 5 4 3 2 1 16 15 14 13 12 11 10 9");
    CHECK(row(exercises::mirror, 8, 12) ==  // as README.md prints it, line number and all
          "block (1, 0): thread (0, 0) waits at the barrier of exercises.cuh:40, thread (4, 0) has ended");
    CHECK(row(exercises::mirror_solved, 8, 12) == "8 7 6 5 4 3 2 1 0 0 0 0");
    CHECK(row(exercises::block_sum, 64, 130).starts_with("2080 6176 259 0 0 "));  // 1 + … + 64, … + 128, 130
  }
}

TEST_CASE("07: a grid of any size covers C") {
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{33, 65, 17}, Shape{70, 20, 5}, Shape{5, 7, 0}})
    CHECK(wrong<float>(shape, [](auto a, auto b, auto c) {
            launch(cuda_global::exercises::grid_stride<float>, Grid{2, 3}, Block{8, 4}, a, b, c);
          }) == 0);
}

TEST_CASE("07: the kernel and the launch that disagree about x are right for squares") {
  const auto start = cuda_global::exercises::right_for_squares<float>;
  CHECK(wrong<float>({24, 24, 9}, start) == 0);
  CHECK(wrong<float>({40, 20, 9}, start) == 16 * 20);  // rows from 24 on: a grid as high as C is wide
  CHECK(wrong<float>({20, 40, 9}, start) == 20 * 16);
}

TEST_CASE("08: the tile of B turned round, with padding and without") {
  using cuda_shared::exercises::turned;
  for (const auto kernel : {turned<float, 8, 0>, turned<float, 8, 1>})
    CHECK(wrong_anywhere<float>({{1, 1, 1}, {33, 17, 25}, {16, 16, 16}}, [=](auto a, auto b, auto c) {
            cuda_shared::tile_a_block<float>(kernel, 8, a, b, c);
          }) == 0);
}

TEST_CASE("08: barriers inside the guard") {
  const auto start = [](auto a, auto b, auto c) {
    cuda_shared::tile_a_block<float>(cuda_shared::exercises::guarded<float, 8>, 8, a, b, c);
  };
  emulator::set_order("forward");
  CHECK(wrong<float>({16, 16, 20}, start) == 0);
  CHECK_THROWS_WITH(  // as README.md prints it
      wrong<float>({12, 16, 20}, start),
      "block (0, 1): thread (0, 0) waits at the barrier of exercises.cuh:44, thread (0, 4) has ended");
}

TEST_CASE("08: two elements a thread") {
  CHECK(wrong_anywhere<double>(
            {{1, 1, 1}, {33, 17, 25}, {16, 16, 16}, {13, 40, 0}}, [](auto a, auto b, auto c) {
              const Grid grid{ceil_div(c.cols(), 8), ceil_div(c.rows(), 8)};
              launch(cuda_shared::exercises::two_rows<double, 8>, grid, Block{8, 4}, a, b, c);
            }) == 0);
}

TEST_CASE("09: several elements of a row a thread") {
  CHECK(
      wrong_anywhere<float>({{1, 1, 1}, {33, 17, 25}, {32, 64, 40}, {13, 40, 0}}, [](auto a, auto b, auto c) {
        const auto kernel = cuda_regtile::exercises::row<float, 4>;
        cuda_regtile::tile_a_block<float>(kernel, 32, 32, Block{8, 32}, a, b, c);
      }) == 0);
}

TEST_CASE("09: two pairs of tiles, the barrier too early and where it should be") {
  using cuda_regtile::exercises::two_pairs;
  const auto start = [](auto kernel) {
    return [=](View<const float> a, View<const float> b, View<float> c) {
      cuda_regtile::tile_a_block<float>(kernel, 8, 8, Block{8, 8}, a, b, c);
    };
  };
  const auto early = start(two_pairs<float, false>);
  CHECK(wrong_anywhere<float>({{1, 1, 1}, {16, 16, 8}, {16, 16, 24}, {13, 20, 9}},
                              start(two_pairs<float, true>)) == 0);
  CHECK(wrong_anywhere<float>({{16, 16, 8}}, early) == 0);  // one round: no second pair is read
  CHECK(wrong<float>({16, 16, 24}, early) > 0);
}

TEST_CASE("11: stages without its empty groups, whose last tiles nobody waits for") {
  const auto start = [](auto kernel) {
    return [=](View<const bf16> a, View<const bf16> b, View<float> c) {
      cuda_tensor::tile_a_block<bf16>(kernel, cuda_tensor::BM, cuda_tensor::BN, cuda_tensor::threads, a, b,
                                      c);
    };
  };
  emulator::set_order("forward");
  for (const Shape& shape : {Shape{16, 8, 8}, Shape{130, 136, 64}, Shape{5, 24, 104}}) {
    CHECK(wrong<bf16>(shape, start(cuda_tensor::exercises::groups)) == shape.m * shape.n);
    CHECK(wrong<bf16>(shape, start(cuda_tensor::stages<true>)) == 0);
  }
}

TEST_CASE("11: ldmatrix from padded tiles") {
  CHECK(wrong_anywhere<bf16>({{1, 1, 1}, {130, 133, 35}, {128, 128, 32}, {13, 40, 0}},
                             [](auto a, auto b, auto c) {
                               const auto kernel = cuda_tensor::exercises::padded;
                               cuda_tensor::tile_a_block<bf16>(kernel, cuda_tensor::BM, cuda_tensor::BN,
                                                               cuda_tensor::threads, a, b, c);
                             }) == 0);
}
