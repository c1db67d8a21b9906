// As much of CUDA's runtime as gpu/cuda.hpp calls, on the host's memory: two devices, both the emulator. What
// is wrong for a real one is an error here, too; what a kernel threw is thrown by whoever waits for it.
#pragma once

#include <chrono>
#include <cstdlib>
#include <cstring>
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
inline const char* cudaGetErrorString(cudaError_t status) {
  const char* const texts[] = {"no error", "invalid argument", "out of memory", "not ready",
                               "built without nvcc"};
  return texts[status];
}
/// Throws if a call of the runtime failed.
inline void check(cudaError_t status) {
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

constexpr int devices = 2;
inline thread_local int current_device = 0;

inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = emulator::order().empty() ? 0 : devices;
  return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= devices) return cudaErrorInvalidValue;
  current_device = device;
  return cudaSuccess;
}
struct cudaDeviceProp {
  char name[256];
};
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  const std::string name = "emulator: " + emulator::order();
  std::memcpy(properties->name, name.c_str(), name.size() + 1);
  return cudaSuccess;
}
enum cudaDeviceAttr {
  cudaDevAttrComputeCapabilityMajor,
  cudaDevAttrComputeCapabilityMinor,
  cudaDevAttrMultiProcessorCount
};
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  const int values[] = {9, 0, 5};  // few multiprocessors: so that small products, too, are shared out
  *value = values[attribute];
  return cudaSuccess;
}

inline cudaError_t cudaDeviceSynchronize() {
  emulator::synchronize();
  return cudaSuccess;
}
inline cudaError_t cudaStreamQuery(std::nullptr_t) {
  return emulator::pending() ? cudaErrorNotReady : cudaSuccess;
}

/// Events wait for what was launched before them.
struct CUevent_st {
  std::chrono::steady_clock::time_point at;
};
using cudaEvent_t = CUevent_st*;
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event) {
  emulator::synchronize();
  event->at = std::chrono::steady_clock::now();
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return cudaSuccess;
}
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->at - start->at).count();
  return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

/// Memory that is not what anybody left there.
inline cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  constexpr std::size_t line = 512;
  if (bytes > std::size_t{1} << 46) return cudaErrorMemoryAllocation;
  const std::size_t size = (bytes + line - 1) / line * line;
  *memory = std::aligned_alloc(line, size);
  if (*memory == nullptr) return cudaErrorMemoryAllocation;
  std::memset(*memory, 1, size);
  return cudaSuccess;
}
inline cudaError_t cudaMallocManaged(void** memory, std::size_t bytes) {
  return cudaMalloc(memory, bytes);
}
inline cudaError_t cudaMallocPitch(void** memory, std::size_t* pitch, std::size_t width, std::size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return cudaMalloc(memory, *pitch * height);
}
inline cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
constexpr unsigned cudaHostRegisterDefault = 0;
inline cudaError_t cudaHostRegister(void*, std::size_t, unsigned) {
  return cudaSuccess;
}
inline cudaError_t cudaHostUnregister(void*) {
  return cudaSuccess;
}

inline cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  emulator::synchronize();
  std::memset(memory, value, bytes);
  return cudaSuccess;
}
enum cudaMemcpyKind { cudaMemcpyDefault };
inline cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                std::size_t width, std::size_t height, cudaMemcpyKind) {
  if (width > to_pitch || width > from_pitch) return cudaErrorInvalidValue;
  emulator::synchronize();
  for (std::size_t row = 0; row < height; ++row)
    std::memcpy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch,
                width);
  return cudaSuccess;
}

}  // namespace emulated
}  // namespace course
