// A kernel as a variant: which memory it takes, what is copied where, what is timed, and what it complains
// of.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "gpu/step.hpp"

using namespace course;

namespace {

/// A GPU that tells what is asked of it; "move" copies, "pinned" to or from registered memory, unless it is
/// told to lose all; and one copy it may be told to spoil.
struct Told : Emulated {
  inline static std::string log;
  inline static bool loses = false;
  inline static std::size_t spoils = 0;  // the number of a copy, from 1, that brings one wrong element
  inline static std::vector<void*> received;
  inline static std::set<const void*> pinned;
  inline static const std::shared_ptr<int> alive = std::make_shared<int>();  // a matrix holds it

  static std::string device() { return "told"; }
  static std::string missing(int capability, bool) { return "needs " + std::to_string(capability); }
  static void synchronize() {
    log += "wait ";
    Emulated::synchronize();
  }
  static bool pending() {
    log += "pending? ";
    return Emulated::pending();
  }
  template <class Work>
  static double seconds_of(Work work) {
    log += "( ", work(), log += ") ";
    Emulated::synchronize();
    return 0.25;
  }
  template <class T>
  static void transfer(View<const T> from, View<T> to) {
    log += pinned.contains(from.data()) || pinned.contains(to.data()) ? "pinned " : "move ";
    log += of(from.rows(), from.cols(), 0);
    received.push_back(to.data());
    if (!loses) Emulated::transfer<T>(from, to);
    if (received.size() == spoils) to(1, 2) += 1;
  }
  static std::string of(Index rows, Index cols, Index pad) {
    return std::to_string(rows) + "x" + std::to_string(cols) + (pad ? "+" + std::to_string(pad) : "") + " ";
  }

  template <class T>
  struct Matrix : Emulated::Matrix<T> {
    Matrix() = default;
    Matrix(Index rows, Index cols, Index pad, Memory memory, Use use = Use::output)
        : Emulated::Matrix<T>(rows, cols, pad, memory, use), held(alive) {
      const char* const kinds[] = {"device ", "pitched ", "unified ", "registered "};
      log += kinds[static_cast<int>(memory)] + of(rows, cols, pad);
    }
    void poison() { log += "poison "; }
    std::shared_ptr<int> held;
  };
  template <class T>
  struct HostMatrix : course::Matrix<T> {
    HostMatrix() = default;
    HostMatrix(Index rows, Index cols, Index pad) : course::Matrix<T>(rows, cols, pad), held(alive) {
      log += "host " + of(rows, cols, pad);
      const void* const data = this->view().data();
      pinned.insert(data), pin.reset(data, [](const void* matrix) { pinned.erase(matrix); });
    }
    std::shared_ptr<int> held;
    std::shared_ptr<const void> pin;
  };
};

std::string told() {
  return std::exchange(Told::log, {});
}

void add_100(View<float> c) {
  if (threadIdx.x + threadIdx.y == 0) c(1, 2) += 100;
}
void launches(View<const float>, View<const float>, View<float> c, const Settings&) {
  Told::log += "start ";
  launch(add_100, Grid{1, 1}, Block{4, 2}, c);
}
void launches_nothing(View<const float>, View<const float>, View<float>, const Settings&) {}

const Problem<float> problem{.shape = {2, 3, 4}, .pad = 1};

std::shared_ptr<Variant<float>> made(Needs needs = {}, Launch<float> start = launches) {
  emulator::set_order("forward"), Told::received.clear(), told();
  return gpu<float, Told>("", "", start, {}, needs);
}
/// What `variant` complains of after a run.
std::string after_run(const std::shared_ptr<Variant<float>>& variant, const Settings& settings) {
  variant->allocate(problem, settings, World()), variant->distribute(), variant->reset(), variant->run();
  return variant->run_error();
}

}  // namespace

