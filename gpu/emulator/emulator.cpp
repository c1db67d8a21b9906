// Each CUDA thread is a fiber: a function with a stack of its own, suspended at a barrier and resumed later.
#include "gpu/emulator/emulator.hpp"

#include <fmt/format.h>

#include <bit>
#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#include <cmath>
#include <cstddef>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/fill.hpp"

namespace course::emulator {
namespace {

using boost::context::fiber;

constexpr std::size_t stack_bytes = 128 << 10;
struct KeepStack {  // a stack allocator's interface; the stack outlives its fiber
  void deallocate(boost::context::stack_context&) {}
};

std::string text(const Triple& t) {
  return fmt::format("({}, {})", t.x, t.y);
}
std::string text(const Line& where) {
  const std::string path = where.file;
  return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), where.number);
}

/// The bytes that a thread accesses at once.
struct Access {
  std::uintptr_t first, last;
};

/// The work of a warp's threads when they have come together.
using Work = void (*)(void* const (&lanes)[32]);

/// A CUDA thread. It runs until it waits for others, ends or throws; then the scheduler resumes the next one.
class Thread {
 public:
  enum State { running, at_barrier, in_warp, done };  // in_warp: it waits for the others of its warp

  void start(const Triple& index, const std::function<void()>& kernel) {
    index_ = index, state_ = running, failure_.clear();
    global.clear(), shared.clear(), counted = true;
    boost::context::stack_context stack;
    stack.size = stack_bytes, stack.sp = stack_.get() + stack_bytes;
    fiber_ = fiber(std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), KeepStack(),
                   [this, &kernel](fiber&& scheduler) {
                     scheduler_ = std::move(scheduler);
                     try {
                       kernel();
                     } catch (const std::exception& error) {
                       failure_ = error.what();
                     }
                     state_ = done;
                     return std::move(scheduler_);
                   });
  }
  /// Runs on to where it waits for others, or to the end.
  void resume() {
    now_running = this, threadIdx = index_, state_ = running;
    fiber_ = std::move(fiber_).resume();
    now_running = nullptr;
    if (!failure_.empty())
      throw std::runtime_error(
          fmt::format("thread {} of block {}: {}", text(index_), text(blockIdx), failure_));
  }
  /// Called by the thread itself where it waits for others: returns to the scheduler.
  void wait(State state, const Line& where, Work work = nullptr, void* brings = nullptr) {
    state_ = state, where_ = where, work_ = work, brings_ = brings;
    scheduler_ = std::move(scheduler_).resume();
  }
  /// Ends a thread that waits, or has not begun: what follows needs its stack, which Boost unwinds.
  void cancel() { fiber_ = {}, state_ = done; }

  State state() const { return state_; }
  Work work() const { return work_; }
  void* brings() const { return brings_; }
  /// Whether both wait for each other, or both have ended.
  bool with(const Thread& other) const {
    return state_ == other.state_ &&
           (state_ == done || (where_.number == other.where_.number && work_ == other.work_));
  }
  /// The words for this thread in an error, when the others are elsewhere.
  std::string place() const {
    const char* const what = state_ == at_barrier ? "waits at the barrier of " : "waits for its warp at ";
    return fmt::format("thread {} {}", text(index_), state_ == done ? "has ended" : what + text(where_));
  }

  static thread_local Thread* now_running;
  std::vector<Access> global, shared;  // its accesses in this block
  bool counted = true;                 // that is all of them

 private:
  std::unique_ptr<std::byte[]> stack_{new std::byte[stack_bytes]};
  fiber fiber_, scheduler_;  // this thread while it waits; who resumed it while it runs
  Triple index_;
  State state_ = done;
  Line where_;
  Work work_ = nullptr;  // of its warp, which it waits for, with what it brings
  void* brings_ = nullptr;
  std::string failure_;
};
thread_local Thread* Thread::now_running = nullptr;

thread_local std::vector<std::function<void()>> shared_memory;  // how to poison each of its matrices

std::string order_;   // its description; empty if none is set
std::uint64_t seed_;  // of those that are shuffled

/// The order of `count` threads in a round: from one barrier to the next.
std::vector<std::size_t> turns(std::size_t count, Index block, Index round) {
  std::vector<std::size_t> turn(count);
  std::iota(turn.begin(), turn.end(), 0);
  if (order_ == "reversed") std::reverse(turn.begin(), turn.end());
  if (order_.starts_with("shuffled"))
    for (std::size_t last = count; last > 1; --last)
      std::swap(turn[last - 1], turn[element_hash(seed_ + last, 'T', block, round) % last]);
  return turn;
}

