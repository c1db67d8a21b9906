// Buffer for 05_avx2_tests, in place of buffer.hpp's: whoever leaves it is found.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "../../05_avx2/gemm.hpp"

namespace avx2 {
namespace {

/// Exactly the bytes asked for, a multiple of 4, and behind them a page that nobody may touch: one element
/// too far ends the test with SIGSEGV. The buffer, new each time, and the band before it hold a NaN.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { release(); }

  template <class T>
  T* of(Index count) {
    release();
    const Index bytes = count * Index{sizeof(T)};
    const Index inside = (bytes + page - 1) / page * page + page;  // a page of band, or a little more
    size_ = static_cast<std::size_t>(inside + page);
    void* const all = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED ||
        mprotect(static_cast<char*>(all) + inside, static_cast<std::size_t>(page), PROT_NONE))
      fail("no memory");  // nullptr would let the kernels go on without a copy, unguarded
    band_ = static_cast<std::uint32_t*>(all), data_ = band_ + (inside - bytes) / 4;
    for (std::uint32_t* word = band_; word < data_ + bytes / 4; ++word) *word = nan;
    return reinterpret_cast<T*>(data_);
  }

 private:
  static inline const Index page = sysconf(_SC_PAGESIZE);
  static constexpr std::uint32_t nan = 0xfffbfffb;  // as f32 and as f64; as i32 none that is ever packed

  static void fail(const char* why) {
    std::fprintf(stderr, "guarded buffer: %s\n", why);
    std::abort();
  }
  void release() {
    for (const std::uint32_t* word = band_; word < data_; ++word)
      if (*word != nan) fail("written before its begin");
    if (band_) munmap(band_, size_);  // so that nobody still packs there
    band_ = data_ = nullptr;
  }

  std::uint32_t *band_ = nullptr, *data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace
}  // namespace avx2
