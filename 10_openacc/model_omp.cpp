// OpenMP's side of the adaptor. It has no call for a GPU's name and free memory; OpenACC's are in the same
// library, libgomp, and number the GPUs alike.
#include <omp.h>
#include <openacc.h>

#include "model.hpp"

namespace openacc {
namespace {

bool host_wanted() {
  return is_set("OMP_TARGET_OFFLOAD", "disabled");
}

/// False also where OMP_DEFAULT_DEVICE names none: a region would end the program or run on the host.
bool gpu_there() {
  return offloads && omp_get_default_device() < omp_get_num_devices();
}

// [on_host]
bool on_host() {
  if (!gpu_there()) return true;
  int host = 1;
#pragma omp target map(tofrom : host)
  host = omp_is_initial_device();
  return host != 0;
}
// [/on_host]

int device() {
  return gpu_there() ? omp_get_default_device() : omp_get_initial_device();
}
const char* gpu() {
  return acc_get_property_string(device(), acc_device_nvidia, acc_property_name);
}
double free_bytes() {
  return static_cast<double>(acc_get_property(device(), acc_device_nvidia, acc_property_free_memory));
}
void* take(std::size_t bytes) {
  return omp_target_alloc(bytes, device());
}
void give_back(void* memory) {
  omp_target_free(memory, device());
}
bool to_device(void* to, const void* from, std::size_t bytes) {
  return omp_target_memcpy(to, from, bytes, 0, 0, device(), omp_get_initial_device()) == 0;
}
bool from_device(void* to, const void* from, std::size_t bytes) {
  return omp_target_memcpy(to, from, bytes, 0, 0, omp_get_initial_device(), device()) == 0;
}

}  // namespace

const Model by_openmp = {"OpenMP target",
                         "OMP_TARGET_OFFLOAD=DISABLED",
                         host_wanted,
                         on_host,
                         gpu,
                         free_bytes,
                         take,
                         give_back,
                         to_device,
                         from_device};

}  // namespace openacc
