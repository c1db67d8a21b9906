// What 09 says of its engines, under the emulator: same bits in any order and on every run, k in pieces, a
// choice for every shape.
#include "09_cuda_regtile/best.cuh"

#include <doctest/doctest.h>

#include <cstring>

#include "common/problem.hpp"

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

TEST_CASE("the registers suffice for as many blocks as a multiprocessor shall take, and no more") {
  constexpr int elements = TM * TN + TM + TN;  // sums, a_q and b_q
  const auto words = [](int size) { return elements * size / 4 * cuda_regtile::threads; };
  CHECK(at_once<float> * words(4) <= 65536);
  CHECK(at_once<double> * words(8) <= 65536);
  const int addresses = 16 * cuda_regtile::threads;  // what a thread needs besides, at the least
  CHECK((at_once<float> + 1) * (words(4) + addresses) > 65536);
  CHECK((at_once<double> + 1) * (words(8) + addresses) > 65536);
}

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
                             Shape{128, 255, 16}}) {
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

TEST_CASE("without k nothing is started, and C stays") {
  const Shape empty{8, 8, 0};
  CHECK(
      same_bits(after(best, empty, {"forward"}), after([](auto, auto, auto, auto&) {}, empty, {"forward"})));
  for (const auto& engine : engines())
    CHECK_MESSAGE(same_bits(after(engine.launch, empty, {"forward"}), after(best, empty, {"forward"})),
                  engine.name);
}

TEST_CASE("pieces of k follow each other, end with k, and are the product") {
  const Problem<float> problem{.shape = {3, 5, 23}, .fill = Fill::digits};
  const Inputs<float>& in = problem.whole();
  std::vector<Index> lengths;
  Index p = 0;
  pieces_of_k(in.a.view(), in.b.view(), 8, [&](View<const float> a, View<const float> b) {
    REQUIRE(a.cols() == b.rows());
    CHECK(a.data() == &in.a.view()(0, p));
    CHECK(b.data() == &in.b.view()(p, 0));
    CHECK((a.rows() == 3 && a.ld() == in.a.view().ld() && b.cols() == 5 && b.ld() == in.b.view().ld()));
    lengths.push_back(a.cols()), p += a.cols();
  });
  CHECK(lengths == std::vector<Index>{8, 8, 7});
}

TEST_CASE("each shape has an engine, the measured ones their own") {
  for (const Choice& choice : choices)
    CHECK(engine_for(Index(choice.m), Index(choice.n), Index(choice.k)).name == choice.engine);
  for (const Index side : {0, 1, 77, 1000, 100000}) CHECK(!engine_for(side, 1, side).name.empty());
}
