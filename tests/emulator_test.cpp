// The emulator does what CUDA does, and says where a kernel breaks CUDA's rules.
#include "gpu/step.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>

#include "captured.hpp"
#include "runner/run.hpp"

using namespace course;

namespace {

/// The error message of a launch that must fail.
std::string error_of(const std::function<void()>& body) {
  try {
    body(), emulator::synchronize();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void plain_bf16(View<const bf16> a, View<const bf16> b, View<float> c, Index beyond) {
  for (Index p = 0; p < a.cols() + beyond; ++p)  // beyond: in A the padding, in B the guard
    c(threadIdx.y, threadIdx.x) += a.data()[threadIdx.y * a.ld() + p] * b.data()[p * b.ld() + threadIdx.x];
}

std::vector<unsigned> turns;
std::mutex guard;
void take_turns() {
  turns.push_back(threadIdx.x), __syncthreads(), turns.push_back(100 + threadIdx.x);
}
std::vector<unsigned> turns_in(const std::string& order) {
  turns.clear(), emulator::set_order(order);
  launch(take_turns, Grid{1, 1}, Block{6, 1}), emulator::synchronize();
  return turns;
}

std::set<std::pair<unsigned, unsigned>> places;
void note_place() {
  const std::lock_guard lock(guard);
  places.emplace(blockIdx.y * blockDim.y + threadIdx.y, blockIdx.x * blockDim.x + threadIdx.x);
  if (gridDim.x != 3 || gridDim.y != 2 || gridDim.z != 1 || blockDim.z != 1) places.emplace(999, 999);
  if (threadIdx.z != 0 || blockIdx.z != 0) places.emplace(998, 998);
}

void some_leave(unsigned who) {
  if (threadIdx.x == who) return;
  __syncthreads();
}
void two_barriers() {
  if (threadIdx.x == 0)
    __syncthreads();
  else
    __syncthreads();
}
void touch(Index i, Index j) {
  __shared__ SharedTile<float, 4, 3> tile;
  tile[i][j + Index{threadIdx.x}] = 1;
}
/// The first thread fails at once, when none of the others has begun.
void first_fails() {
  if (threadIdx.x == 0) __trap();
  __syncthreads();
}
int poisoned = 0;
void look_then_write() {
  __shared__ SharedTile<double, 2, 3> tile;
  const std::lock_guard lock(guard);
  for (Index at = 0; at < 6; ++at) {
    if (threadIdx.x == 0) poisoned += std::isnan(tile[at / 3][at % 3]);
    if (threadIdx.x == 1) poisoned += tile[at / 3][at % 3] != static_cast<double>(at);
    tile[at / 3][at % 3] = static_cast<double>(at);
  }
  for (Index at = 0; at < 6; ++at) poisoned += tile[at / 3][at % 3] != static_cast<double>(at);
}

}  // namespace

TEST_CASE("threads take turns from barrier to barrier, in the order asked for") {
  CHECK(turns_in("forward") == std::vector<unsigned>{0, 1, 2, 3, 4, 5, 100, 101, 102, 103, 104, 105});
  CHECK(turns_in("reversed") == std::vector<unsigned>{5, 4, 3, 2, 1, 0, 105, 104, 103, 102, 101, 100});
  CHECK(emulator::order() == "reversed");
  const auto seven = turns_in("7");  // the same on any machine
  CHECK(emulator::order() == "shuffled by 7");
  CHECK(seven == std::vector<unsigned>{4, 0, 1, 3, 2, 5, 102, 103, 101, 105, 100, 104});
  CHECK(seven != turns_in("8"));
  emulator::set_order("forward");
}

TEST_CASE("each thread of each block runs once, at its own place") {
  places.clear();
  launch(note_place, Grid{3, 2}, Block{5, 7}), emulator::synchronize();
  CHECK(places.size() == 15 * 14);
  CHECK(places.rbegin()->first == 13);
  for (const Grid empty : {Grid{0, 2}, Grid{2, 0}}) {
    launch(note_place, empty, Block{5, 7});
    CHECK_FALSE(emulator::pending());
    CHECK(launched.grid.x == empty.x);
    CHECK(launched.block.y == 7);
  }
}

TEST_CASE("a launch waits in the queue until somebody waits for it") {
  turns.clear();
  launch(take_turns, Grid{1, 1}, Block{1, 1});
  CHECK(emulator::pending());
  CHECK(turns.empty());
  emulator::synchronize();
  CHECK_FALSE(emulator::pending());
  CHECK(turns.size() == 2);
  Matrix<float> from(1, 1), to(1, 1);
  from.view()(0, 0) = 7;
  launch(take_turns, Grid{1, 1}, Block{1, 1});
  Cuda::transfer<float>(from.view(), to.view());
  CHECK_FALSE(emulator::pending());
  CHECK(to.view()(0, 0) == 7);
}

TEST_CASE("a barrier that not all threads reach is an error with the place") {
  const std::string left = error_of([] { launch(some_leave, Grid{1, 1}, Block{4, 2}, 3u); });
  CHECK_MESSAGE(has(left, "block (0, 0): thread (0, 0) waits at the barrier of emulator_test.cpp:"), left);
  CHECK_MESSAGE(has(left, ", thread (3, 0) has ended"), left);
  const std::string two = error_of([] { launch(two_barriers, Grid{1, 1}, Block{4, 1}); });
  CHECK_MESSAGE(has(two, "thread (1, 0) waits at the barrier of emulator_test.cpp:"), two);
  CHECK(error_of([] { launch(some_leave, Grid{2, 2}, Block{4, 2}, 99u); }).empty());  // and it goes on
}

TEST_CASE(
    "shared memory: what is outside a tile is an error, and what nobody wrote in this block is poison") {
  emulator::set_order("forward");
  const std::string outside = error_of([] { launch(touch, Grid{1, 1}, Block{5, 1}, 1, 0); });
  CHECK_MESSAGE(has(outside, "thread (3, 0) of block (0, 0): element (1, 3) of a 4 x 3 tile"), outside);
  for (const auto& [i, j] : {std::pair{-1, 0}, {4, 0}, {0, -1}, {0, 3}})
    CHECK_FALSE(error_of([i = i, j = j] { launch(touch, Grid{1, 1}, Block{1, 1}, i, j); }).empty());
  for (const auto& [i, j] : {std::pair{0, 0}, {3, 2}})
    CHECK(error_of([i = i, j = j] { launch(touch, Grid{1, 1}, Block{1, 1}, i, j); }).empty());
  launch(look_then_write, Grid{6, 1}, Block{2, 1}), emulator::synchronize();
  CHECK(poisoned == 6 * 6);
}

constexpr int well = 42;
TEST_CASE("in a process of its own: blocks fail, and others take their place" * doctest::skip()) {
  emulator::set_order("forward");
  for (int launched = 0; launched < 3; ++launched) {
    const std::string failed = error_of([] { launch(first_fails, Grid{40, 1}, Block{5, 1}); });
    CHECK_MESSAGE(has(failed, "thread (0, 0) of block (0, 0): unspecified launch failure"), failed);
  }
  places.clear(), launch(note_place, Grid{3, 2}, Block{4, 5}), emulator::synchronize();
  if (places.size() == 3 * 2 * 4 * 5) std::_Exit(well);
}
// A fiber that is left on a stack which another takes over ends the process, with status 0 and not a word.
TEST_CASE("a block that fails leaves no thread behind on its stacks") {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const int status = std::system((self + " --no-skip '--test-case=in a process of its own*'").c_str());
  CHECK(WEXITSTATUS(status) == well);
}

TEST_CASE("what CUDA refuses to launch is refused; Grid and Block cannot be swapped") {
  const auto refused = [](Grid grid, Block block) {
    return error_of([=] { launch(some_leave, grid, block, 9999u); }) == "invalid configuration argument";
  };
  for (const Block block : {Block{33, 32}, {1025, 1}, {1, 1025}, {0, 1}, {1, 0}, {0, 0}})
    CHECK(refused({1, 1}, block));
  for (const Grid grid : {Grid{1, 65536}, {Index{1} << 31, 1}}) CHECK(refused(grid, {1, 1}));
  for (const Block block : {Block{32, 32}, {1024, 1}, {1, 1024}}) CHECK_FALSE(refused({1, 1}, block));
  CHECK_FALSE(refused({1, 65535}, {1, 1}));
  constexpr auto swappable = []<class G, class B>(G g, B b) {
    return requires {
      launch(take_turns, g, b);
    };
  };
  static_assert(swappable(Grid{}, Block{}));
  static_assert(!swappable(Block{}, Grid{}));
}

TEST_CASE("a GPU's matrices have guards before, behind and beside them") {
  const Problem<float> problem{{2, 3, 4}, Fill::uniform, 1, 2};
  for (const Index outside : {Index{-1}, Index{3}, Index{2 * 5}, 2 * 5 + wide_guard(5) - 1, -wide_guard(5)}) {
    const auto variant = gpu<float>(
        "", "",
        [=](View<const float>, View<const float>, View<float> c, const Settings&) { c.data()[outside] = 1; });
    variant->allocate(problem, {});
    variant->distribute(), variant->reset();
    CHECK(variant->guards_intact());
    variant->run();
    CHECK_FALSE(variant->guards_intact());
  }
}

TEST_CASE("BF16: a step that has it alone; A and B of 2 bytes, C of 4; a read beside A or B is NaN") {
  const auto made = [](Index beyond, Memory memory = Memory::device) {
    return gpu<bf16>("plain", "",
                     [=](View<const bf16> a, View<const bf16> b, View<float> c, const Settings&) {
                       launch(plain_bf16, Grid{1, 1}, Block{c.cols(), c.rows()}, a, b, c, beyond);
                     },
                     {}, {.memory = memory});
  };
  const Problem<bf16> problem{.shape = {5, 7, 3}, .pad = 2};  // leading dimensions: A 5, B and C 9
  emulator::set_order("forward");
  const auto status = [&](Index beyond, std::vector<const char*> words) {
    Step step{"test", "a test", "-O3", "", {}, {}, {}};
    for (const Memory memory : {Memory::device, Memory::pitched, Memory::unified, Memory::pinned})
      step.bf16.push_back(made(beyond, memory));
    words.insert(words.begin(), {"test", "--shape", "5x7x3", "--pad", "2", "--repeat", "1"});
    int found = -1;
    const Captured says = captured([&] { found = run(static_cast<int>(words.size()), words.data(), step); });
    CHECK(has(found == 2 ? says.err : says.out,
              found == 2 ? "--type: 'f32' is unknown; give bf16" : "bf16 5x7x3"));
    return found;
  };
  CHECK(status(0, {}) == 0);
  CHECK(status(0, {"--fill", "digits", "--type", "bf16"}) == 0);
  CHECK(status(1, {}) == 1);
  CHECK(status(0, {"--type", "f32"}) == 2);
}
