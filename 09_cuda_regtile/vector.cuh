// 16 bytes at a time.
#pragma once

#include <cstdint>

#include "gpu/launch.hpp"

namespace cuda_regtile {

using course::Index, course::View;

/// As many elements as one instruction loads or stores: 4 of f32 and i32, 2 of f64.
template <class T>
struct alignas(16) Vector {
  T element[16 / sizeof(T)];
};
template <class T>
constexpr int width = 16 / sizeof(T);

/// The elements of a tile's row from `at` on, a multiple of the width.
template <class T, class Row>
__device__ Vector<T>& in_tile(Row row, int at) {
  static_cast<void>(row[at + width<T> - 1]);  // for the emulator, which watches bounds
  return reinterpret_cast<Vector<T>&>(row[at]);
}

/// Whether each row begins at a multiple of 16 bytes.
template <class T>
static bool is_aligned(View<T> view) {
  return reinterpret_cast<std::uintptr_t>(view.data()) % 16 == 0 && view.ld() * Index{sizeof(T)} % 16 == 0;
}

/// The elements from (i, j) on, by one load if all are there and rows are aligned; zeros beyond the matrix.
template <bool aligned, class T>
__device__ Vector<T> load(View<const T> from, Index i, Index j) {
  if (aligned && i < from.rows() && j + width<T> <= from.cols())
    return reinterpret_cast<const Vector<T>&>(from(i, j));
  Vector<T> vector;
#pragma unroll
  for (int e = 0; e < width<T>; ++e)
    vector.element[e] = i < from.rows() && j + e < from.cols() ? from(i, j + e) : T(0);
  return vector;
}

/// C(i, j), … += sum[0], …, by one load and one store if all are there and rows are aligned.
template <bool aligned, class T>
__device__ void add(View<T> c, Index i, Index j, const T* sum) {
  if (aligned && i < c.rows() && j + width<T> <= c.cols()) {
    Vector<T>& there = reinterpret_cast<Vector<T>&>(c(i, j));
    Vector<T> vector = there;
#pragma unroll
    for (int e = 0; e < width<T>; ++e) vector.element[e] += sum[e];
    there = vector;
    return;
  }
#pragma unroll
  for (int e = 0; e < width<T>; ++e)
    if (i < c.rows() && j + e < c.cols()) c(i, j + e) += sum[e];
}

}  // namespace cuda_regtile