/// Whether all threads of the block wait, at the same barrier; false if all have ended. Throws if neither.
bool all_wait(const std::vector<Thread>& threads) {
  const auto at = [&](Thread::State state) {
    return std::find_if(threads.begin(), threads.end(), [=](auto& t) { return t.state() == state; });
  };
  auto first = at(Thread::in_warp), from = threads.begin(), end = threads.end();
  if (first != end)
    from += (first - from) / 32 * 32, end = from + 32;
  else if ((first = at(Thread::at_barrier)) == end)
    return false;
  const auto elsewhere = std::find_if(from, end, [&](const Thread& thread) { return !thread.with(*first); });
  if (elsewhere != end)
    throw std::runtime_error(
        fmt::format("block {}: {}, {}", text(blockIdx), first->place(), elsewhere->place()));
  return true;
}

/// Resumes the threads of a warp, in their turns, as often as all of them have come together.
void go_on(std::span<Thread, 32> warp, Index block, Index& round) {
  while (warp[0].state() == Thread::in_warp &&
         std::all_of(warp.begin(), warp.end(), [&](const Thread& thread) { return thread.with(warp[0]); })) {
    void* lanes[32];
    std::transform(warp.begin(), warp.end(), lanes, [](const Thread& thread) { return thread.brings(); });
    warp[0].work()(lanes);
    ++round;
    for (const std::size_t lane : turns(32, block, round)) warp[lane].resume();
  }
}

/// Numbers of the pieces of memory, of so many bytes each, that a warp's access takes, each once.
std::vector<std::uintptr_t> pieces(std::span<const Access> warp, std::uintptr_t bytes) {
  std::vector<std::uintptr_t> found;
  for (const auto& [first, last] : warp)
    for (std::uintptr_t piece = first / bytes; piece <= last / bytes; ++piece) found.push_back(piece);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}
double sectors(std::span<const Access> warp) {
  return double(pieces(warp, 32).size());
}
/// A bank gives one of its words at a time, to all who want that one. Of 16 bytes a thread, each quarter of
/// the warp has wavefronts of its own, or each half, by lesson 09's two rules.
double wavefronts(std::span<const Access> warp) {
  double words[32] = {};  // of each bank
  for (const std::uintptr_t word : pieces(warp, 4)) ++words[word % 32];
  const double most = *std::max_element(words, words + 32);
  if (warp.size() <= 8 || warp[0].last - warp[0].first < 15) return most;
  if (warp.size() > 16) return wavefronts(warp.first(16)) + wavefronts(warp.subspan(16));
  for (const std::size_t partner : {1u, 2u}) {
    std::size_t equal = 0;
    while (equal < warp.size() && warp[equal].first == warp[(equal ^ partner) % warp.size()].first) ++equal;
    if (equal == warp.size()) return most;
  }
  return wavefronts(warp.first(8)) + wavefronts(warp.subspan(8));
}

Counts counted;

/// Adds up the counts of warps' accesses: an access is the n-th of each of a warp's threads.
template <class Of>
void add_up(const std::vector<Thread>& threads, std::vector<Access> Thread::*list, double& accesses,
            double& parts, Of of) {
  std::vector<Access> together;
  for (std::size_t warp = 0; warp < threads.size(); warp += 32)
    for (std::size_t n = 0;; ++n) {
      together.clear();
      for (std::size_t t = warp; t < std::min(warp + 32, threads.size()); ++t)
        if (n < (threads[t].*list).size()) together.push_back((threads[t].*list)[n]);
      if (together.empty()) break;
      accesses += 1, parts += of(together);
    }
}

void count(const std::vector<Thread>& threads) {
#pragma omp critical
  {
    add_up(threads, &Thread::global, counted.accesses, counted.sectors, sectors);
    add_up(threads, &Thread::shared, counted.shared_accesses, counted.wavefronts, wavefronts);
    for (const Thread& thread : threads) counted.complete &= thread.counted;
  }
}

