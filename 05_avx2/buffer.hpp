// Memory for the copies.
#pragma once

#include <sys/mman.h>

#include <cstdlib>

#include "blocks.hpp"
#ifdef COURSE_BUFFER  // a test build brings its own Buffer
#include COURSE_BUFFER
#else

namespace avx2 {
namespace {

/// Where a thread packs: kept from product to product, in pages of 2 MiB where the kernel grants them, so
/// that one entry of the TLB covers it all.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(data_); }

  /// Memory for so many elements, its content lost; nullptr if there is none.
  template <class T>
  T* of(Index count) {
    constexpr Index page = 2 << 20;
    const Index pages = ceil_div(count * Index{sizeof(T)}, page);
    if (pages > pages_) {
      std::free(data_);
      data_ = std::aligned_alloc(page, static_cast<std::size_t>(pages * page));
      pages_ = data_ ? pages : 0;
#ifdef MADV_HUGEPAGE  // of Linux
      if (data_) madvise(data_, static_cast<std::size_t>(pages * page), MADV_HUGEPAGE);
#endif
    }
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  Index pages_ = 0;
};
}  // namespace
}  // namespace avx2

#endif
