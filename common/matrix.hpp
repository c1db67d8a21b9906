// Memory for a matrix: aligned, first touched by the threads that will use it, with guards round it.
#pragma once

#include <algorithm>
#include <array>
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
  if constexpr (std::is_integral_v<T>)
    return 65537;  // times an input, and added up, it is still no overflow
  else
    return static_cast<T>(std::numeric_limits<float>::quiet_NaN());
}

/// What kernels do with a matrix: read it only, or write it and perhaps read it.
enum class Use { input, output };

/// The guard at `place`, in elements from the beginning of a matrix's memory. Round inputs lies poison, which
/// spoils any result that reads it; round outputs, different numbers near 1: NaN may keep its bits when
/// something is added to it, and among equal numbers a copied neighbour would not show.
template <class T>
constexpr T guard(Use use, Index place) {
  if (use == Use::input) return poison<T>();
  if constexpr (std::is_integral_v<T>) return static_cast<T>(1 + place % 1'000'003);
  constexpr bool wide = sizeof(T) >= 4;  // all are exact in T; the periods are prime: no pitch repeats them
  return static_cast<T>(1.f +
                        static_cast<float>(1 + place % (wide ? 65521 : 127)) / (wide ? 65536.f : 128.f));
}

/// Poisons every element, so that the verifier finds one that nobody writes afterwards.
template <class T>
void poison_all(View<T> view) {
  for (Index i = 0; i < view.rows(); ++i)
    for (Index j = 0; j < view.cols(); ++j) view(i, j) = poison<T>();
}
template <class T>
void copy(View<const T> from, View<T> to) {
  for (Index i = 0; i < from.rows(); ++i)
    for (Index j = 0; j < from.cols(); ++j) to(i, j) = from(i, j);
}

/// A part of a matrix's memory that holds guards.
template <class T>
struct Guards {
  View<T> where;
  Index place;  // of its first element
  Use use;

  void write_to(View<T> to) const {
    for (Index i = 0; i < to.rows(); ++i)
      for (Index j = 0; j < to.cols(); ++j) to(i, j) = guard<T>(use, place + i * where.ld() + j);
  }
  /// Compares bits, since NaN equals nothing.
  bool are_in(View<const T> from) const {
    bool intact = true;
    for (Index i = 0; i < from.rows(); ++i)
      for (Index j = 0; j < from.cols(); ++j) {
        const T wanted = guard<T>(use, place + i * where.ld() + j);
        intact &= std::memcmp(&from(i, j), &wanted, sizeof(T)) == 0;
      }
    return intact;
  }
};
/// What lies before a matrix in its memory of `size` elements, beside its rows, and behind it.
template <class T>
std::array<Guards<T>, 3> guards_round(View<T> matrix, T* memory, Index size, Use use) {
  const Index before = matrix.data() - memory, end = before + matrix.rows() * matrix.ld();
  const Index cols = matrix.cols(), ld = matrix.ld();
  return {{{{memory, 1, before, before}, 0, use},
           {{matrix.data() + cols, matrix.rows(), ld - cols, ld}, before + cols, use},
           {{memory + end, 1, size - end, size - end}, end, use}}};
}

/// Owns rows × cols elements, aligned to 64 bytes and poisoned. Guards for its `use`: 256 bytes before, as
/// many and a row behind, `pad` columns on the right. Rows are first touched by `threads`. Throws
/// std::bad_alloc.
template <class T>
class Matrix {
 public:
  Matrix() = default;  // no elements, no guards
  Matrix(Index rows, Index cols, Index pad = 0, int threads = 1, Use use = Use::output)
      : size_((rows + 1) * (cols + pad) + 2 * band), use_(use) {
    const auto bytes = static_cast<std::size_t>(size_) * sizeof(T);
    buffer_.reset(static_cast<T*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64)));
    if (!buffer_) throw std::bad_alloc();
    view_ = {buffer_.get() + band, rows, cols, cols + pad};
    share_rows(rows, threads,
               [this](Index i) { std::fill_n(view_.data() + i * view_.ld(), view_.cols(), poison<T>()); });
    for (const auto& part : guards()) part.write_to(part.where);
  }

  View<T> view() { return view_; }
  View<const T> view() const { return view_; }

  /// False if something was written outside the matrix: before it, behind it or into the padding.
  bool guards_intact() const {
    if (!buffer_) return true;
    const auto parts = guards();
    return std::all_of(parts.begin(), parts.end(), [](const auto& part) { return part.are_in(part.where); });
  }

 private:
  static constexpr Index band = 256 / sizeof(T);  // the matrix itself stays aligned

  auto guards() const { return guards_round(view_, buffer_.get(), size_, use_); }

  View<T> view_;
  Index size_ = 0;
  Use use_ = Use::output;
  std::unique_ptr<T, void (*)(void*)> buffer_{nullptr, std::free};  // as aligned_alloc wants it
};

}  // namespace course
