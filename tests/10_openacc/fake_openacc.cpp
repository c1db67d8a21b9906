// 10's kernels, which only say their names: loaded before its own, they tell which one a variant starts.
#include <cstdio>

#include "10_openacc/gemm.hpp"

#define NAMED(kernel)                                  \
  template <class T>                                   \
  void kernel(View<const T>, View<const T>, View<T>) { \
    std::puts("kernel " #kernel);                      \
  }                                                    \
  COURSE_INSTANTIATE(kernel)

namespace openacc {

NAMED(one_each);
NAMED(tiled);
NAMED(four_by_four);
NAMED(omp_target);
NAMED(omp_target_simd);

}  // namespace openacc
