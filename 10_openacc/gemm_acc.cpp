// OpenACC. Views travel by value (firstprivate), like a CUDA kernel's arguments: their data is the device's
// already.
#include "gemm.hpp"

namespace openacc {

// [one_each]
template <class T>
void one_each(View<const T> a, View<const T> b, View<T> c) {
  const Index m = c.rows(), n = c.cols(), k = a.cols();
#pragma acc parallel loop gang worker vector collapse(2) firstprivate(a, b, c)
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      T sum = c(i, j);
      for (Index p = 0; p < k; ++p) sum += a(i, p) * b(p, j);
      c(i, j) = sum;
    }
}
// [/one_each]

// [unrolled]
template <class T>
void unrolled(View<const T> a, View<const T> b, View<T> c) {
  const Index m = c.rows(), n = c.cols(), k = a.cols();
#pragma acc parallel loop gang worker vector collapse(2) firstprivate(a, b, c)
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      T sum = c(i, j);
      Index p = 0;
      for (; p + 8 <= k; p += 8)
#pragma GCC unroll 8  // above the loop over p itself, gcc 12's offload compiler ignores it
        for (Index q = 0; q < 8; ++q) sum += a(i, p + q) * b(p + q, j);
      for (; p < k; ++p) sum += a(i, p) * b(p, j);
      c(i, j) = sum;
    }
}
// [/unrolled]

template <class T>
void tiled(View<const T> a, View<const T> b, View<T> c) {
  constexpr Index tile = 32;
  const Index m = c.rows(), n = c.cols(), k = a.cols();
#pragma acc parallel loop gang collapse(2) firstprivate(a, b, c)
  for (Index i0 = 0; i0 < m; i0 += tile)
    for (Index j0 = 0; j0 < n; j0 += tile) {
      const Index i1 = i0 + tile < m ? i0 + tile : m, j1 = j0 + tile < n ? j0 + tile : n;
#pragma acc loop worker vector collapse(2)
      for (Index i = i0; i < i1; ++i)
        for (Index j = j0; j < j1; ++j) {
          T sum = c(i, j);
          for (Index p = 0; p < k; ++p) sum += a(i, p) * b(p, j);
          c(i, j) = sum;
        }
    }
}

// [four_by_four]
template <class T>
void four_by_four(View<const T> a, View<const T> b, View<T> c) {
  const Index m = c.rows(), n = c.cols(), k = a.cols();
  const Index down = (m + 3) / 4, right = (n + 3) / 4;  // a thread's rows and columns lie so far apart
#pragma acc parallel loop gang worker vector collapse(2) firstprivate(a, b, c)
  for (Index i = 0; i < down; ++i)
    for (Index j = 0; j < right; ++j) {
      T sum[4][4] = {};
      for (Index p = 0; p < k; ++p)
#pragma GCC unroll 4
        for (Index r = 0; r < 4; ++r)
#pragma GCC unroll 4
          for (Index s = 0; s < 4; ++s) {  // beyond the edge the first row or column once more
            const Index row = i + r * down < m ? i + r * down : i,
                        col = j + s * right < n ? j + s * right : j;
            sum[r][s] += a(row, p) * b(p, col);
          }
#pragma GCC unroll 4
      for (Index r = 0; r < 4; ++r)
#pragma GCC unroll 4
        for (Index s = 0; s < 4; ++s)
          if (i + r * down < m && j + s * right < n) c(i + r * down, j + s * right) += sum[r][s];
    }
}
// [/four_by_four]

COURSE_INSTANTIATE(one_each);
COURSE_INSTANTIATE(unrolled);
COURSE_INSTANTIATE(tiled);
COURSE_INSTANTIATE(four_by_four);

}  // namespace openacc
