// What the links of the GPUs carry: copies of 4 KiB to 1 GiB between GPUs, and between GPUs and host, one way
// and both at once, and NCCL's all-gather. A line a link and size, as CSV: seconds of the fastest, the median
// and the slowest of 11 runs.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#ifdef COURSE_NCCL
#include <nccl.h>
#endif

#include "common/stopwatch.hpp"
#include "gpu/cuda.hpp"
#include "runner/run.hpp"

namespace {

using course::check, course::Cuda;

constexpr std::size_t least = 4 << 10, most = 1 << 30;
constexpr int runs = 11;

/// One GPU's memory and streams.
struct Gpu {
  int device;
  char *from, *to, *host, *host_to;  // of `most` bytes, the host's pinned
  cudaStream_t stream, back;

  explicit Gpu(int device) : device(device) {
    check(cudaSetDevice(device));
    check(cudaMalloc(&from, most)), check(cudaMalloc(&to, 2 * most)), check(cudaMallocHost(&host, most));
    check(cudaMallocHost(&host_to, most)), check(cudaMemset(from, 1, most));
    for (cudaStream_t* made : {&stream, &back}) check(cudaStreamCreateWithFlags(made, cudaStreamNonBlocking));
  }
};

/// Prints a line a size: `start` puts a copy of so many bytes into the streams; as many follow each other as
/// 1 MiB holds, 16 at most. The clock is the host's, since several GPUs take part.
void measure(const char* link, std::vector<Gpu>& gpus, const std::function<void(std::size_t bytes)>& start) {
  for (std::size_t bytes = least; bytes <= most; bytes *= 2) {
    const int copies = int(std::clamp<std::size_t>((std::size_t{1} << 20) / bytes, 1, 16));
    std::vector<double> seconds;
    for (int run = 0; run <= runs; ++run) {
      const course::Stopwatch watch;
      for (int copy = 0; copy < copies; ++copy) start(bytes);
      for (const Gpu& gpu : gpus)
        check(cudaStreamSynchronize(gpu.stream)), check(cudaStreamSynchronize(gpu.back));
      if (run > 0) seconds.push_back(watch.seconds() / copies);  // the first warms up
    }
    std::sort(seconds.begin(), seconds.end());
    std::printf("%s,%zu,%zu,%.9f,%.9f,%.9f\n", link, gpus.size(), bytes, seconds.front(), seconds[runs / 2],
                seconds.back());
  }
}

void copy(const Gpu& by, cudaStream_t stream, void* to, const void* from, std::size_t bytes) {
  check(cudaSetDevice(by.device));
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
}

int links() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    std::fputs("links: skipped: no CUDA device\n", stderr);
    return 77;
  }
  std::vector<Gpu> gpus;
  for (int device = 0; device < count; ++device) gpus.emplace_back(device);
  std::puts("link,gpus,bytes,min_s,median_s,max_s");
  const auto each = [&](auto work) {
    return [&gpus, work](std::size_t bytes) {
      for (const Gpu& gpu : gpus) work(gpu, bytes);
    };
  };
  const auto next = [&](const Gpu& gpu) -> const Gpu& {
    return gpus[std::size_t(gpu.device + 1) % gpus.size()];
  };
  const auto first = [&](auto work) { return [&gpus, work](std::size_t bytes) { work(gpus[0], bytes); }; };
  const auto in = [](const Gpu& gpu, std::size_t bytes) { copy(gpu, gpu.stream, gpu.to, gpu.host, bytes); };
  const auto out = [](const Gpu& gpu, std::size_t bytes) {
    copy(gpu, gpu.back, gpu.host_to, gpu.from, bytes);
  };
  const auto both = [&](const Gpu& gpu, std::size_t bytes) { in(gpu, bytes), out(gpu, bytes); };
  const auto peer = [&](const Gpu& gpu, std::size_t bytes) {
    copy(gpu, gpu.stream, gpu.to, next(gpu).from, bytes);
  };
  measure("to_gpu", gpus, first(in));
  measure("from_gpu", gpus, first(out));
  measure("both_ways", gpus, first(both));  // so many bytes each way
  measure("to_each_gpu", gpus, each(in));
  measure("from_each_gpu", gpus, each(out));
  measure("both_ways_each", gpus, each(both));
  if (count == 1) return 0;
  measure("peer_without_access", gpus, first(peer));
  for (const Gpu& gpu : gpus)
    for (const Gpu& other : gpus) {
      int can = 0;
      if (other.device == gpu.device) continue;
      check(cudaSetDevice(gpu.device)), check(cudaDeviceCanAccessPeer(&can, gpu.device, other.device));
      if (can == 0) return std::fputs("links: no peer access between all GPUs\n", stderr), 0;
      check(cudaDeviceEnablePeerAccess(other.device, 0));
    }
  measure("peer", gpus, first(peer));
  measure("peer_each", gpus, each(peer));
#ifdef COURSE_NCCL
  setenv("NCCL_NVLS_ENABLE", "0", 0);  // as in lesson 15: not every host allows NVLink multicast
  std::vector<ncclComm_t> all(gpus.size());
  const auto good = [](ncclResult_t status) {
    if (status != ncclSuccess) throw std::runtime_error(ncclGetErrorString(status));
  };
  good(ncclCommInitAll(all.data(), count, nullptr));
  measure("all_gather", gpus, [&](std::size_t bytes) {  // so many arrive at each GPU from the others
    good(ncclGroupStart());
    for (const Gpu& gpu : gpus)
      good(ncclAllGather(gpu.from, gpu.to, bytes / (gpus.size() - 1), ncclChar, all[std::size_t(gpu.device)],
                         gpu.stream));
    good(ncclGroupEnd());
  });
#endif
  return 0;
}

}  // namespace

int main() {
  return course::exit_status("links", links);
}
