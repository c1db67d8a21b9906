// This machine's GPU, by CUDA's runtime, or by the emulator's: its devices, its clock and its memory.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/launch.hpp"
#include "runner/variant.hpp"

#ifdef __CUDACC__
#define COURSE_RUNTIME on_gpu
#define COURSE_DEVICE_KIND "gpu"
#else
#include "gpu/emulator/runtime.hpp"
#define COURSE_RUNTIME emulated
#define COURSE_DEVICE_KIND "emulator"
#ifndef COURSE_LEAST_CAPABILITY
#define COURSE_LEAST_CAPABILITY 0
#endif
#endif

namespace course {

/// Where a GPU's matrices lie. pitched: rows aligned by CUDA; unified: pages migrate to who touches them;
/// pinned: on the GPU, copied from page-locked host memory.
enum class Memory { device, pitched, unified, pinned };

/// Elements of a guard band on a GPU, a multiple of 256 bytes, so that what follows begins with a line of L2:
/// more than blocks of 32 × 32 or 1024 × 1 threads reach beyond the last row, so that a kernel without bounds
/// checks is wrong and does not crash.
constexpr Index wide_guard(Index ld) {
  return ceil_div(32 * ld + 1024, 256) * 256;
}

inline namespace COURSE_RUNTIME {  // a program has both: for the linker their names differ

struct Cuda {
  /// The device of this host thread; 0 where there is none.
  static int current() {
    int device = 0;
    cudaGetDevice(&device);
    return device;
  }
  static Device device() {
    cudaDeviceProp properties;
    const bool there = cudaGetDeviceProperties(&properties, current()) == cudaSuccess;
    return {COURSE_DEVICE_KIND, there ? properties.name : "no GPU"};
  }
  /// Why no kernel of this compute capability (or later, unless `no_other`) can run; else empty.
  static std::string missing(int capability = 0, bool no_other = false) {
    int devices = 0, major = 0, minor = 0;
    if (const cudaError_t status = cudaGetDeviceCount(&devices); devices == 0)
      return std::string("no CUDA device: ") + cudaGetErrorString(status);
    if (const cudaError_t status = cudaDeviceSynchronize(); status != cudaSuccess)
      return std::string("the GPU does not answer any more: ") + cudaGetErrorString(status);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, current());
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, current());
    const auto text = [](int capability) {
      return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
    };
    const int here = 10 * major + minor;
    if (here < capability || (no_other && here != capability))
      return "needs a GPU of compute capability " + text(capability) + ", this one has " + text(here);
    if (here >= COURSE_LEAST_CAPABILITY) return {};
    return "built for GPUs of compute capability " + text(COURSE_LEAST_CAPABILITY) +
           " and later, this one has " + text(here);
  }
  static int multiprocessors() {
    int count = 0;
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, current()));
    return count;
  }

  static void synchronize() { check(cudaDeviceSynchronize()); }
  /// Whether the GPU still has work.
  static bool pending() { return cudaStreamQuery(nullptr) == cudaErrorNotReady; }

  /// The seconds of `work`, by CUDA events: the host's clock would see the launch only.
  template <class Work>
  static double seconds_of(Work work) {
    const auto mark = [] {
      cudaEvent_t event = nullptr;
      check(cudaEventCreate(&event));
      const std::shared_ptr<CUevent_st> owner(event, cudaEventDestroy);
      check(cudaEventRecord(event));
      return owner;
    };
    const auto start = mark();
    work();
    const auto end = mark();
    float milliseconds = 0;
    check(cudaEventSynchronize(end.get()));  // a kernel's errors show here, too
    check(cudaEventElapsedTime(&milliseconds, start.get(), end.get()));
    return 1e-3 * milliseconds;
  }

  /// Copies between host and GPU, in any direction: CUDA knows by the address.
  template <class T>
  static void transfer(View<const T> from, View<T> to) {
    if (from.rows() == 0 || from.cols() == 0) return;
    const auto bytes = [](Index elements) { return std::size_t(elements) * sizeof(T); };
    check(cudaMemcpy2D(to.data(), bytes(to.ld()), from.data(), bytes(from.ld()), bytes(from.cols()),
                       std::size_t(from.rows()), cudaMemcpyDefault));
  }

  /// A matrix with guard bands, as common/matrix.hpp has one, in the GPU's memory.
  template <class T>
  class Matrix {
   public:
    Matrix() = default;
    Matrix(Index rows, Index cols, Index pad, Memory memory, Use use = Use::output) : use_(use) {
      void* got = nullptr;
      Index ld = cols + pad;
      if (memory == Memory::pitched) {  // guard bands of whole rows, since CUDA decides how long one is
        const Index around = ceil_div(2 * wide_guard(ld), std::max<Index>(ld, 1));
        std::size_t pitch = 0;
        check(cudaMallocPitch(&got, &pitch, std::max<std::size_t>(1, std::size_t(ld) * sizeof(T)),
                              std::size_t(rows + around)));
        ld = Index(pitch / sizeof(T));
        size_ = (rows + around) * ld;
      } else {
        size_ = rows * ld + 2 * wide_guard(ld);
        check(memory == Memory::unified ? cudaMallocManaged(&got, bytes()) : cudaMalloc(&got, bytes()));
      }
      buffer_.reset(static_cast<T*>(got), cudaFree);
      view_ = {buffer_.get() + (size_ - rows * ld) / 2 / 256 * 256, rows, cols, ld};
    }
    View<T> view() const { return view_; }

    /// The matrix holds NaN, or a number that no input has; its guards are as `use` wants them.
    void poison() {
      check(cudaMemset(buffer_.get(), std::is_integral_v<T> ? 0x81 : 0xff, bytes()));
      synchronize();  // cudaMemset returns before it is done
      for (const Guards<T>& part : guards()) {
        std::vector<T> memory;
        const View<T> here = room_for(part.where, memory);
        part.write_to(here);
        transfer<T>(here, part.where);
      }
    }
    bool guards_intact() const {
      if (!buffer_) return true;
      const auto parts = guards();
      return std::all_of(parts.begin(), parts.end(), [](const Guards<T>& part) {
        std::vector<T> memory;
        const View<T> here = room_for(part.where, memory);
        transfer<T>(part.where, here);
        return part.are_in(here);
      });
    }

   private:
    std::size_t bytes() const { return std::size_t(size_) * sizeof(T); }
    auto guards() const { return guards_round(view_, buffer_.get(), size_, use_); }
    /// As large a matrix on the host. (course::Matrix would bring OpenMP into libraries of GPU kernels.)
    static View<T> room_for(View<T> part, std::vector<T>& memory) {
      memory.resize(std::size_t(part.rows() * part.cols()));
      return {memory.data(), part.rows(), part.cols(), part.cols()};
    }

    View<T> view_;
    Index size_ = 0;
    Use use_ = Use::output;
    std::shared_ptr<T> buffer_;
  };

  /// Pinned (page-locked) host memory, which the GPU copies by itself.
  template <class T>
  class HostMatrix {
   public:
    HostMatrix() = default;
    HostMatrix(Index rows, Index cols, Index pad) {
      constexpr std::size_t page = 4096;
      const std::size_t bytes = (std::size_t(rows * (cols + pad)) * sizeof(T) / page + 1) * page;
      std::unique_ptr<void, decltype(&std::free)> taken(std::aligned_alloc(page, bytes), std::free);
      if (!taken) throw std::bad_alloc();
      check(cudaHostRegister(taken.get(), bytes, cudaHostRegisterDefault));
      buffer_.reset(static_cast<T*>(taken.release()), [](T* pinned) {
        if (cudaHostUnregister(pinned) == cudaSuccess) std::free(pinned);  // else the GPU may still use it
      });
      view_ = {buffer_.get(), rows, cols, cols + pad};
    }
    View<T> view() const { return view_; }

   private:
    View<T> view_;
    std::shared_ptr<T> buffer_;
  };
};

/// Memory that stays for the next product, of the same stream: a column, since the guard bands of a matrix
/// are 64 of its rows.
template <class T>
T* grow(Cuda::Matrix<T>& kept, Index elements) {
  if (const Index rows = kept.view().rows(); rows < elements) {
    kept = {};  // the old one is freed first; sizes that grow slowly shall not cost an allocation each
    kept = {std::max(elements, rows * 3 / 2), 1, 0, Memory::device};
  }
  return kept.view().data();
}

/// What `ask` finds of this host thread's device: asked once for each device, whoever calls.
template <class Ask>
auto once_a_device(Ask ask) {
  static std::mutex guard;
  static std::map<int, decltype(ask())> known;
  const std::lock_guard lock(guard);
  const int device = Cuda::current();
  if (const auto at = known.find(device); at != known.end()) return at->second;
  return known[device] = ask();
}

/// A Workspace that this host thread keeps on its device from product to product. Given back when the thread
/// ends: the main thread's before CUDA's runtime goes.
template <class Workspace>
Workspace& workspace() {
  static thread_local std::map<int, Workspace> of_device;
  return of_device[Cuda::current()];
}

}  // namespace COURSE_RUNTIME
}  // namespace course
