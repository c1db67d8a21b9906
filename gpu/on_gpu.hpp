// CUDA's words where nvcc compiles: what gpu/emulator/emulator.hpp is for any C++ compiler.
#pragma once

#include <new>
#include <stdexcept>
#include <type_traits>

#include "gpu/grid.hpp"

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

inline dim3 in_cuda(auto two) {
  return {unsigned(two.x), unsigned(two.y)};
}

/// Starts a kernel, kernel<<<grid, block>>>(arguments…), and returns before it has run; nothing if there is
/// no block. Throws what CUDA says of a launch that cannot be.
template <class... Parameters>
void launch(void (*kernel)(Parameters...), Grid grid, Block block,
            std::type_identity_t<Parameters>... arguments) {
  launched = {grid, block, reinterpret_cast<void (*)()>(kernel)};
  if (grid.x == 0 || grid.y == 0) return;
  kernel<<<in_cuda(grid), in_cuda(block)>>>(arguments...);
  check(cudaGetLastError());  // a launch returns nothing
}

/// The same for blocks that wait for each other: all are resident at once, or CUDA refuses the launch.
template <class... Parameters>
void launch_together(void (*kernel)(Parameters...), Grid grid, Block block,
                     std::type_identity_t<Parameters>... arguments) {
  launched = {grid, block, reinterpret_cast<void (*)()>(kernel)};
  void* pointers[] = {&arguments...};
  check(cudaLaunchCooperativeKernel(kernel, in_cuda(grid), in_cuda(block), pointers));
}

}  // namespace on_gpu
}  // namespace course
