// 09 under the emulator: same bits in any order and run, k in panels and parts, a choice for every shape.
#include "09_cuda_regtile/best.cuh"

#include <doctest/doctest.h>

#include <cstring>

#include "09_cuda_regtile/gemm.cuh"
#include "tests/check.hpp"

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

/// A candidate with k in so many parts, of copies if it needs them or shall have them.
Launch<float> in_parts(const Candidate& of, int parts, bool copies = false) {
  return [&of, parts, copies](auto a, auto b, auto c, const Settings&) {
    const auto product = [&](auto a, auto b) { of.product(a, b, c, parts); };
    of.cuts && !copies ? product(a, b) : packed(a, b, product);
  };
}
const Launch<float> by_few = [](auto a, auto b, auto c, const Settings&) { by_vectors(a, b, c); };

TEST_CASE("every kernel has the same bits in any order, and when it runs again") {
  const auto check = [](const Launch<float>& launch, const Shape& shape, const std::string& name) {
    CHECK_MESSAGE(same_bits(after(launch, shape, {"forward", "forward", "forward"}),
                            after(launch, shape, {"reversed", "987654", "forward"})),
                  name);
  };
  for (const Candidate& of : candidates())  // 9 tiles of 128 × 256, which stream-K cuts
    check(in_parts(of, 3), of.cuts ? Shape{70, 140, 100} : Shape{300, 520, 100}, of.name);
  for (const Shape& shape : {Shape{3, 300, 700}, {300, 3, 1100}, {40, 70, 9}}) check(by_few, shape, "few");
}

TEST_CASE("every tiling takes k in panels, and they add up to the product") {
  using Small = Tiling<float, 32, 64, 32, 8>;
  for (const Shape& shape : {Shape{33, 260, 100}, Shape{33, 261, 101}}) {  // four panels, aligned or not
    const Matrix<float> expected = after(by_tiles<Small>(), shape, {"forward"}, Fill::digits);
    CHECK(same_bits(after(by_tiles<Small, 32>(), shape, {"reversed"}, Fill::digits), expected));
    CHECK(same_bits(after(by_stream_k<Large, 32>(), shape, {"reversed"}, Fill::digits), expected));
  }
}

TEST_CASE("each shape has a choice: of aligned rows alone, or copies; k is cut where C has few tiles") {
  for (const Shape& shape :
       {Shape{5, 5, 17}, {2, 3, 100000}, {77, 5, 100000}, {1000, 77, 20}, {9000, 9001, 9002}})
    for (const bool copies : {false, true}) {
      const Choice choice = choice_for(shape.m, shape.n, shape.k, copies, false);
      REQUIRE(choice.kernel != nullptr);
      CHECK(choice.parts >= 1);
      if (copies)
        CHECK((choice.copies || choice.kernel->cuts));
      else
        CHECK_FALSE(choice.copies);
    }
  CHECK(choice_for(9000, 9000, 9000, false, false).kernel->name == "stream_k_128x256x16");
  CHECK(choice_for(64, 64, 65536, false, false).parts > 1);
  CHECK(choice_for(5000, 5000, 40, false, false).parts == 1);
  for (const Candidate& of : candidates()) CHECK_MESSAGE(of.aligned.step > 0, of.name);  // costs.inc has it
}

TEST_CASE("every kernel is right and stays within its matrices, at edges and where rows are not aligned") {
  emulator::set_order("reversed");
  using T = float;
  const auto columns = [](Kernel<T> kernel, Block block) -> Launch<T> {
    return [=](auto a, auto b, auto c, const Settings&) { tile_a_block<T>(kernel, 32, 32, block, a, b, c); };
  };
  const auto launch = [](Kernel<T> fast, Kernel<T> guarded) {
    return by_tiles<DefaultTiling<T>>(fast, guarded);
  };
  std::vector<Launch<T>> launches = {
      columns(column<T, 4>, {32, 8}),
      columns(column<T, 32>, {32, 1}),
      launch(square<T>, square<T>),
      launch(transposed<T>, transposed<T>),
      launch(vectorised<T, true>, vectorised<T, false>),
      launch(conflict_free<T, true>, conflict_free<T, false>),
      launch(double_buffered<T, true>, double_buffered<T, false>),
      launch(kept_addresses<T, true>, kept_addresses<T, false>),
      launch(async_copies<T, true>, async_copies<T, false>),
      launch(async_copies<T, true, ByWarps>, async_copies<T, false, ByWarps>),
      launch(fragments_ahead<T, true>, fragments_ahead<T, false>),
      launch(thin<DefaultTiling<T>>, tiled<DefaultTiling<T>, false>),
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
  for (const Candidate& of : candidates())
    for (const int parts : {1, 3})
      for (const bool copies : {false, true})
        check(in_parts(of, parts, copies), copies ? small : all, of.name);
  check(by_few, {{1, 300, 70}, {3, 257, 300}, {4, 260, 33}, {300, 1, 70}, {70, 3, 1100}}, "few");
  check(by_few, {{37, 4, 1024}, {65, 70, 16}, {21, 1032, 7}, {18, 5, 8}, {5, 33, 1}, {4, 300, 0}}, "few");
  const auto chosen = [](auto a, auto b, auto c, const Settings&) { best(a, b, c); };
  check(chosen, {{0, 5, 30}, {5, 0, 30}, {5, 6, 0}, {2, 3, 16400}, {6, 70, 130}, {130, 6, 70}, {70, 66, 300}},
        "best");
}

TEST_CASE("rows are aligned if the first begins at 16 bytes and all others follow at a multiple of them") {
  alignas(16) float memory[64] = {};
  const auto at = [&](Index first, Index ld) { return View<float>(memory + first, 3, 5, ld); };
  for (const auto& [first, ld, aligned] :
       {std::tuple(0, 8, true), {4, 12, true}, {0, 9, false}, {0, 10, false}, {2, 8, false}, {2, 10, false}})
    CHECK(is_aligned(at(first, ld)) == aligned);
  const View<float> yes = at(0, 8), no = at(2, 8);
  CHECK(all_aligned<float>(yes, yes, yes));
  CHECK_FALSE((all_aligned<float>(no, yes, yes) || all_aligned<float>(yes, no, yes) ||
               all_aligned<float>(yes, yes, no)));
}
