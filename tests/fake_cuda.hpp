// As much of CUDA's runtime as gpu/cuda.hpp calls, on the host's memory: no nvcc, no toolkit, no GPU. What is
// wrong for a real one is an error here, too.
#pragma once

#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <stdexcept>

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
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDefault };
constexpr unsigned cudaHostRegisterDefault = 0;
struct cudaDeviceProp {
  char name[256];
};
struct CUevent_st {
  float milliseconds = -1;  // when it was recorded
};
using cudaEvent_t = CUevent_st*;
using cudaStream_t = struct CUstream_st*;

namespace fake_cuda {

inline struct State {
  int devices = 1, major = 8, minor = 6;
  cudaError_t status = cudaSuccess;  // of what else is asked
  bool busy = false;
  float milliseconds = 0;                                    // the GPU's clock
  std::map<void*, std::size_t> taken = {}, registered = {};  // of the GPU; of the host
  int pitched = 0, unified = 0;                              // how many were allocated so
  int events = 0, synchronized = 0;
} state;

inline cudaError_t take(void** memory, std::size_t bytes) {
  if (state.status != cudaSuccess) return state.status;
  state.taken[*memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512)] = bytes;
  return cudaSuccess;
}

}  // namespace fake_cuda

inline const char* cudaGetErrorString(cudaError_t status) {
  const char* const texts[] = {"no error", "invalid argument", "out of memory", "not ready", "no device"};
  return texts[status];
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  std::strcpy(properties->name, "a GPU");
  return device < fake_cuda::state.devices ? cudaSuccess : cudaErrorNoDevice;
}
inline cudaError_t cudaGetDeviceCount(int* count) {
  return (*count = fake_cuda::state.devices) > 0 ? cudaSuccess : cudaErrorNoDevice;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  const int values[] = {fake_cuda::state.major, fake_cuda::state.minor, 132};
  *value = values[attribute];
  return fake_cuda::state.status;
}
inline cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all) {
  *free = 1000, *all = 3000;
  return fake_cuda::state.status;
}
inline cudaError_t cudaDeviceSynchronize() {
  ++fake_cuda::state.synchronized;
  return fake_cuda::state.status;
}
inline cudaError_t cudaStreamQuery(cudaStream_t) {
  return fake_cuda::state.busy ? cudaErrorNotReady : cudaSuccess;
}

inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st, ++fake_cuda::state.events;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event) {
  event->milliseconds = fake_cuda::state.milliseconds;
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return fake_cuda::state.status;
}
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  *milliseconds = end->milliseconds - start->milliseconds;
  return start->milliseconds < 0 ? cudaErrorInvalidValue : cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event, --fake_cuda::state.events;
  return cudaSuccess;
}

inline cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return fake_cuda::take(memory, bytes);
}
inline cudaError_t cudaMallocManaged(void** memory, std::size_t bytes) {
  ++fake_cuda::state.unified;
  return fake_cuda::take(memory, bytes);
}
inline cudaError_t cudaMallocPitch(void** memory, std::size_t* pitch, std::size_t width, std::size_t height) {
  ++fake_cuda::state.pitched;
  *pitch = (width + 511) / 512 * 512;
  return fake_cuda::take(memory, *pitch * height);
}
inline cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return fake_cuda::state.taken.erase(memory) == 1 ? cudaSuccess : cudaErrorInvalidValue;
}
inline cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  std::memset(memory, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch || kind != cudaMemcpyDefault) return cudaErrorInvalidValue;
  for (std::size_t row = 0; row < height; ++row)
    std::memcpy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch,
                width);
  return fake_cuda::state.status;
}
inline cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned) {
  fake_cuda::state.registered[memory] = bytes;
  return fake_cuda::state.status;
}
inline cudaError_t cudaHostUnregister(void* memory) {
  static_cast<volatile char*>(memory)[0] = 0;  // it is there yet
  return fake_cuda::state.registered.erase(memory) == 1 ? cudaSuccess : cudaErrorInvalidValue;
}

namespace course {

inline void check(cudaError_t status) {  // gpu/launch.hpp's, where there is no launch
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

}  // namespace course
