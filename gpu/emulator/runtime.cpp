#include "gpu/emulator/runtime.hpp"

#include <sys/mman.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

namespace course {
inline namespace emulated {
namespace {

constexpr int devices = 2;
thread_local int current = 0;

/// Memory that is not what anybody left there.
cudaError_t take(void** memory, std::size_t bytes) {
  constexpr std::size_t line = 512;
  if (bytes > std::size_t{1} << 46) return cudaErrorMemoryAllocation;
  const std::size_t size = (bytes + line - 1) / line * line;
  *memory = std::aligned_alloc(line, size);
  if (*memory == nullptr) return cudaErrorMemoryAllocation;
  std::memset(*memory, 1, size);
  return cudaSuccess;
}

}  // namespace

struct CUevent_st {
  std::chrono::steady_clock::time_point at;
};

const char* cudaGetErrorString(cudaError_t status) {
  const char* const texts[] = {"no error", "invalid argument", "out of memory", "not ready",
                               "built without nvcc; --emulate forward runs it on the processor"};
  return texts[status];
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = emulator::order().empty() ? 0 : devices;
  return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= devices) return cudaErrorInvalidValue;
  current = device;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  const std::string name = "emulator: " + emulator::order();
  std::memcpy(properties->name, name.c_str(), name.size() + 1);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  const int values[] = {9, 0, 5};  // few multiprocessors: so that small products, too, are shared out
  *value = values[attribute];
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all) {
  *free = *all = std::size_t{1} << 46;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  emulator::synchronize();
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t) {
  return emulator::pending() ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event) {
  emulator::synchronize();
  event->at = std::chrono::steady_clock::now();
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->at - start->at).count();
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  ++emulator::taken.device;
  return take(memory, bytes);
}
cudaError_t cudaMallocManaged(void** memory, std::size_t bytes) {
  ++emulator::taken.unified;
  return take(memory, bytes);
}
cudaError_t cudaMallocPitch(void** memory, std::size_t* pitch, std::size_t width, std::size_t height) {
  ++emulator::taken.pitched;
  *pitch = (width + 511) / 512 * 512;
  return take(memory, *pitch * height);
}
cudaError_t cudaFree(void* memory) {
  ++emulator::taken.given_back;
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void*, std::size_t, unsigned) {
  ++emulator::taken.pinned;
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* memory) {
  if (msync(memory, 1, MS_ASYNC) != 0) return cudaErrorInvalidValue;  // it was freed before
  ++emulator::taken.unpinned;
  return cudaSuccess;
}

cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  emulator::synchronize();
  std::memset(memory, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
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
