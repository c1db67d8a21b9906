// A matrix as kernels see it, on the CPU and in CUDA alike.
#pragma once

#include <cstdint>
#include <type_traits>

// Inlined even at -O0: else the linker might keep one copy, compiled for AVX, for the whole program.
#define COURSE_INLINE [[gnu::always_inline]] constexpr

// A test build with COURSE_CHECKED ends where a View is asked for what it does not have.
#ifdef COURSE_CHECKED
#define COURSE_CHECK(inside) ((inside) ? static_cast<void>(0) : __builtin_trap())
#else
#define COURSE_CHECK(inside) static_cast<void>(0)
#endif

// The emulator's kernels note what they access, if that is counted (gpu/emulator/).
#ifdef COURSE_EMULATED
namespace course::emulator {
extern bool counting;
void touched(const void* element);
}  // namespace course::emulator
#define COURSE_TOUCH(element)                  \
  if (course::emulator::counting) [[unlikely]] \
  course::emulator::touched(element)
#else
#define COURSE_TOUCH(element) static_cast<void>(0)
#endif

namespace course {

using Index = std::int64_t;

/// The least whole number that is not below dividend / divisor.
COURSE_INLINE Index ceil_div(Index dividend, Index divisor) {
  return (dividend + divisor - 1) / divisor;
}

/// A rows × cols matrix in row-major order, not owned. ld, the leading dimension: elements from row to row,
/// >= cols.
template <class T>
class View {
 public:
  View() = default;
  COURSE_INLINE View(T* data, Index rows, Index cols, Index ld)
      : data_(data), rows_(rows), cols_(cols), ld_(ld) {}

  /// A View<T> becomes a View<const T>, never the other way round.
  template <class U>
  requires std::is_same_v<const U, T> COURSE_INLINE View(View<U> other)
      : View(other.data(), other.rows(), other.cols(), other.ld()) {}

  COURSE_INLINE T* data() const { return data_; }
  COURSE_INLINE Index rows() const { return rows_; }
  COURSE_INLINE Index cols() const { return cols_; }
  COURSE_INLINE Index ld() const { return ld_; }

  /// Element (i, j), unchecked.
  COURSE_INLINE T& operator()(Index i, Index j) const {
    COURSE_CHECK(i >= 0 && i < rows_ && j >= 0 && j < cols_);
    COURSE_TOUCH(data_ + i * ld_ + j);
    return data_[i * ld_ + j];
  }

  /// The rows × cols part whose first element is (i, j), inside this one; an empty one may begin at its end.
  COURSE_INLINE View block(Index i, Index j, Index rows, Index cols) const {
    COURSE_CHECK(i >= 0 && i <= rows_ - rows && j >= 0 && j <= cols_ - cols);
    return {data_ + i * ld_ + j, rows, cols, ld_};
  }

 private:
  T* data_ = nullptr;
  Index rows_ = 0, cols_ = 0, ld_ = 0;
};

}  // namespace course

/// Instantiates a kernel template for the three types, at the end of gemm.cpp. After its name: the types of
/// its arguments after C.
#define COURSE_INSTANTIATE(kernel, ...)                                                    \
  template void kernel(course::View<const float>, course::View<const float>,               \
                       course::View<float> __VA_OPT__(, ) __VA_ARGS__);                    \
  template void kernel(course::View<const double>, course::View<const double>,             \
                       course::View<double> __VA_OPT__(, ) __VA_ARGS__);                   \
  template void kernel(course::View<const std::int32_t>, course::View<const std::int32_t>, \
                       course::View<std::int32_t> __VA_OPT__(, ) __VA_ARGS__)
