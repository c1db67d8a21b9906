// OpenMP's side of the adaptor.
#include <omp.h>

#include "model.hpp"

namespace openacc {
namespace {

int runs_on() {
  const int gpu = omp_get_default_device();
  if (!offloads || gpu >= omp_get_num_devices())
    return -1;  // a region would end the program or run on the host
  int host = 1;
#pragma omp target map(tofrom : host)
  host = omp_is_initial_device();
  return host != 0 ? -1 : gpu;
}

}  // namespace

const Model by_openmp = {"OpenMP target", "OMP_TARGET_OFFLOAD", "DISABLED", runs_on};

}  // namespace openacc
