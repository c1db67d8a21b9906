#include "broken.hpp"

namespace openacc::wrong {

template <class T>
void overwritten(View<const T> a, View<const T> b, View<T> c) {
  const Index m = c.rows(), n = c.cols(), k = a.cols();
#pragma acc parallel loop gang worker vector collapse(2) firstprivate(a, b, c)
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      T sum = 0;
      for (Index p = 0; p < k; ++p) sum += a(i, p) * b(p, j);
      c(i, j) = sum;
    }
}

template <class T>
void into_padding(View<const T> a, View<const T> b, View<T> c) {
  const Index m = c.rows(), n = c.cols(), k = a.cols(), ld = c.ld();
  T* const data = c.data();
#pragma acc parallel loop gang worker vector collapse(2) firstprivate(a, b) deviceptr(data)
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < ld; ++j) {
      T sum = j < n ? data[i * ld + j] : 0;
      for (Index p = 0; p < k && j < n; ++p) sum += a(i, p) * b(p, j);
      data[i * ld + j] = sum;
    }
}

COURSE_INSTANTIATE(overwritten);
COURSE_INSTANTIATE(into_padding);

}  // namespace openacc::wrong
