// A matrix as kernels see it: View (borrowed) and Matrix (owned, with guard bands).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

// Inlined even at -O0: no out-of-line copy may leave an object compiled with other flags
// (cmake/course.cmake).
#define COURSE_INLINE [[gnu::always_inline]] constexpr

namespace course {

using Index = std::int64_t;

/// Throws std::out_of_range naming the index and the shape; apart, so that the check costs a compare and a
/// branch.
[[noreturn]] void out_of_range(Index i, Index j, Index rows, Index cols);

/// Calls work(row) for every row, shared out among `threads` as OpenMP's static schedule does. A page of
/// memory lies near the core that writes it first: so it lies near the one that will use it.
void share_rows(Index rows, int threads, const std::function<void(Index row)>& work);

/// A rows × cols matrix in row-major order that somebody else owns; row i starts at data + i * ld, ld >=
/// cols.
template <class T>
class View {
 public:
  View() = default;
  COURSE_INLINE View(T* data, Index rows, Index cols, Index ld)
      : data_(data), rows_(rows), cols_(cols), ld_(ld) {}

  /// Reads through a View<const T> are allowed wherever a View<T> is at hand.
  template <class U>
  requires std::is_same_v<const U, T> COURSE_INLINE View(View<U> other)
      : View(other.data(), other.rows(), other.cols(), other.ld()) {}

  COURSE_INLINE T* data() const { return data_; }
  COURSE_INLINE Index rows() const { return rows_; }
  COURSE_INLINE Index cols() const { return cols_; }
  COURSE_INLINE Index ld() const { return ld_; }

  /// Element (i, j), unchecked.
  COURSE_INLINE T& operator()(Index i, Index j) const { return data_[i * ld_ + j]; }

  /// Element (i, j); throws std::out_of_range outside the matrix.
  COURSE_INLINE T& at(Index i, Index j) const {
    if (i < 0 || i >= rows_ || j < 0 || j >= cols_) out_of_range(i, j, rows_, cols_);
    return data_[i * ld_ + j];
  }

  /// The rows × cols part whose first element is (i, j); it must lie inside.
  COURSE_INLINE View block(Index i, Index j, Index rows, Index cols) const {
    return {data_ + i * ld_ + j, rows, cols, ld_};
  }

 private:
  T* data_ = nullptr;
  Index rows_ = 0, cols_ = 0, ld_ = 0;
};

/// The matrix of a first course in C++: one allocation a row, wherever the allocator puts it.
template <class T>
using Rows = std::vector<std::vector<T>>;

/// What unwritten memory holds: NaN, or an integer that no course input or product of small size contains.
template <class T>
constexpr T poison() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::quiet_NaN();
  return static_cast<T>(0x81818181);
}

/// Owns rows × cols elements aligned to 64 bytes, poisoned at birth, with guard bands before, behind and in
/// the `pad` columns right of the matrix; its rows first touched by `threads`. Throws std::bad_alloc. The
/// caller has checked that the size fits in memory.
template <class T>
class Matrix {
 public:
  Matrix() = default;  // no elements, no guards
  Matrix(Index rows, Index cols, Index pad = 0, int threads = 1) : rows_(rows), cols_(cols), ld_(cols + pad) {
    const std::size_t bytes = (static_cast<std::size_t>(size()) * sizeof(T) + 63) / 64 * 64;
    buffer_.reset(static_cast<T*>(std::aligned_alloc(64, bytes)));
    if (!buffer_) throw std::bad_alloc();
    share_rows(rows, threads, [this](Index i) { poison_part(guard + i * ld_, ld_); });
    poison_part(0, guard), poison_part(guard + rows_ * ld_, guard);
  }

  View<T> view() { return {data(), rows_, cols_, ld_}; }
  View<const T> view() const { return {data(), rows_, cols_, ld_}; }

  /// Overwrites every element of the matrix, so that one nobody writes afterwards is noticed.
  void poison_elements() {
    for (Index i = 0; i < rows_; ++i)
      for (Index j = 0; j < cols_; ++j) view()(i, j) = poison<T>();
  }

  /// False when somebody wrote outside the matrix: before it, behind it or into the padding.
  bool guards_intact() const {
    if (!buffer_) return true;
    const T* data = buffer_.get();
    bool intact = untouched(data, guard) && untouched(data + guard + rows_ * ld_, guard);
    for (Index i = 0; i < rows_; ++i) intact &= untouched(data + guard + i * ld_ + cols_, ld_ - cols_);
    return intact;
  }

 private:
  static constexpr Index guard = 256 / sizeof(T);  // four cache lines: the matrix itself stays aligned

  struct Free {
    void operator()(T* p) const { std::free(p); }
  };

  Index size() const { return rows_ * ld_ + 2 * guard; }
  void poison_part(Index from, Index count) { std::fill_n(buffer_.get() + from, count, poison<T>()); }
  T* data() const { return buffer_ ? buffer_.get() + guard : nullptr; }

  static bool untouched(const T* from, Index count) {
    const T wanted = poison<T>();
    for (Index e = 0; e < count; ++e)
      if (std::memcmp(from + e, &wanted, sizeof(T)) != 0) return false;  // by bits: NaN equals nothing
    return true;
  }

  Index rows_ = 0, cols_ = 0, ld_ = 0;
  std::unique_ptr<T, Free> buffer_;
};

}  // namespace course

/// Explicit instantiations of one kernel for the course's three types, at the end of a gemm.cpp; behind the
/// kernel, the types of what it takes besides A, B and C.
#define COURSE_INSTANTIATE(kernel, ...)                                                    \
  template void kernel(course::View<const float>, course::View<const float>,               \
                       course::View<float> __VA_OPT__(, ) __VA_ARGS__);                    \
  template void kernel(course::View<const double>, course::View<const double>,             \
                       course::View<double> __VA_OPT__(, ) __VA_ARGS__);                   \
  template void kernel(course::View<const std::int32_t>, course::View<const std::int32_t>, \
                       course::View<std::int32_t> __VA_OPT__(, ) __VA_ARGS__)
