// As much of CUDA's runtime as gpu/cuda.hpp calls, on the host's memory: two devices, both the emulator. What
// is wrong for a real one is an error here, too; what a kernel threw is thrown by whoever waits for it.
#pragma once

#include <cstddef>
#include <new>
#include <stdexcept>

#include "gpu/emulator/emulator.hpp"

namespace course {
inline namespace emulated {  // a program has both: for the linker their names differ

enum cudaError_t {
  cudaSuccess,
  cudaErrorInvalidValue,
  cudaErrorMemoryAllocation,
  cudaErrorNotReady,
  cudaErrorNoDevice
};
enum cudaDeviceAttr {
  cudaDevAttrComputeCapabilityMajor,
  cudaDevAttrComputeCapabilityMinor,
  cudaDevAttrMultiProcessorCount
};
enum cudaMemcpyKind { cudaMemcpyDefault };
constexpr unsigned cudaHostRegisterDefault = 0;
struct cudaDeviceProp {
  char name[256];
};
struct CUevent_st;
using cudaEvent_t = CUevent_st*;
using cudaStream_t = struct CUstream_st*;

const char* cudaGetErrorString(cudaError_t status);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaStreamQuery(cudaStream_t stream);

/// Events wait for what was launched before them.
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventRecord(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaEventDestroy(cudaEvent_t event);

cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaMallocManaged(void** memory, std::size_t bytes);
cudaError_t cudaMallocPitch(void** memory, std::size_t* pitch, std::size_t width, std::size_t height);
cudaError_t cudaFree(void* memory);
cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* memory);
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes);
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind);

/// Throws if a call of the runtime failed.
inline void check(cudaError_t status) {
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

}  // namespace emulated

namespace emulator {

/// How often memory of each kind was taken since the program began, and any given back: a result tells
/// nothing of it.
inline struct Taken {
  int device = 0, pitched = 0, unified = 0, pinned = 0, unpinned = 0, given_back = 0;
} taken;

}  // namespace emulator
}  // namespace course
