// CUDA for kernels: nvcc's own, or the emulator's for any C++ compiler; launch() and shared memory for both.
// All that a kernel sees besides common/view.hpp.
#pragma once

#ifndef __CUDACC__
#include "gpu/emulator/emulator.hpp"
#else

#include <new>
#include <stdexcept>
#include <type_traits>

#include "gpu/grid.hpp"

namespace course {

/// A block's matrix in shared memory: __shared__ SharedTile<float, 32, 32> a_tile;
template <class T, int rows, int cols>
using SharedTile = T[rows][cols];

/// What a block asks for as it is launched, of up to 227 KiB; what kernels declare ends at 48.
template <class T>
__device__ T& shared_memory() {
  extern __shared__ __align__(1024) unsigned char course_shared[];
  return reinterpret_cast<T&>(course_shared);
}

/// What lies at an address of shared, or of global memory: the emulator counts this access, too.
template <class V, class T>
__device__ V& in_shared(T* address) {
  return reinterpret_cast<V&>(*address);
}
template <class V, class T>
__device__ V& in_global(T* address) {
  return reinterpret_cast<V&>(*address);
}

/// Throws if a call of CUDA's runtime failed.
inline void check(cudaError_t status) {
  if (status != cudaSuccess) cudaGetLastError();  // resets the error, which the next launch would report
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();  // the runner asks for a smaller size
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

inline namespace on_gpu {  // a program has both launches: for the linker their names differ

inline dim3 in_cuda(auto two) {
  return {unsigned(two.x), unsigned(two.y)};
}

/// kernel<<<grid, block, block.shared>>>(arguments…); nothing if the grid is empty. Returns before it has
/// run. Throws if CUDA refuses.
template <class... Parameters>
void launch(void (*kernel)(Parameters...), Grid grid, Block block,
            std::type_identity_t<Parameters>... arguments) {
  launched = {grid, block};
  if (grid.x == 0 || grid.y == 0) return;
  if (block.shared > 47 * 1024)  // of 48 a kernel may declare some
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(block.shared)));
  kernel<<<in_cuda(grid), in_cuda(block), std::size_t(block.shared)>>>(arguments...);
  check(cudaGetLastError());  // a launch returns nothing
}

/// The same for blocks that wait for each other: all are resident at once, or CUDA refuses the launch.
template <class... Parameters>
void launch_together(void (*kernel)(Parameters...), Grid grid, Block block,
                     std::type_identity_t<Parameters>... arguments) {
  launched = {grid, block};
  void* pointers[] = {&arguments...};
  check(cudaLaunchCooperativeKernel(kernel, in_cuda(grid), in_cuda(block), pointers));
}

}  // namespace on_gpu
}  // namespace course

#endif
