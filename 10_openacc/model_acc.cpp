// OpenACC's side of the adaptor, and memory for both models.
#include <openacc.h>

#include "model.hpp"

namespace openacc {
namespace {

/// The calls and the regions that follow are for this GPU, or for the host.
void choose(int gpu) {
  acc_set_device_num(gpu < 0 ? 0 : gpu, gpu < 0 ? acc_device_host : acc_device_nvidia);
}

/// The GPU to use, or -1. libgomp would end the program where a variable names a device that is not there.
int wanted() {
  if (host_wanted(by_openacc) || !offloads) return -1;
  const char* const given = std::getenv("ACC_DEVICE_NUM");
  const int number = given == nullptr ? 0 : std::atoi(given);
  return number >= 0 && number < acc_get_num_devices(acc_device_nvidia) ? number : -1;
}

// [runs_on]
int runs_on() {
  const int gpu = wanted();
  choose(gpu);
  int host = 1;
#pragma acc parallel copy(host)
  host = acc_on_device(acc_device_host);
  return host != 0 ? -1 : gpu;
}
// [/runs_on]

}  // namespace

const Model by_openacc = {"OpenACC", "ACC_DEVICE_TYPE", "host", runs_on};

const char* name_of(int gpu) {
  const char* const name = acc_get_property_string(gpu, acc_device_nvidia, acc_property_name);
  return name == nullptr ? "a GPU without a name" : name;
}
void* take(int gpu, std::size_t bytes) {
  choose(gpu);
  return acc_malloc(bytes);
}
void give_back(int gpu, void* memory) {
  choose(gpu);
  acc_free(memory);
}
void to_device(int gpu, void* to, const void* from, std::size_t bytes) {
  choose(gpu);
  acc_memcpy_to_device(to, const_cast<void*>(from), bytes);  // gcc 12 declares it without const
}
void from_device(int gpu, void* to, const void* from, std::size_t bytes) {
  choose(gpu);
  acc_memcpy_from_device(to, const_cast<void*>(from), bytes);
}

}  // namespace openacc
