// Buffer for 05_avx2_tests, in place of buffer.hpp's: whoever leaves it is found.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "../../05_avx2/gemm.hpp"

namespace avx2 {
namespace {

/// Exactly the bytes asked for, new each time and NaN, as is what lies before them in their page, and behind
/// them a page that nobody may touch: one element too far ends the test with SIGSEGV.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { release(); }

  template <class T>
  T* of(Index count) {
    release();
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    const std::size_t inside = (bytes + page - 1) / page * page;
    size_ = inside + page;
    all_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char* const end = static_cast<char*>(all_) + inside;
    if (all_ == MAP_FAILED || mprotect(end, page, PROT_NONE))
      std::abort();  // nullptr is no error of a kernel
    std::memset(all_, 0xff, inside);
    data_ = end - bytes;
    return reinterpret_cast<T*>(data_);
  }

 private:
  void release() {  // so that nobody still packs there
    for (const char* byte = static_cast<char*>(all_); byte < data_; ++byte)
      if (*byte != -1) std::abort();  // written before its begin
    if (all_) munmap(all_, size_);
    all_ = data_ = nullptr;
  }

  void* all_ = nullptr;
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace
}  // namespace avx2
