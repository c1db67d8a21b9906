// Several GPUs of one process: a host thread for each, streams, events, and what happened when.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <string>
#include <thread>
#include <type_traits>

#include "asked.hpp"
#include "gpu/cuda.hpp"
#include "layout.hpp"

struct ncclComm;

namespace multi_gpu {
inline namespace COURSE_RUNTIME {  // a program has both: for the linker their names differ

using namespace course::COURSE_RUNTIME;  // CUDA, where that is the emulator's
using course::check, course::Index, course::Result, course::View;

/// How many GPUs are here.
inline int gpus_here() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

// [reach]
/// Lets this GPU read another's memory, where the machine can.
inline void reach(int gpu, int other) {
  int can = 0;
  if (gpu == other) return;
  check(cudaDeviceCanAccessPeer(&can, gpu, other));
  if (can == 0) return void(std::fprintf(stderr, "GPU %d to %d: copies through the host\n", gpu, other));
  if (const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
      status == cudaErrorPeerAccessAlreadyEnabled)
    cudaGetLastError();  // by a library: no error of ours
  else
    check(status);
}
// [/reach]

/// A host thread for each GPU, started when it is first wanted; all that are wanted do the same at once.
/// (mpi.cu: a process for each.)
class Team {
 public:
  Team() = default;
  Team(const Team&) = delete;
  virtual ~Team() {
    {
      const std::lock_guard lock(guard_);
      ended_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// How many GPUs a row asks for; why they are not here, else empty.
  virtual int gpus(const course::Settings& settings) const { return settings.threads; }
  virtual std::string missing(int gpus) const {
    const int here = gpus_here();
    return here < gpus ? "needs " + std::to_string(gpus) + " GPUs, here: " + std::to_string(here) : "";
  }
  /// NCCL's communicator of one of so many GPUs.
  std::function<ncclComm*(int gpus, int gpu)> communicator;
  /// Brings each GPU's rows, of so many bytes, to process 0; whether this is that one.
  virtual bool collect(void*, std::size_t, const std::vector<Part>&) { return true; }

  /// Calls work(gpu) on the thread of each of the first `gpus`, and returns when all have ended. Throws what
  /// the first that failed threw, or a Refusal if its GPU is lost.
  virtual void all(int gpus, const std::function<void(int gpu)>& work) {
    std::unique_lock lock(guard_);
    while (std::ssize(threads_) < gpus)
      threads_.emplace_back([this, gpu = int(threads_.size())] { serve(gpu); });
    work_ = &work, size_ = left_ = gpus, failed_ = false, failure_ = {}, here_ = 0, ++round_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return left_ == 0; });
    if (failure_) std::rethrow_exception(failure_);
  }

  bool has_failed() const { return failed_; }
  /// Waits, on a thread of the team, until all are here; throws if one of them has failed.
  virtual void meet() {
    const unsigned turn = turn_;
    if (++here_ == size_)
      here_ = 0, ++turn_;
    else
      while (turn_ == turn) {
        if (failed_) throw std::runtime_error("another GPU failed");
        std::this_thread::yield();
      }
  }

 private:
  void serve(int gpu) {
    std::unique_lock lock(guard_);
    int reached = 0;
    for (unsigned seen = round_ - 1;;) {
      changed_.wait(lock, [&] { return ended_ || (seen != round_ && gpu < size_); });
      if (ended_) return;
      seen = round_;
      lock.unlock();
      try {
        check(cudaSetDevice(gpu));
        for (; reached < size_; ++reached) reach(gpu, reached);
        (*work_)(gpu);
        lock.lock();
      } catch (...) {
        std::exception_ptr failure = std::current_exception();
        if (const cudaError_t status = cudaStreamQuery(nullptr);
            status != cudaSuccess && status != cudaErrorNotReady)
          failure = refusal("GPU " + std::to_string(gpu) + " is lost: " + cudaGetErrorString(status));
        lock.lock();
        if (!failure_) failure_ = failure;
        failed_ = true;
      }
      if (--left_ == 0) changed_.notify_all();
    }
  }

  std::mutex guard_;
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
  const std::function<void(int)>* work_ = nullptr;
  int size_ = 0, left_ = 0;
  unsigned round_ = 0;
  bool ended_ = false;
  std::exception_ptr failure_;
  std::atomic<bool> failed_ = false;
  std::atomic<int> here_ = 0;
  std::atomic<unsigned> turn_ = 0;
};

/// A place in a stream, for which another stream can wait. Nobody waits for one that was never recorded.
class Event {
 public:
  explicit Event(bool timed = false) {
    cudaEvent_t made = nullptr;
    check(cudaEventCreateWithFlags(&made, timed ? cudaEventDefault : cudaEventDisableTiming));
    event_.reset(made, cudaEventDestroy);
  }
  cudaEvent_t get() const { return event_.get(); }

 private:
  std::shared_ptr<CUevent_st> event_;
};

/// A piece of work on the timeline.
struct Span {
  std::string stream, what;
  Event begin{true}, end{true};
};
using Timeline = std::vector<Span>;

/// A queue of a GPU's work. What is put into one stream is done in order; two streams know nothing of each
/// other but by events. Kernels go into CUDA's default stream; the others are made.
class Stream {
 public:
  Stream(std::string name, bool is_default) : name_(std::move(name)) {
    if (is_default) return;
    cudaStream_t made = nullptr;
    check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    stream_.reset(made, cudaStreamDestroy);
  }
  cudaStream_t get() const { return stream_.get(); }
  void record(const Event& event) const { check(cudaEventRecord(event.get(), get())); }
  /// What follows in this stream waits until what was before `event` has been done.
  void wait(const Event& event) const {
    if (!deaf) check(cudaStreamWaitEvent(get(), event.get(), 0));
  }
  /// The host waits until all of this stream has been done.
  void finish() const { check(cudaStreamSynchronize(get())); }

  /// Puts a copy into the stream, between two GPUs or a GPU and the host.
  template <class T>
  void copy(View<const std::type_identity_t<T>> from, View<T> to, const std::string& what) {
    if (from.rows() == 0 || from.cols() == 0) return;
    const auto bytes = [](Index elements) { return std::size_t(elements) * sizeof(T); };
    put(what, [&] {
      if (from.ld() == from.cols() && to.ld() == to.cols())
        check(cudaMemcpyAsync(to.data(), from.data(), bytes(from.rows() * from.cols()), cudaMemcpyDefault,
                              get()));
      else
        check(cudaMemcpy2DAsync(to.data(), bytes(to.ld()), from.data(), bytes(from.ld()), bytes(from.cols()),
                                std::size_t(from.rows()), cudaMemcpyDefault, get()));
    });
  }
  /// Puts what `work` starts into the stream, and notes it if there is a timeline.
  template <class Work>
  void put(const std::string& what, Work work) {
    Span* const span = timeline == nullptr ? nullptr : &timeline->emplace_back(Span{name_, what});
    if (span != nullptr) record(span->begin);
    work();
    if (span != nullptr) record(timeline->back().end);
  }

  Timeline* timeline = nullptr;
  bool deaf = false;  // wrong on purpose: it waits for nothing

 private:
  std::string name_;
  std::shared_ptr<CUstream_st> stream_;
};

}  // namespace COURSE_RUNTIME
}  // namespace multi_gpu
