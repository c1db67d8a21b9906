// Memory for the copies.
#pragma once

#include <sys/mman.h>

#include <cstdlib>

#include "blocks.hpp"
#ifdef COURSE_SPACE  // a test build brings its own Space
#include COURSE_SPACE
#else

namespace avx2 {
namespace {

/// Where a thread packs: kept from product to product, in pages of 2 MiB where the kernel grants them, so
/// that one entry of the TLB covers it all.
class Space {
 public:
  Space() = default;
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;
  ~Space() { std::free(room_); }

  /// Room for so many elements, its content lost; nullptr if there is none.
  template <class T>
  T* of(Index count) {
    constexpr Index page = 2 << 20;
    const Index pages = ceil_div(count * Index{sizeof(T)}, page);
    if (pages > pages_) {
      std::free(room_);
      room_ = std::aligned_alloc(page, static_cast<std::size_t>(pages * page));
      pages_ = room_ ? pages : 0;
      if (room_) madvise(room_, static_cast<std::size_t>(pages * page), MADV_HUGEPAGE);
    }
    return static_cast<T*>(room_);
  }

 private:
  void* room_ = nullptr;
  Index pages_ = 0;
};
}  // namespace
}  // namespace avx2

#endif
