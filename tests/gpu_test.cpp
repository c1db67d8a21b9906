// A kernel as a variant and its memory, on the emulator's runtime: what comes back, guards, complaints.
#include <doctest/doctest.h>

#include "gpu/step.hpp"

using namespace course;

namespace {

void add_100(View<float> c) {
  if (threadIdx.x + threadIdx.y == 0) c(1, 2) += 100;
}
void launches(View<const float>, View<const float>, View<float> c, const Settings&) {
  launch(add_100, Grid{1, 1}, Block{4, 2}, c);
}
void launches_nothing(View<const float>, View<const float>, View<float>, const Settings&) {}

const Problem<float> problem{.shape = {2, 3, 4}, .pad = 1};

std::shared_ptr<Variant<float>> made(Needs needs = {}, Launch<float> start = launches) {
  emulator::set_order("forward");
  return gpu<float>("", "", start, {}, needs);
}
std::shared_ptr<Variant<float>> with_blocks(std::shared_ptr<Variant<float>> variant) {
  variant->info.blocks = true;
  return variant;
}
/// What `variant` complains of after a run.
std::string after_run(const std::shared_ptr<Variant<float>>& variant, const Settings& settings) {
  variant->allocate(problem, settings), variant->distribute(), variant->reset(), variant->run();
  return variant->run_error();
}

}  // namespace

TEST_CASE(
    "a variant on a GPU: C comes back as the kernel left it, after each run, from each kind of memory") {
  for (const Memory memory : {Memory::device, Memory::pitched, Memory::unified, Memory::pinned}) {
    const auto variant = made({.memory = memory});
    CHECK(variant->allocate(problem, {}).alloc.has_value());
    CHECK(variant->distribute().copy_in.has_value());
    for (int turn = 0; turn < 2; ++turn) {
      variant->reset();
      CHECK(variant->run().product.has_value());
      CHECK(variant->fetch().copy_out.has_value());
      const View<const float> c = variant->result();
      CHECK((c.rows() == 2 && c.cols() == 3));
      for (Index i = 0; i < 2; ++i)
        for (Index j = 0; j < 3; ++j)
          CHECK(c(i, j) == problem.c(i, j) + static_cast<float>(i == 1 && j == 2 ? 100 : 0));
    }
    CHECK(variant->guards_intact());
  }
}

TEST_CASE("a variant on a GPU complains of other blocks than the row's, and of a clock that did not wait") {
  launched = {{5, 5}, {7, 7}};  // by whoever came before
  CHECK(after_run(with_blocks(made({}, launches_nothing)), {.block = {8, 8}}).empty());
  CHECK(after_run(with_blocks(made()), {.block = {4, 2}}).empty());
  CHECK(after_run(made(), {.block = {2, 4}}).empty());  // not swept over blocks
  CHECK(after_run(with_blocks(made()), {.block = {2, 4}}) ==
        "blocks of 4x2 threads were launched, not of 2x4");
  CHECK(after_run(made({.waits = false}), {}) == "the clock was stopped before the kernel had run");
  CHECK(after_run(made({.waits = false}, launches_nothing), {}).empty());
}

TEST_CASE("a write before any of a variant's matrices is seen") {
  for (const int which : {0, 1, 2}) {
    const auto variant = made({}, [=](auto a, auto b, auto c, const Settings&) {
      const_cast<float*>(which == 0 ? a.data() : which == 1 ? b.data() : c.data())[-1] = 1;
    });
    CHECK(after_run(variant, {}).empty());
    CHECK_FALSE(variant->guards_intact());
  }
}

TEST_CASE_TEMPLATE("on a GPU: a write outside a matrix is seen, wherever, and none inside", T, float, bf16) {
  for (const Memory memory : {Memory::device, Memory::pitched, Memory::unified}) {
    Cuda::Matrix<T> matrix(3, 5, 2, memory);
    matrix.poison();
    T* const first = matrix.view().data();
    const Index ld = matrix.view().ld(), end = 3 * ld, wide = wide_guard(7);
    CHECK(ld == (memory == Memory::pitched ? Index{512 / sizeof(T)} : 7));
    CHECK(reinterpret_cast<std::uintptr_t>(first) % (64 * sizeof(T)) == 0);
    for (const Index inside : {Index{0}, Index{4}, ld, end - ld + 4}) first[inside] = T(1.f);
    for (const Index outside : {-wide, Index{-1}, Index{5}, ld - 1, end - 1, end, end + wide - 1}) {
      CHECK(matrix.guards_intact());
      const T before = std::exchange(first[outside], T(0.f));
      CHECK_FALSE(matrix.guards_intact());
      first[outside] = before;
    }
  }
}

TEST_CASE("on a GPU: what is missing, of each device") {
  emulator::set_order("forward");
  CHECK(Cuda::missing(90, true).empty());
  CHECK(Cuda::missing(80).empty());
  CHECK(Cuda::missing(80, true) == "needs a GPU of compute capability 8.0, this one has 9.0");
  CHECK(Cuda::missing(100) == "needs a GPU of compute capability 10.0, this one has 9.0");
  CHECK_THROWS_AS(Cuda::Matrix<float>(Index{1} << 40, 1 << 18, 0, Memory::device), std::bad_alloc);
  int asked = 0;
  const auto ask = [&asked] { return ++asked, Cuda::current(); };
  for (const int device : {0, 1, 0, 1})
    CHECK((cudaSetDevice(device) == cudaSuccess && once_a_device(ask) == device));
  CHECK((asked == 2 && cudaSetDevice(0) == cudaSuccess));
}
