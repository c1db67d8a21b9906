// cuBLASXt, cuBLAS's own product from the host's memory on several GPUs: what from_host is measured against.
#pragma once

#include "local.cuh"
#if defined(__CUDACC__) && defined(COURSE_CUBLAS)
#include <cublasXt.h>
#include <dlfcn.h>
#endif

namespace multi_gpu {
inline namespace COURSE_RUNTIME {

#if defined(__CUDACC__) && defined(COURSE_CUBLAS)
/// A function of cuBLAS, which is loaded when it is first wanted; null where it is missing.
template <class Function>
Function* in_cublas(const char* name, Function*) {
  static void* const library = dlopen("libcublas.so." COURSE_CUBLAS, RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}
#define COURSE_IN_CUBLAS(name) in_cublas(#name, static_cast<decltype(&name)>(nullptr))

inline std::string no_cublasxt() {
  return COURSE_IN_CUBLAS(cublasXtSgemm) ? "" : "needs libcublas.so." COURSE_CUBLAS;
}

/// One host thread calls it for all GPUs. `most` is the side of its tiles. Handles are kept to the program's
/// end.
inline void cublasxt(Share<float>& gpu) {
  if (gpu.me > 0) return;
  const auto check = [](cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error("cuBLASXt failed");
  };
  static std::map<int, cublasXtHandle_t> handles;
  const int gpus = gpu.group.grid.size();
  cublasXtHandle_t& handle = handles[gpus];
  if (handle == nullptr) {
    cublasXtHandle_t made = nullptr;
    std::vector<int> devices;
    for (int device = 0; device < gpus; ++device) devices.push_back(device);
    check(COURSE_IN_CUBLAS(cublasXtCreate)(&made));
    check(COURSE_IN_CUBLAS(cublasXtDeviceSelect)(made, gpus, devices.data()));
    handle = made;  // only with its GPUs
  }
  const auto [m, n, k] = gpu.group.problem.shape;
  if (m == 0 || n == 0 || k == 0) return;
  const View<float> a = gpu.group.a.view(), b = gpu.group.b.view(), c = gpu.group.c.view();
  const float one = 1;
  const auto size = [](Index number) { return std::size_t(number); };
  check(COURSE_IN_CUBLAS(cublasXtSetBlockDim)(handle, int(gpu.group.most)));
  check(COURSE_IN_CUBLAS(cublasXtSgemm)(handle, CUBLAS_OP_N, CUBLAS_OP_N, size(n), size(m), size(k), &one,
                                        b.data(), size(b.ld()), a.data(), size(a.ld()), &one, c.data(),
                                        size(c.ld())));
}
#else
inline std::string no_cublasxt() {
  return "needs GPUs and cuBLAS";
}
inline void cublasxt(Share<float>&) {}
#endif

}  // namespace COURSE_RUNTIME
}  // namespace multi_gpu