// [block]
/// Runs a block on this thread of the host: round after round, each from one barrier to the next. Once all
/// lanes of a warp wait for a warp's instruction, it goes on before the other threads have turns.
void run_block(std::vector<Thread>& threads, const std::function<void()>& kernel, Index number) {
  for (const auto& poison : shared_memory) poison();
  for (std::size_t t = 0; t < threads.size(); ++t) {
    const auto of = static_cast<unsigned>(t);
    threads[t].start({of % blockDim.x, of / blockDim.x}, kernel);
  }
  Index round = 0;
  do {
    for (const std::size_t t : turns(threads.size(), number, round)) {
      threads[t].resume();
      if (threads[t].state() == Thread::in_warp)
        go_on(std::span<Thread, 32>(&threads[t / 32 * 32], 32), number, round);
    }
    ++round;
  } while (all_wait(threads));
  if (counting) count(threads);
}
// [/block]

/// Runs a launch; blocks are shared out among the host's cores.
void run(Grid grid, Block block, const std::function<void()>& thread) {
  const Index blocks = grid.x * grid.y;
  std::map<Index, std::string> failures;  // of the blocks that failed
#pragma omp parallel
  {
    std::vector<Thread> threads(static_cast<std::size_t>(block.x * block.y));
    blockDim = {unsigned(block.x), unsigned(block.y), 1};
    gridDim = {unsigned(grid.x), unsigned(grid.y), 1};
#pragma omp for schedule(dynamic)
    for (Index b = 0; b < blocks; ++b) try {
        blockIdx = {unsigned(b % grid.x), unsigned(b / grid.x), 0};
        run_block(threads, thread, b);
      } catch (const std::exception& error) {
        for (Thread& thread : threads) thread.cancel();
#pragma omp critical
        failures[b] = error.what();
      }
  }
  if (!failures.empty()) throw std::runtime_error(failures.begin()->second);
}

thread_local std::list<Stream> streams;  // of this host thread
thread_local Index streams_turn = 0;     // how often one of them was chosen

/// Does the next piece of work in the stream, if there is one and it may begin.
bool go_on(Stream& stream) {
  if (stream.tasks.empty() || (stream.tasks.front().ready && !stream.tasks.front().ready())) return false;
  const Task task = std::move(stream.tasks.front());
  stream.tasks.pop_front();
  device = stream.device;
  task.work();
  return true;
}

/// Does a piece of work of some stream of the device, or of any; false if none can go on.
bool any_goes_on(int of_device = -1) {
  std::vector<Stream*> all;
  for (Stream& stream : streams)
    if (of_device < 0 || stream.device == of_device) all.push_back(&stream);
  for (const std::size_t at : turns(all.size(), streams_turn++, 0))
    if (go_on(*all[at])) return true;
  return false;
}

/// Goes on with `preferred`, or if that waits with any stream, until `done`. After an error nothing is left.
template <class Done, class Preferred>
void go_on_until(Done done, Preferred preferred) {
  const int before = device;
  try {
    while (!done())
      if (!preferred() && !any_goes_on()) throw std::runtime_error("streams wait for each other");
  } catch (...) {
    device = before;
    for (Stream& stream : streams) stream.tasks.clear();
    throw;
  }
  device = before;
}

std::mutex memory_guard;
std::map<std::uintptr_t, std::pair<std::size_t, int>> memory;  // by its beginning: bytes, and the device
bool access_[devices][devices];
}  // namespace

thread_local int device = 0;

Stream& default_stream() {
  for (Stream& stream : streams)
    if (stream.is_default && stream.device == device) return stream;
  return streams.emplace_front(Stream{device, true});  // older than those beside it
}
Stream* new_stream() {
  return &streams.emplace_back(Stream{device});
}
void end_stream(Stream* stream) {
  synchronize(*stream);
  streams.remove_if([stream](const Stream& each) { return &each == stream; });
}

void allocated(const void* address, std::size_t bytes) {
  const std::lock_guard lock(memory_guard);
  memory[reinterpret_cast<std::uintptr_t>(address)] = {bytes, device};
}
void freed(const void* address) {
  const std::lock_guard lock(memory_guard);
  memory.erase(reinterpret_cast<std::uintptr_t>(address));
}
bool& has_access(int from, int to) {
  return access_[from][to];
}
void require_access(const void* address) {
  const std::lock_guard lock(memory_guard);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  auto block = memory.upper_bound(at);
  if (block == memory.begin()) return;
  const auto [bytes, owner] = (--block)->second;
  if (at - block->first < bytes && owner != device && !access_[device][owner])
    throw std::runtime_error(fmt::format("GPU {} has no access to the memory of GPU {}", device, owner));
}

void set_order(const std::string& order) {
  order_ = order;
  if (order == "forward" || order == "reversed") return;
  seed_ = std::stoull(order);
  order_ = fmt::format("shuffled by {}", seed_);
}

