// Packing: the block that the micro-kernel reads next, copied to where it reads without gaps.
#pragma once

#include <sys/mman.h>

#include <cstdlib>

#include "vector.hpp"
#ifdef COURSE_GUARDED_SPACE  // a test build brings its own Space
#include "guarded_space.hpp"
#endif

namespace avx2 {
namespace {

// [pack]
/// Copies `count` elements that lie side by side.
template <class V, class T = typename V::Element>
void copy_row(const T* from, Index count, T* to) {
  Index j = 0;
  for (; j + V::lanes <= count; j += V::lanes) V::load(from + j).store(to + j);
  if (j < count) V::load(from + j, V::first(count - j)).store(to + j, V::first(count - j));
}

/// Copies A (at most mr × k) row by row: `to` has its shape, and rows that follow one another closely.
template <class V, class T = typename V::Element>
void pack_A(View<const T> a, View<T> to) {
  for (Index i = 0; i < a.rows(); ++i) copy_row<V>(&a(i, 0), a.cols(), &to(i, 0));
}

/// Copies B (k × n) in strips of nr columns, one behind the other, each k × nr without gaps. What the last
/// strip has beyond n stays as it was: no kernel reads it.
template <class V, Index nr, class T = typename V::Element>
void pack_B(View<const T> b, T* to) {
  constexpr Index at_once = 8;  // rows of a strip before the next strip's, which lies on other pages
  const Index k = b.rows(), n = b.cols();
  for (Index some = 0; some < k; some += at_once)
    for (Index j = 0; j < n; j += nr)
      for (Index p = some; p < k && p < some + at_once; ++p)
        copy_row<V>(&b(p, j), n - j < nr ? n - j : nr, to + j * k + p * nr);
}
// [/pack]

#ifndef COURSE_GUARDED_SPACE
// [space]
/// Where a thread packs: kept from product to product, in pages of 2 MiB where the kernel grants them, so
/// that one entry of the TLB covers it all.
class Space {
 public:
  Space() = default;
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;
  ~Space() { std::free(bytes_); }

  /// Room for so many bytes, its content lost; nullptr if there is none.
  void* of(Index bytes) {
    if (bytes <= size_) return bytes_;
    constexpr Index page = 2 << 20;
    std::free(bytes_);
    size_ = (bytes + page - 1) / page * page;
    bytes_ = std::aligned_alloc(page, static_cast<std::size_t>(size_));
    if (!bytes_) return size_ = 0, nullptr;
    madvise(bytes_, static_cast<std::size_t>(size_), MADV_HUGEPAGE);
    return bytes_;
  }

 private:
  void* bytes_ = nullptr;
  Index size_ = 0;
};
// [/space]
#endif

}  // namespace
}  // namespace avx2
