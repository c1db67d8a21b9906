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

inline std::mutex known_guard;
inline std::map<int, std::vector<ncclComm_t>> known;  // by their number, until one fails

/// The communicator of one of this process's first so many GPUs, made at the first product and kept.
inline ncclComm_t in_this_process(int gpus, int gpu) {
  const std::lock_guard lock(known_guard);
  std::vector<ncclComm_t>& made = known[gpus];
  if (made.empty()) made.resize(std::size_t(gpus)), check(ncclCommInitAll(made.data(), gpus, nullptr));
  return made[std::size_t(gpu)];
}

/// Waits for the GPU, busily, and gives up if another has failed, for which NCCL would wait forever. An error
/// of its own ends the loop, too: what synchronizes next throws it.
template <class T>
void wait_for_all(Share<T>& gpu, ncclComm_t all) {
  while (cudaStreamQuery(gpu.products.get()) == cudaErrorNotReady)
    if (gpu.group.team.has_failed()) {
      ncclCommAbort(all);
      const std::lock_guard lock(known_guard);
      known.erase(gpu.group.grid.size());
      throw std::runtime_error("another GPU failed");
    }
}

// [nccl]
/// All-gather: each GPU gives its rows of B, and gets all. Where parts differ, one broadcast for each.
template <class T>
void nccl(Share<T>& gpu) {
  const int gpus = gpu.group.grid.size();
  const ncclComm_t all = gpu.group.team.communicator(gpus, gpu.me);
  const View<T> b = gpu.whole_b;
  gpu.products.put("all-gather", [&] {
    if (b.rows() % gpus == 0) {
      check(ncclAllGather(gpu.b.data(), b.data(), std::size_t(gpu.b.rows() * b.ld()), nccl_type<T>, all,
                          gpu.products.get()));
      return;
    }
    check(ncclGroupStart());
    for (int from = 0; from < gpus; ++from) {
      const auto [first, count] = part(b.rows(), gpus, from);
      T* const rows = b.data() + first * b.ld();
      check(ncclBroadcast(rows, rows, std::size_t(count * b.ld()), nccl_type<T>, from, all,
                          gpu.products.get()));
    }
    check(ncclGroupEnd());
  });
  gpu.multiply(gpu.a, b, gpu.c);
  wait_for_all(gpu, all);
}
// [/nccl]
#else
constexpr const char* no_nccl = "needs GPUs and NCCL (nccl.h and libnccl)";
constexpr auto in_this_process = nullptr;
template <class T>
void nccl(Share<T>&) {}
#endif

}  // namespace COURSE_RUNTIME
}  // namespace multi_gpu
