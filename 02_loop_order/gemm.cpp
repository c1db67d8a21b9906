// Compiled for this course's plain flags and once more for the host; holds nothing but these kernels.
#include "gemm.hpp"

namespace loop_order {

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

// [ikj]
template <class T>
void ikj(View<const T> a, View<const T> b, View<T> c) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index p = 0; p < a.cols(); ++p) {
      const T factor = a(i, p);
      for (Index j = 0; j < c.cols(); ++j) c(i, j) += factor * b(p, j);
    }
}
// [/ikj]

template <class T>
void ikj_unrolled(View<const T> a, View<const T> b, View<T> c) {
  const Index n = c.cols();
  for (Index i = 0; i < c.rows(); ++i)
    for (Index p = 0; p < a.cols(); ++p) {
      const T factor = a(i, p);
#pragma GCC unroll 4
      for (Index j = 0; j < n; ++j) c(i, j) += factor * b(p, j);
    }
}

template <class T>
void jik(View<const T> a, View<const T> b, View<T> c) {
  for (Index j = 0; j < c.cols(); ++j)
    for (Index i = 0; i < c.rows(); ++i) {
      T sum = c(i, j);
      for (Index p = 0; p < a.cols(); ++p) sum += a(i, p) * b(p, j);
      c(i, j) = sum;
    }
}

template <class T>
void jki(View<const T> a, View<const T> b, View<T> c) {
  for (Index j = 0; j < c.cols(); ++j)
    for (Index p = 0; p < a.cols(); ++p) {
      const T factor = b(p, j);
      for (Index i = 0; i < c.rows(); ++i) c(i, j) += a(i, p) * factor;
    }
}

template <class T>
void kij(View<const T> a, View<const T> b, View<T> c) {
  for (Index p = 0; p < a.cols(); ++p)
    for (Index i = 0; i < c.rows(); ++i) {
      const T factor = a(i, p);
      for (Index j = 0; j < c.cols(); ++j) c(i, j) += factor * b(p, j);
    }
}

template <class T>
void kji(View<const T> a, View<const T> b, View<T> c) {
  for (Index p = 0; p < a.cols(); ++p)
    for (Index j = 0; j < c.cols(); ++j) {
      const T factor = b(p, j);
      for (Index i = 0; i < c.rows(); ++i) c(i, j) += a(i, p) * factor;
    }
}

// [transposed]
template <class T>
void transposed(View<const T> a, View<const T> b, View<T> c, View<T> bt) {
  for (Index p = 0; p < b.rows(); ++p)
    for (Index j = 0; j < b.cols(); ++j) bt(j, p) = b(p, j);
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      T sum = c(i, j);
      for (Index p = 0; p < a.cols(); ++p) sum += a(i, p) * bt(j, p);
      c(i, j) = sum;
    }
}
// [/transposed]

// [rows_ikj]
template <class T>
void rows_ikj(const Vectors<T>& a, const Vectors<T>& b, Vectors<T>& c) {
  for (std::size_t i = 0; i < c.size(); ++i)
    for (std::size_t p = 0; p < b.size(); ++p)
      for (std::size_t j = 0; j < c[i].size(); ++j) c[i][j] += a[i][p] * b[p][j];
}
// [/rows_ikj]

// [contiguous]
template <class T>
void contiguous(View<const T> a, View<const T> b, View<T> c) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j)
      for (Index p = 0; p < a.cols(); ++p) c(i, j) += a(i, p) * b(p, j);
}
// [/contiguous]

COURSE_INSTANTIATE(ijk);
COURSE_INSTANTIATE(ikj);
COURSE_INSTANTIATE(ikj_unrolled);
COURSE_INSTANTIATE(jik);
COURSE_INSTANTIATE(jki);
COURSE_INSTANTIATE(kij);
COURSE_INSTANTIATE(kji);
COURSE_INSTANTIATE(contiguous);
template void transposed(View<const float>, View<const float>, View<float>, View<float>);
template void transposed(View<const double>, View<const double>, View<double>, View<double>);
template void transposed(View<const std::int32_t>, View<const std::int32_t>, View<std::int32_t>,
                         View<std::int32_t>);
template void rows_ikj(const Vectors<float>&, const Vectors<float>&, Vectors<float>&);
template void rows_ikj(const Vectors<double>&, const Vectors<double>&, Vectors<double>&);
template void rows_ikj(const Vectors<std::int32_t>&, const Vectors<std::int32_t>&, Vectors<std::int32_t>&);

}  // namespace loop_order
