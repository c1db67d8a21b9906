// Memory for a matrix: aligned, first touched by the threads that will use it, with guard bands round it.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <new>

#include "common/bf16.hpp"

namespace course {

/// Calls work(row) for every row, as OpenMP's static schedule shares them out. NUMA: Linux places a page near
/// the core that writes it first.
void share_rows(Index rows, int threads, const std::function<void(Index row)>& work);

/// What unwritten memory holds: NaN, or an integer that no input or small product contains.
template <class T>
constexpr T poison() {
  if constexpr (std::numeric_limits<T>::has_quiet_NaN)
    return std::numeric_limits<T>::quiet_NaN();
  else
    return static_cast<T>(0x81818181);
}

/// Poisons every element, so that the verifier finds one that nobody writes afterwards.
template <class T>
void poison_all(View<T> view) {
  for (Index i = 0; i < view.rows(); ++i)
    for (Index j = 0; j < view.cols(); ++j) view(i, j) = poison<T>();
}
/// Whether all of it is still poison; by bits, since NaN equals nothing.
template <class T>
bool is_poison(const T* from, Index count) {
  const T wanted = poison<T>();
  return std::all_of(from, from + count,
                     [&](const T& element) { return std::memcmp(&element, &wanted, sizeof(T)) == 0; });
}

template <class T>
void copy(View<const T> from, View<T> to) {
  for (Index i = 0; i < from.rows(); ++i)
    for (Index j = 0; j < from.cols(); ++j) to(i, j) = from(i, j);
}

/// Owns rows × cols elements, aligned to 64 bytes and poisoned. Guard bands: `guard` elements (a multiple of
/// 64 bytes) before and behind, `pad` columns on the right. Rows are first touched by `threads`. Throws
/// std::bad_alloc.
template <class T>
class Matrix {
 public:
  Matrix() = default;  // no elements, no guards
  Matrix(Index rows, Index cols, Index pad = 0, int threads = 1, Index guard = four_lines)
      : rows_(rows), cols_(cols), ld_(cols + pad), guard_(guard) {
    const auto size = static_cast<std::size_t>(rows * ld_ + 2 * guard);
    buffer_.reset(static_cast<T*>(std::aligned_alloc(64, (size * sizeof(T) + 63) / 64 * 64)));
    if (!buffer_) throw std::bad_alloc();
    share_rows(rows, threads, [this](Index i) { poison_part(guard_ + i * ld_, ld_); });
    poison_part(0, guard_);
    poison_part(guard_ + rows_ * ld_, guard_);
  }

  View<T> view() { return {data(), rows_, cols_, ld_}; }
  View<const T> view() const { return {data(), rows_, cols_, ld_}; }

  /// False when somebody wrote outside the matrix: before it, behind it or into the padding.
  bool guards_intact() const {
    const T* data = buffer_.get();
    bool intact = is_poison(data, guard_) && is_poison(data + guard_ + rows_ * ld_, guard_);
    for (Index i = 0; i < rows_; ++i) intact &= is_poison(data + guard_ + i * ld_ + cols_, ld_ - cols_);
    return intact;
  }

 private:
  static constexpr Index four_lines = 256 / sizeof(T);  // the matrix itself stays aligned

  struct Free {  // what aligned_alloc gave is not for delete
    void operator()(T* p) const { std::free(p); }
  };

  void poison_part(Index from, Index count) { std::fill_n(buffer_.get() + from, count, poison<T>()); }
  T* data() const { return buffer_.get() + guard_; }

  Index rows_ = 0, cols_ = 0, ld_ = 0, guard_ = 0;
  std::unique_ptr<T, Free> buffer_;
};

}  // namespace course