std::string order() {
  return order_;
}

void enqueue(Grid grid, Block block, std::function<void()> thread) {
  if (block.x < 1 || block.y < 1 || block.x * block.y > 1024 || grid.x >= Index{1} << 31 ||
      grid.y > most_blocks_in_y)
    throw std::runtime_error("invalid configuration argument");
  default_stream().tasks.push_back({[=] { run(grid, block, thread); }});
}

void synchronize() {
  const auto here = [on = device] {
    return std::none_of(streams.begin(), streams.end(),
                        [on](const Stream& stream) { return stream.device == on && !stream.tasks.empty(); });
  };
  go_on_until(here, [on = device] { return any_goes_on(on); });
}
void synchronize(Stream& stream) {
  go_on_until([&] { return stream.tasks.empty(); }, [&] { return go_on(stream); });
}

bool pending() {
  return !default_stream().tasks.empty();
}

void before_each_block(std::function<void()> poison) {
  poison();
  shared_memory.push_back(std::move(poison));
}

bool counting = false;

Counts take_counts() {
  return std::exchange(counted, {});
}

void touched(const void* element) {
  const auto at = reinterpret_cast<std::uintptr_t>(element);
  if (Thread* const thread = Thread::now_running) thread->global.push_back({at, at});
}
void touched_shared(const void* from, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(from);
  Thread::now_running->shared.push_back({at, at + bytes - 1});
}
void not_counted() {
  Thread::now_running->counted = false;
}

int lane() {
  return int((threadIdx.x + blockDim.x * threadIdx.y) % 32);
}

void together(void* mine, Work work, const char* file, int line) {
  if (const unsigned size = blockDim.x * blockDim.y; size % 32 != 0)
    throw std::runtime_error(fmt::format("{} threads a block: words of a warp need a multiple of 32", size));
  Thread::now_running->wait(Thread::in_warp, {file, line}, work, mine);
}

// Products are exact. They and the sum are aligned to the largest exponent among them (a product's is the sum
// of its factors', a denormal's that of the least normal number) and cut off 25 bits below it, then added
// exactly, and the result is cut off to a float, as an H100's mma.sync and wgmma do (errors to nine digits).
// (V100: 4 at once, 23 bits; A100: 8, 24.) P. Xie, Y. Wang, F. Yang, M. Yang, MMA-Sim, 2025
// (arXiv:2511.10909), and F. A. Khattak, M. Mikaitis, Accurate Models of NVIDIA Tensor Cores, 2025
// (arXiv:2512.07004), found it, as M. Fasi and others did for earlier GPUs: Numerical behavior of NVIDIA
// tensor cores, PeerJ CS 7:e330, 2021.
float truncated_sum(float sum, const float (&a)[16], const float (&b)[16], int least) {
  constexpr int at_once = 16, bits = 25;
  const auto exponent = [](float x, int at_least) {
    return std::max(int(std::bit_cast<std::uint32_t>(x) >> 23 & 0xff) - 127, at_least);
  };
  for (int p = 0; p < 16; p += at_once) {
    // [truncated_sum]
    int largest = exponent(sum, -126);
    for (int q = p; q < p + at_once; ++q)
      if (a[q] != 0 && b[q] != 0) largest = std::max(largest, exponent(a[q], least) + exponent(b[q], least));
    const double unit = std::ldexp(1, largest - bits), units = 1 / unit;
    double total = std::trunc(double{sum} * units);  // integers: their sum is exact
    for (int q = p; q < p + at_once; ++q) total += std::trunc(double{a[q]} * double{b[q]} * units);
    const double exact = total * unit;
    sum = float(exact);  // rounded: one step too far from zero perhaps
    if (std::abs(sum) > std::abs(exact) && std::abs(exact) < 0x1p128) sum = std::nextafter(sum, 0.0f);
    // [/truncated_sum]
    sum += 0.0f;  // a zero is positive
  }
  return sum;
}

void outside(Index i, Index j, Index rows, Index cols) {
  throw std::out_of_range(
      fmt::format("element ({}, {}) of a {} x {} tile in shared memory", i, j, rows, cols));
}

}  // namespace course::emulator

void __syncthreads(const char* file, int line) {
  course::emulator::Thread::now_running->wait(course::emulator::Thread::at_barrier, {file, line});
}

void __syncwarp(const char* file, int line) {
  course::emulator::together(
      nullptr, [](void* const(&)[32]) {}, file, line);
}

void __trap() {
  throw std::runtime_error("unspecified launch failure");
}
