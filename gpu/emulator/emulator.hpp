// CUDA for a plain C++ compiler: keywords, threadIdx, barriers, shared memory, launch(). README.md explains
// it.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "common/matrix.hpp"
#include "gpu/grid.hpp"

#define __global__ static  // internal linkage: nvcc's stub of the same kernel bears the same name
#define __device__ static
#define __shared__ static thread_local  // a block's threads all run on one thread of the host
#define __launch_bounds__(...)

namespace course::emulator {

/// Sets the order of a block's threads between two barriers: "forward", "reversed", or a seed that shuffles
/// them each time.
void set_order(const std::string& order);
/// A description of the order; empty if none is set.
std::string order();

// [streams]
/// Work in a stream, and what must have happened before; nothing: it may begin after the work in front.
struct Task {
  std::function<void()> work;
  std::function<bool()> ready = {};
};
/// What lies in a stream is done in order. Which of two streams goes on first nobody knows: the oldest that
/// can, as long as it can, or with the order reversed the newest, or else by lot. A kernel that does not wait
/// for what another stream brings is found wrong in one order or another.
struct Stream {
  int device;
  bool is_default = false;
  std::deque<Task> tasks = {};
};
// [/streams]
constexpr int devices = 4;
extern thread_local int device;  // of this host thread
/// This host thread's stream for kernels on its device; a new one beside it; its end, with what is in it.
Stream& default_stream();
Stream* new_stream();
void end_stream(Stream* stream);

/// Notes that memory lies on this host thread's device, or no more anywhere.
void allocated(const void* memory, std::size_t bytes);
void freed(const void* memory);
/// Whether `device` may read and write the memory of `other`.
bool& has_access(int device, int other);
/// Throws if an address lies on a device to which this host thread's has no access.
void require_access(const void* address);
template <class Argument>
void require_access_by(const Argument& argument) {
  if constexpr (requires { argument.data(), argument.ld(); })
    require_access(argument.data());
  else if constexpr (std::is_convertible_v<Argument, const void*>)
    require_access(argument);
}

/// Puts a launch into the default stream. Throws if CUDA would refuse it.
void enqueue(Grid grid, Block block, std::function<void()> thread);
/// Runs what is in the streams of this host thread's device, or in one of them, and of the others what that
/// waits for. Throws what a thread threw, with its index, and if not all threads of a block reach a barrier,
/// with its line.
void synchronize();
void synchronize(Stream& stream);
/// Whether something is in the default stream.
bool pending();

/// Calls `poison`, which overwrites shared memory, now and before each block on this thread of the host.
void before_each_block(std::function<void()> poison);

/// Waits for the other threads of this one's warp, each with a pointer to what it brings; when all 32 are
/// here, `work` runs once, and all go on. A warp is 32 threads that follow each other in the block, x
/// counting fastest.
void together(void* mine, void (*work)(void* const (&lanes)[32]), const char* file = __builtin_FILE(),
              int line = __builtin_LINE());
/// This thread's number in its warp.
int lane();
/// `sum` and 16 products, added as a tensor core of Hopper does it: cut off, not rounded. emulator.cpp says
/// how. `least`: the exponent of the least normal number of the factors' type, -126 of BF16, -14 of FP16.
float truncated_sum(float sum, const float (&a)[16], const float (&b)[16], int least);

/// Throws std::out_of_range: no such element.
[[noreturn]] void outside(Index i, Index j, Index rows, Index cols);

/// The counts of warps' accesses to global and shared memory: an access is one of all 32 threads, a sector 32
/// bytes of global memory, a wavefront one word from each bank of shared memory.
struct Counts {
  double accesses = 0, sectors = 0, shared_accesses = 0, wavefronts = 0;
  bool complete = true;  // false: a kernel accessed memory in a way that is not noted
};
/// Whether what runs is counted.
extern bool counting;
/// The counts since the last call.
Counts take_counts();
/// Notes that the thread that runs accesses global memory, or so many bytes of shared memory, or what is not
/// counted.
void touched(const void* element);
void touched_shared(const void* from, std::size_t bytes);
void not_counted();

struct Triple {
  unsigned x{}, y{}, z{};
};
/// A line of a kernel's source. (clang 14 has no std::source_location.)
struct Line {
  const char* file = "";
  int number{};
};

}  // namespace course::emulator

