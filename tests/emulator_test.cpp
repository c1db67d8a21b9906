// The emulator does what CUDA does, and says where a kernel breaks CUDA's rules.
#include "gpu/step.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <mutex>

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

int begun = 0;
void begin() {
  const std::lock_guard lock(guard);
  ++begun;
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
void only_sees(View<float>) {}
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
  launch(begin, Grid{3, 2}, Block{4, 5}), emulator::synchronize();
  if (begun == 3 * 2 * 4 * 5) std::_Exit(well);
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

void touches_and_fails() {
  static float element;
  emulator::touched(&element);
  if (blockIdx.x % 2 == 0) throw std::runtime_error("failed");
}
TEST_CASE("a block that fails leaves none of its accesses to the next one") {
  emulator::counting = true;
  CHECK(has(error_of([] { launch(touches_and_fails, Grid{64, 1}, Block{32, 1}); }), "failed"));
  emulator::counting = false;
  CHECK(emulator::take_counts().accesses == 32);  // one a block, of the blocks that ended
}

TEST_CASE("a kernel or a copy that touches another GPU's memory needs access to it") {
  emulator::set_order("forward"), emulator::has_access(0, 1) = false;
  cudaSetDevice(1);
  const Cuda::Matrix<float> there(2, 3, 0, Memory::device, Use::input);
  const auto copy = [&] {
    cudaMemcpyAsync(there.view().data(), there.view().data(), 8, cudaMemcpyDefault, nullptr);
  };
  const auto kernel = [&] { launch(only_sees, Grid{1}, Block{1}, there.view()); };
  CHECK((error_of(copy).empty() && error_of(kernel).empty()));  // its own
  cudaSetDevice(0);
  for (const std::function<void()>& touches : {std::function<void()>(copy), std::function<void()>(kernel)})
    CHECK(error_of(touches) == "GPU 0 has no access to the memory of GPU 1");
  CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess);
  CHECK((error_of(copy).empty() && error_of(kernel).empty()));
}

TEST_CASE("streams: one that does not wait for another's event reads too early, or too late") {
  for (const bool waits : {true, false})
    for (const char* const order : {"forward", "reversed"}) {
      emulator::set_order(order);
      cudaStream_t copies = nullptr;
      cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
      cudaEvent_t arrived = nullptr;
      cudaEventCreate(&arrived);
      const int sent = 7;
      int received = 0, seen = 0;
      emulator::default_stream();  // the older one
      cudaMemcpyAsync(&received, &sent, sizeof sent, cudaMemcpyDefault, copies);
      cudaEventRecord(arrived, copies);
      if (waits) cudaStreamWaitEvent(nullptr, arrived, 0);
      cudaMemcpyAsync(&seen, &received, sizeof seen, cudaMemcpyDefault, nullptr);
      cudaDeviceSynchronize();
      CHECK(seen == (waits || std::string(order) == "reversed" ? 7 : 0));
      cudaMemcpyAsync(&received, &seen, sizeof seen, cudaMemcpyDefault, copies);
      CHECK(emulator::pending() == false);  // of the default stream alone
      cudaStreamDestroy(copies), cudaEventDestroy(arrived);
    }
  cudaEvent_t never = nullptr;
  cudaEventCreate(&never), cudaStreamWaitEvent(nullptr, never, 0), cudaDeviceSynchronize();  // returns
  cudaEventDestroy(never), emulator::set_order("forward");
}