TEST_CASE("a variant on a GPU: memory, copies, the kernel, the result, and all is given back") {
  const auto check = [](Memory memory, const std::string& matrices, const std::string& moves,
                        const std::string& back, const std::string& fetched, long held) {
    const auto variant = made({.memory = memory});
    for (int turn = 0; turn < 2; ++turn) {  // allocate gives back first
      CHECK(variant->allocate(problem, {}, World()).alloc.value() < 1);
      CHECK(told() == "wait " + matrices + "wait poison poison poison poison ");
      CHECK(Told::alive.use_count() == 1 + held);
    }
    CHECK(variant->distribute().copy_in == 0.25);
    CHECK(told() == "( " + moves + ") ");
    for (int turn = 0; turn < 2; ++turn) {
      variant->reset();
      CHECK(told() == back);
      CHECK(variant->run().product == 0.25);
      CHECK(told() == "( start ) ");
      Piece<float> piece;
      CHECK(variant->fetch(piece).copy_out == 0.25);
      CHECK(told() == "( " + fetched + ") ");
      CHECK(piece.rows == Indices{0, 1});
      CHECK(piece.cols == Indices{0, 1, 2});
      for (Index i = 0; i < 2; ++i)
        for (Index j = 0; j < 3; ++j)
          CHECK(piece.c(i, j) == problem.c(i, j) + static_cast<float>(i == 1 && j == 2 ? 100 : 0));
    }
    CHECK(variant->guards_intact());
    Told::loses = memory != Memory::unified;
    Piece<float> piece;
    variant->fetch(piece);
    CHECK(std::isnan(piece.c(1, 2)) == Told::loses);  // nothing of the last result is left
    Told::loses = false;
    variant->release();
    CHECK(Told::alive.use_count() == 1);
  };
  const auto all = [](const std::string& kind) {
    return kind + "2x4+1 " + kind + "4x3+1 " + kind + "2x3+1 " + kind + "2x3+1 ";
  };
  const std::string moves = "move 2x4 move 4x3 move 2x3 ", back = "move 2x3 ";
  check(Memory::device, all("device "), moves, back, back, 4);
  check(Memory::pitched, all("pitched "), moves, back, back, 4);
  check(Memory::unified, all("unified "), "", "", "", 4);  // the host writes and reads them itself
  check(Memory::registered, all("host ") + all("registered "), "pinned 2x4 pinned 4x3 pinned 2x3 ", back,
        "pinned 2x3 ", 8);
}

TEST_CASE("a variant on a GPU says what it needs") {
  CHECK(made({.capability = 80})->skip_reason(problem, {}, World()) == "needs 80");
  CHECK(made()->device() == "told");
  for (const auto& [ld, elements] : {std::pair(0, 1024), {1, 1088}, {2048, 32 * 2048 + 1024}})
    CHECK(wide_guard(ld) == elements);  // a row of 1,024 threads
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
    variant->allocate(problem, {.verify_copies = true}, World());
    Told::loses = loses, Told::spoils = spoils;
    variant->distribute();
    Told::loses = false, Told::spoils = 0;
    return variant->run_error();
  };
  CHECK(copy_error(false).empty());
  const std::string lost = " did not reach the GPU as they were sent; ";
  CHECK(copy_error(true) == "8 elements of A" + lost + "12 elements of B" + lost + "6 elements of C" + lost);
  for (const Memory memory : {Memory::device, Memory::registered}) {  // not NaN, which differs from itself
    CHECK(copy_error(false, 1, memory) == "1 elements of A" + lost);
    CHECK(copy_error(false, 2, memory) == "1 elements of B" + lost);
    CHECK(copy_error(false, 3, memory) == "1 elements of C" + lost);
  }
}

TEST_CASE("a write before any of a variant's matrices is seen") {
  for (std::size_t which = 0; which < 5; ++which) {  // A, B, what C was, C, the result
    const auto variant = made();
    CHECK(after_run(variant, {}).empty());
    Piece<float> piece;
    variant->fetch(piece);
    REQUIRE(Told::received.size() == 5);
    CHECK(variant->guards_intact());
    static_cast<float*>(Told::received[which])[-1] = 1;
    CHECK_FALSE(variant->guards_intact());
  }
}