inline constinit thread_local course::emulator::Triple threadIdx, blockIdx, blockDim, gridDim;

/// A barrier: waits until all threads of the block have come here.
void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE());
/// The same for the threads of a warp.
void __syncwarp(const char* file = __builtin_FILE(), int line = __builtin_LINE());
/// Ends the kernel and, on a GPU, all that this process could do there.
[[noreturn]] void __trap();

/// The value that lane `from` of the warp brings; for whole warps only.
template <class T>
T __shfl_sync(unsigned mask, T value, int from, const char* file = __builtin_FILE(),
              int line = __builtin_LINE()) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  if (mask != 0xffffffff) throw std::runtime_error("a shuffle of a part of a warp is not emulated");
  struct Lane {
    T value;
    int from;
    T received;
  } mine{value, from, value};
  const auto exchange = [](void* const(&lanes)[32]) {
    for (void* lane : lanes) {
      auto& to = *static_cast<Lane*>(lane);
      to.received = static_cast<Lane*>(lanes[to.from & 31])->value;
    }
  };
  course::emulator::together(&mine, exchange, file, line);
  return mine.received;
}
/// The value of the lane whose number differs from this one's in the bits of `lane_mask`.
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  return __shfl_sync(mask, value, course::emulator::lane() ^ lane_mask, file, line);
}

namespace course {

// [tile]
/// A block's matrix in shared memory: __shared__ SharedTile<float, 32, 32> a_tile;
template <class T, int rows, int cols>
class SharedTile {
 public:
  SharedTile() {
    emulator::before_each_block([this] { std::fill_n(&elements_[0][0], rows * cols, poison<T>()); });
  }
  struct Row {
    T* elements;
    Index i;
    T& operator[](Index j) const {
      T* const element = *this + j;
      if (emulator::counting) [[unlikely]]
        emulator::touched_shared(element, sizeof(T));
      return *element;
    }
    /// The address alone, which touches nothing.
    T* operator+(Index j) const {
      if (i < 0 || i >= rows || j < 0 || j >= cols) emulator::outside(i, j, rows, cols);
      return elements + i * cols + j;
    }
  };
  Row operator[](Index i) { return {&elements_[0][0], i}; }

 private:
  T elements_[rows][cols];
};
// [/tile]

/// What lies at an address: counted, but not checked.
template <class V, class T>
V& in_shared(T* address) {
  if (emulator::counting) [[unlikely]]
    emulator::touched_shared(address, sizeof(V));
  return reinterpret_cast<V&>(*address);
}
template <class V, class T>
V& in_global(T* address) {
  if (emulator::counting) [[unlikely]]
    emulator::touched(address);
  return reinterpret_cast<V&>(*address);
}

/// What a block asks for as it is launched.
template <class T>
T& shared_memory() {
  static thread_local T memory;
  return memory;
}

inline namespace emulated {  // a program has both launches: the names the linker sees differ

// [launch]
template <class... Parameters>
void launch(void (*kernel)(Parameters...), Grid grid, Block block,
            std::type_identity_t<Parameters>... arguments) {
  launched = {grid, block};
  (emulator::require_access_by(arguments), ...);
  if (grid.x > 0 && grid.y > 0) emulator::enqueue(grid, block, [=] { kernel(arguments...); });
}
// [/launch]

/// Cooperative launch. The emulator runs blocks in index order: a block may wait only for lower indices.
template <class... Parameters>
void launch_together(void (*kernel)(Parameters...), Grid grid, Block block,
                     std::type_identity_t<Parameters>... arguments) {
  launch(kernel, grid, block, arguments...);
}

}  // namespace emulated
}  // namespace course
