// As much of CUDA's runtime as gpu/cuda.hpp and 15 call, on the host's memory: four devices, all the
// emulator. What is wrong for a real one is an error here, too; what a kernel threw is thrown by whoever
// waits for it.
#pragma once

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "gpu/emulator/emulator.hpp"

namespace course {
inline namespace emulated {  // a program has both: for the linker their names differ

enum cudaError_t {
  cudaSuccess,
  cudaErrorInvalidValue,
  cudaErrorMemoryAllocation,
  cudaErrorNotReady,
  cudaErrorNoDevice,
  cudaErrorPeerAccessAlreadyEnabled,
  cudaErrorUnknown
};
inline const char* cudaGetErrorString(cudaError_t status) {
  const char* const texts[] = {"no error",     "invalid argument",   "out of memory",
                               "not ready",    "built without nvcc", "peer access is already enabled",
                               "unknown error"};
  return texts[status];
}
/// Throws if a call of the runtime failed.
inline void check(cudaError_t status) {
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = emulator::order().empty() ? 0 : emulator::devices;
  return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = emulator::device;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= emulator::devices) return cudaErrorInvalidValue;
  emulator::device = device;
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

inline cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int other) {
  *can = device != other;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned) {
  return std::exchange(emulator::has_access(emulator::device, other), true)
             ? cudaErrorPeerAccessAlreadyEnabled
             : cudaSuccess;
}
inline cudaError_t cudaGetLastError() {
  return cudaSuccess;
}

inline int lost = -1;  // a device that does not answer any more; for tests
inline cudaError_t cudaDeviceSynchronize() {
  emulator::synchronize();
  return cudaSuccess;
}
inline cudaError_t cudaStreamQuery(std::nullptr_t) {
  if (emulator::device == lost) return cudaErrorUnknown;
  return emulator::pending() ? cudaErrorNotReady : cudaSuccess;
}

using CUstream_st = emulator::Stream;
using cudaStream_t = CUstream_st*;
inline emulator::Stream& in_order(cudaStream_t stream) {
  if (emulator::device == lost) check(cudaErrorUnknown);
  return stream == nullptr ? emulator::default_stream() : *stream;
}
constexpr unsigned cudaStreamNonBlocking = 1;
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  if (flags != cudaStreamNonBlocking) return cudaErrorInvalidValue;  // others wait for the default stream
  *stream = emulator::new_stream();
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  emulator::end_stream(stream);
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  emulator::synchronize(in_order(stream));
  return cudaSuccess;
}

/// An event's records: how many were put into streams, and how many have been done, the last one when. It is
/// its host thread's: an event of another's GPU is not emulated.
struct CUevent_st {
  struct Records {
    int put = 0, done = 0;
    std::chrono::steady_clock::time_point at;
  };
  std::shared_ptr<Records> records = std::make_shared<Records>();
};
using cudaEvent_t = CUevent_st*;
constexpr unsigned cudaEventDefault = 0, cudaEventDisableTiming = 2;
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) {
  in_order(stream).tasks.push_back({[of = event->records, record = ++event->records->put] {
    of->done = record, of->at = std::chrono::steady_clock::now();
  }});
  return cudaSuccess;
}
/// For the last record before this call; none: for nothing.
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  in_order(stream).tasks.push_back(
      {[] {}, [of = event->records, record = event->records->put] { return of->done >= record; }});
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  emulator::Stream waits{emulator::device};
  cudaStreamWaitEvent(&waits, event, 0);
  emulator::synchronize(waits);
  return cudaSuccess;
}
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->records->at - start->records->at).count();
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
  emulator::allocated(*memory, size);
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
  emulator::freed(memory);
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

/// What does not return before it is done waits for the default stream alone.
inline cudaError_t cudaMemset2D(void* memory, std::size_t pitch, int value, std::size_t width,
                                std::size_t height) {
  emulator::synchronize(emulator::default_stream());
  for (std::size_t row = 0; row < height; ++row)
    std::memset(static_cast<char*>(memory) + row * pitch, value, width);
  return cudaSuccess;
}
inline cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  return cudaMemset2D(memory, bytes, value, bytes, 1);
}
enum cudaMemcpyKind { cudaMemcpyDefault };
inline cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                     std::size_t width, std::size_t height, cudaMemcpyKind,
                                     cudaStream_t stream) {
  if (width > to_pitch || width > from_pitch) return cudaErrorInvalidValue;
  emulator::require_access(to), emulator::require_access(from);
  in_order(stream).tasks.push_back({[=] {
    for (std::size_t row = 0; row < height; ++row)
      std::memcpy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch,
                  width);
  }});
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
  return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}
inline cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  const cudaError_t status = cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
  emulator::synchronize(emulator::default_stream());
  return status;
}

}  // namespace emulated
}  // namespace course
