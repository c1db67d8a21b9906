// Wrong on purpose, the same in every step's broken.hpp: a kernel that takes C for larger than it is.
#pragma once

#include "common/view.hpp"

namespace course {

/// What a loop with `j <= c.cols()` takes the matrix for.
template <class T>
constexpr View<T> one_column_more(View<T> view) {
  return {view.data(), view.rows(), view.cols() + 1, view.ld()};
}

/// What a loop with `i <= c.rows()` takes the matrix for.
template <class T>
constexpr View<T> one_row_more(View<T> view) {
  return {view.data(), view.rows() + 1, view.cols(), view.ld()};
}

}  // namespace course
