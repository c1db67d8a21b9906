// OpenACC's side of the adaptor.
#include <openacc.h>

#include <cstdlib>

#include "model.hpp"

namespace openacc {
namespace {

bool host_wanted() {
  return is_set("ACC_DEVICE_TYPE", "host");
}

/// The GPU to use, or -1. libgomp would end the program where a variable names a device that is not there.
int gpu_number() {
  if (host_wanted() || !offloads) return -1;
  const char* const given = std::getenv("ACC_DEVICE_NUM");
  const int number = given == nullptr ? 0 : std::atoi(given);
  return number >= 0 && number < acc_get_num_devices(acc_device_nvidia) ? number : -1;
}

/// Said once, before the first region.
void choose() {
  static const bool chosen = [] {
    const int gpu = gpu_number();
    acc_set_device_num(gpu < 0 ? 0 : gpu, gpu < 0 ? acc_device_host : acc_device_nvidia);
    return true;
  }();
  static_cast<void>(chosen);
}

// [on_host]
bool on_host() {
  choose();  // the GPU, unless the user wants the host
  int host = 1;
#pragma acc parallel copy(host)
  host = acc_on_device(acc_device_host);
  return host != 0;
}
// [/on_host]

const char* gpu() {
  return acc_get_property_string(acc_get_device_num(acc_device_nvidia), acc_device_nvidia, acc_property_name);
}
double free_bytes() {
  return static_cast<double>(
      acc_get_property(acc_get_device_num(acc_device_nvidia), acc_device_nvidia, acc_property_free_memory));
}
void* take(std::size_t bytes) {
  return acc_malloc(bytes);
}
void give_back(void* memory) {
  acc_free(memory);
}

// A failed copy ends the program in libgomp.
bool to_device(void* to, const void* from, std::size_t bytes) {
  acc_memcpy_to_device(to, const_cast<void*>(from), bytes);  // gcc 12 declares it without const
  return true;
}
bool from_device(void* to, const void* from, std::size_t bytes) {
  acc_memcpy_from_device(to, const_cast<void*>(from), bytes);
  return true;
}

}  // namespace

const Model by_openacc = {
    "OpenACC",  "ACC_DEVICE_TYPE=host", host_wanted, on_host, gpu, free_bytes, take, give_back, to_device,
    from_device};

}  // namespace openacc
