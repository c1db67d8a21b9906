// A kernel as a variant: what comes back from each kind of memory, and what it complains of.
#include <doctest/doctest.h>

#include <cmath>

#include "gpu/step.hpp"

using namespace course;

namespace {

/// A GPU that may be told to lose what is copied, and one copy it may be told to spoil.
struct Told : Cuda {
  inline static bool loses = false;
  inline static std::size_t spoils = 0;  // the number of a copy, from 1, that brings one wrong element
  inline static std::vector<void*> received;

  template <class T>
  static void transfer(View<const T> from, View<T> to) {
    received.push_back(to.data());
    if (!loses) Cuda::transfer<T>(from, to);
    if (received.size() == spoils) to(1, 2) += 1;
  }
};

void add_100(View<float> c) {
  if (threadIdx.x + threadIdx.y == 0) c(1, 2) += 100;
}
void launches(View<const float>, View<const float>, View<float> c, const Settings&) {
  launch(add_100, Grid{1, 1}, Block{4, 2}, c);
}
void launches_nothing(View<const float>, View<const float>, View<float>, const Settings&) {}

const Problem<float> problem{.shape = {2, 3, 4}, .pad = 1};

std::shared_ptr<Variant<float>> made(Needs needs = {}, Launch<float> start = launches) {
  emulator::set_order("forward"), Told::received.clear();
  return gpu<float, Told>("", "", start, {}, needs);
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
    Told::loses = memory != Memory::unified;  // which the host reads itself
    variant->fetch();
    CHECK(std::isnan(variant->result()(1, 2)) == Told::loses);  // nothing of the last result is left
    Told::loses = false;
    variant->release();
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

TEST_CASE("copies that are verified: how many elements of which matrix did not arrive") {
  const auto copy_error = [](bool loses, std::size_t spoils = 0, Memory memory = Memory::device) {
    const auto variant = made({.memory = memory});
    variant->allocate(problem, {.verify_copies = true});
    Told::loses = loses, Told::spoils = spoils;
    variant->distribute();
    Told::loses = false, Told::spoils = 0;
    return variant->run_error();
  };
  CHECK(copy_error(false).empty());
  const std::string lost = " did not reach the GPU as they were sent; ";
  CHECK(copy_error(true) == "8 elements of A" + lost + "12 elements of B" + lost + "6 elements of C" + lost);
  for (const Memory memory : {Memory::device, Memory::pinned}) {  // not NaN, which differs from itself
    CHECK(copy_error(false, 1, memory) == "1 elements of A" + lost);
    CHECK(copy_error(false, 2, memory) == "1 elements of B" + lost);
    CHECK(copy_error(false, 3, memory) == "1 elements of C" + lost);
  }
}

TEST_CASE("a write before any of a variant's matrices is seen") {
  for (std::size_t which = 0; which < 5; ++which) {  // A, B, what C was, C, the result
    const auto variant = made();
    CHECK(after_run(variant, {}).empty());
    variant->fetch();
    REQUIRE(Told::received.size() == 5);
    CHECK(variant->guards_intact());
    static_cast<float*>(Told::received[which])[-1] = 1;
    CHECK_FALSE(variant->guards_intact());
  }
}

TEST_CASE("pinned memory is unregistered before it is freed, assigned to as well") {
  Cuda::HostMatrix<float> large(4096, 4096, 0);  // so that free() unmaps it
  const int before = emulator::taken.unpinned;
  large = {};
  CHECK(emulator::taken.unpinned == before + 1);
}
