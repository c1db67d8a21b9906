// Packing: the block that the micro-kernel reads next, copied to where it reads without gaps.
#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "vector.hpp"

namespace avx2 {
namespace {

// [pack_B]
/// Copies B (k × n) in strips of `vectors` vectors of columns, one behind the other, each k × nr without
/// gaps. What the last strip has beyond n stays as it was: no kernel reads it.
template <class V, int vectors, class T = typename V::Element>
void pack_B(View<const T> b, T* to) {
  constexpr Index nr = vectors * V::lanes, at_once = 8;  // rows: a strip's page is met less often than by one
  for (Index p0 = 0; p0 < b.rows(); p0 += at_once)
    for (Index j = 0; j < b.cols(); j += nr) {
      const Index end = p0 + at_once < b.rows() ? p0 + at_once : b.rows();
      T* at = to + j * b.rows() + p0 * nr;
      for (Index p = p0; p < end; ++p, at += nr)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
          const Index left = b.cols() - j - v * V::lanes;
          const T* from = &b(p, j) + v * V::lanes;
          if (left >= V::lanes)
            V::load(from).store(at + v * V::lanes);
          else if (left > 0)
            V::load(from, V::first(left)).store(at + v * V::lanes);
        }
    }
}
// [/pack_B]

// [pack_A]
/// Copies A (at most mr × k), row by row: `to` has A's shape and rows that follow one another closely.
template <class T>
void pack_A(View<const T> a, View<T> to) {
  for (Index i = 0; i < a.rows(); ++i)
    std::memcpy(&to(i, 0), &a(i, 0), static_cast<std::size_t>(a.cols()) * sizeof(T));
}
// [/pack_A]

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

}  // namespace
}  // namespace avx2
