// ikj once more, compiled with -fno-tree-vectorize: what the order gains by itself. Holds nothing but this
// kernel.
#include "gemm.hpp"

namespace loop_order {

template <class T>
void ikj_scalar(View<const T> a, View<const T> b, View<T> c) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index p = 0; p < a.cols(); ++p) {
      const T factor = a(i, p);
      for (Index j = 0; j < c.cols(); ++j) c(i, j) += factor * b(p, j);
    }
}

COURSE_INSTANTIATE(ikj_scalar);

}  // namespace loop_order
