// The words of CUDA that the course's kernels are written in: nvcc's own, or the emulator's, which any C++
// compiler understands. All that a kernel sees besides common/view.hpp.
#pragma once

#include <functional>
#include <type_traits>

#include "common/view.hpp"

namespace course {

/// How many blocks, and how many threads in each; x counts fastest. Two types, so that swapping them does not
/// compile.
struct Grid {
  Index x = 1, y = 1;
};
struct Block {
  Index x = 1, y = 1;
};

/// The last launch as it was asked for: whoever started it compares it with what was meant.
inline struct Launched {
  Grid grid;
  Block block;
} launched;

constexpr Index ceil_div(Index dividend, Index divisor) {
  return (dividend + divisor - 1) / divisor;
}

/// What CUDA allows of blocks in a grid's y; in x there may be 2^31 - 1.
constexpr Index most_blocks_in_y = 65535;

}  // namespace course

#ifdef __CUDACC__

#include <new>
#include <stdexcept>

namespace course {

/// A block's matrix in shared memory: __shared__ SharedTile<float, 32, 32> a_tile;
template <class T, int rows, int cols>
using SharedTile = T[rows][cols];

/// The status of every call comes by here: what went wrong becomes an exception that says so.
inline void check(cudaError_t status) {
  if (status != cudaSuccess) cudaGetLastError();  // forgotten: the next launch shall not be blamed for it
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();  // the runner asks for a smaller size
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

inline namespace on_gpu {  // a program has both launches: the names the linker sees differ

/// Starts a kernel, kernel<<<grid, block>>>(arguments…), and returns before it has run; nothing if there is
/// no block. Throws what CUDA says of a launch that cannot be.
template <class... Parameters>
void launch(void (*kernel)(Parameters...), Grid grid, Block block,
            std::type_identity_t<Parameters>... arguments) {
  launched = {grid, block};
  if (grid.x == 0 || grid.y == 0) return;
  const auto three = [](auto two) { return dim3(unsigned(two.x), unsigned(two.y)); };
  kernel<<<three(grid), three(block)>>>(arguments...);
  check(cudaGetLastError());  // a launch returns nothing
}

}  // namespace on_gpu
}  // namespace course

#else
#include "emulator/emulator.hpp"
#endif
