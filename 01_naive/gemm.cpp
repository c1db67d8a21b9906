// Compiled once for each optimisation level; holds nothing but these kernels (cmake/course.cmake says why).
#include "gemm.hpp"

namespace naive {

// [rows_of_rows]
template <class T>
void rows_of_rows(const Vectors<T>& a, const Vectors<T>& b, Vectors<T>& c) {
  for (std::size_t i = 0; i < c.size(); ++i)
    for (std::size_t j = 0; j < c[i].size(); ++j)
      for (std::size_t p = 0; p < b.size(); ++p) c[i][j] += a[i][p] * b[p][j];
}
// [/rows_of_rows]

// [checked]
template <class T>
void checked(View<const T> a, View<const T> b, View<T> c) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      T sum = at(c, i, j);
      for (Index p = 0; p < a.cols(); ++p) sum += at(a, i, p) * at(b, p, j);
      at(c, i, j) = sum;
    }
}
// [/checked]

// [ijk]
template <class T>
void ijk(View<const T> a, View<const T> b, View<T> c) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      T sum = c(i, j);
      for (Index p = 0; p < a.cols(); ++p) sum += a(i, p) * b(p, j);
      c(i, j) = sum;
    }
}
// [/ijk]

template void rows_of_rows(const Vectors<float>&, const Vectors<float>&, Vectors<float>&);
template void rows_of_rows(const Vectors<double>&, const Vectors<double>&, Vectors<double>&);
template void rows_of_rows(const Vectors<std::int32_t>&, const Vectors<std::int32_t>&,
                           Vectors<std::int32_t>&);
COURSE_INSTANTIATE(checked);
COURSE_INSTANTIATE(ijk);

}  // namespace naive
