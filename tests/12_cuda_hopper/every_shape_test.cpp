// What best does round ping_pong for any shape: the two passes, under the emulator, and the choice.
#include <doctest/doctest.h>

#include <array>

#include "12_cuda_hopper/rungs/every_shape.cuh"
#include "common/fill.hpp"

namespace {
using namespace cuda_hopper;
template <class T>
course::Matrix<T> filled(Index rows, Index cols, Index pad, char matrix) {
  course::Matrix<T> made(rows, cols, pad);
  course::fill_matrix(made.view(), course::Fill::uniform, 7, matrix);
  return made;
}

}  // namespace

TEST_CASE("12: packed rows hold the same elements, whatever their length and wherever they begin") {
  course::emulator::set_order("forward");
  for (const Index pad : {0, 1, 2, 3})
    for (const auto [rows, cols] : {std::array<Index, 2>{1, 1}, {3, 7}, {5, 8}, {4, 9}, {129, 63}}) {
      const auto a = filled<bf16>(rows, cols, pad, 'A'), b = filled<bf16>(cols, rows, 1, 'B');
      course::Matrix<bf16> a_to(rows, ceil_div(cols, 8) * 8, 8), b_to(cols, ceil_div(rows, 8) * 8, 8);
      const Packing none, of_a{a.view(), a_to.view()}, of_b{b.view(), b_to.view()};
      for (const auto& [first, second] : {std::pair{of_a, of_b}, {none, of_b}, {of_a, none}}) {
        course::poison_all(a_to.view()), course::poison_all(b_to.view());
        course::launch(pack, {first.blocks() + second.blocks()}, {packing}, first, second);
        course::emulator::synchronize();
        for (const Packing& one : {first, second})
          for (Index i = 0; i < one.from.rows(); ++i)
            for (Index j = 0; j < one.from.cols(); ++j) CHECK(one.to(i, j).bits == one.from(i, j).bits);
      }
    }
}

TEST_CASE("12: the sums of all parts are added in their order, to C and to nothing beside it") {
  for (const auto [m, n, parts] : {std::array<int, 3>{1, 1, 2}, {3, 85, 17}, {129, 5, 33}}) {
    const auto sums = filled<float>(parts * m, n, 0, 'A'), before = filled<float>(m, n, 0, 'C');
    auto c = filled<float>(m, n, 3, 'C');
    course::launch(add_parts<float>, {ceil_div(m * n, adding)}, {adding}, sums.view().data(), parts,
                   c.view());
    course::emulator::synchronize();
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) {
        float sum = 0;
        for (Index part = 0; part < parts; ++part) sum += sums.view()(part * m + i, j);
        CHECK(c.view()(i, j) == before.view()(i, j) + sum);
      }
    CHECK(c.guards_intact());
  }
}

TEST_CASE("12: every shape has a choice, whose parts are all of k, none empty, and fill one wave at most") {
  const Index sides[] = {1, 64, 65, 129, 1777, 8192, 65536, 4'000'000};
  for (const Index m : sides)
    for (const Index n : sides)
      for (const Index k : sides) {
        const Choice of = choose(m, n, k, 2, 132);
        INFO(m, " x ", n, " x ", k, ": ", of.width, ", ", of.together, ", ", of.parts, " parts");
        const Index steps = ceil_div(k, 64), of_part = ceil_div(steps, std::max<Index>(of.parts, 1));
        CHECK((of.width == 64 || of.width == 128 || of.width == 192));
        CHECK((of.parts == 1 || ceil_div(m, 128) * ceil_div(n, of.width) * of.parts <= 132));
        CHECK((of_part * of.parts >= steps && of_part * (of.parts - 1) < steps));
      }
}

TEST_CASE("12: squares keep their tiles, and a long k with few tiles is split") {
  for (const auto [n, width] : {std::array<Index, 2>{1024, 64}, {2048, 128}, {3072, 192}, {4096, 128}})
    CHECK(choose(n, n, n, 1, 132).width == width);
  for (Index n = 256; n <= 16384; n += 8) CHECK(choose(n, n, n, 1, 132).parts == 1);
  for (const auto [m, together] : {std::array<int, 2>{256, 2}, {257, 1}})  // three rows of tiles: no pairs
    CHECK(choose(m, 256, 65536, 1, 132).together == together);
}
