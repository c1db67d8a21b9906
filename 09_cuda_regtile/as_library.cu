// The best of 09 as a library, so that it meets others.
#include "best.cuh"
#include "library.hpp"

void COURSE_REGTILE_MULTIPLY(course::Index m, course::Index n, course::Index k, const float* a,
                             course::Index a_ld, const float* b, course::Index b_ld, float* c,
                             course::Index c_ld) {
  cuda_regtile::best({a, m, k, a_ld}, {b, k, n, b_ld}, {c, m, n, c_ld});
}
