// nccl: as peer, by the library that is made for it.
//   build/15_multi_gpu/15_multi_gpu --gpus 2 --size 8192 --variant peer,nccl
#pragma once

#include "local.cuh"
#if defined(__CUDACC__) && defined(COURSE_NCCL)
#include <nccl.h>
#endif

namespace multi_gpu {
inline namespace COURSE_RUNTIME {

#if defined(__CUDACC__) && defined(COURSE_NCCL)
constexpr const char* no_nccl = "";

inline void check(ncclResult_t status) {
  if (status != ncclSuccess) throw std::runtime_error(ncclGetErrorString(status));
}
template <class T>
constexpr ncclDataType_t nccl_type = std::is_same_v<T, float> ? ncclFloat : ncclBfloat16;

/// The communicators of this process's first so many GPUs, made before the first product and kept.
inline const std::vector<ncclComm_t>& communicators(int gpus) {
  static std::mutex guard;
  static std::map<int, std::vector<ncclComm_t>> known;
  const std::lock_guard lock(guard);
  std::vector<ncclComm_t>& made = known[gpus];
  if (made.empty()) made.resize(std::size_t(gpus)), check(ncclCommInitAll(made.data(), gpus, nullptr));
  return made;
}

// [nccl]
/// All-gather: each GPU gives its rows of B, and gets all. Where parts differ, one broadcast for each.
template <class T>
void nccl(Share<T>& gpu) {
  const int gpus = gpu.group.grid.size();
  const ncclComm_t all = communicators(gpus)[std::size_t(gpu.me)];
  const View<T> b = gpu.whole_b;
  gpu.products.put("all-gather", [&] {
    if (b.rows() % gpus == 0) {
      check(ncclAllGather(gpu.b.data(), b.data(), std::size_t(gpu.b.rows() * b.ld()), nccl_type<T>, all,
                          gpu.products.stream()));
      return;
    }
    check(ncclGroupStart());
    for (int from = 0; from < gpus; ++from) {
      const auto [first, count] = part(b.rows(), gpus, from);
      T* const rows = b.data() + first * b.ld();
      check(ncclBroadcast(rows, rows, std::size_t(count * b.ld()), nccl_type<T>, from, all,
                          gpu.products.stream()));
    }
    check(ncclGroupEnd());
  });
  gpu.multiply(gpu.a, b, gpu.c);
}
// [/nccl]
#else
constexpr const char* no_nccl = "needs GPUs and NCCL (nccl.h and libnccl)";
template <class T>
void nccl(Share<T>&) {}
#endif

}  // namespace COURSE_RUNTIME
}  // namespace multi_gpu
