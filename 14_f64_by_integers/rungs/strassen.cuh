// strassen: as marching, but with A, B and C in quarters, seven products for eight (Strassen 1969, in
// Winograd's order). In floating point its sums of quarters lose digits; here they are sums of integers, and
// exact.
//   build/14_f64_by_integers/14_f64_by_integers --size 16384 --variant marching,strassen
#pragma once

#include "panels.cuh"

namespace f64_by_integers {
namespace {

struct Strassen {
  static constexpr int side = 2, products = 7;
};
/// What the r-th product takes of four elements, one in the same place of each quarter of A, or of B.
__device__ inline std::int64_t operand_of_a(Strassen, int r, std::int64_t a11, std::int64_t a12,
                                            std::int64_t a21, std::int64_t a22) {
  const std::int64_t s1 = a21 + a22, s2 = s1 - a11;
  const std::int64_t of[7] = {a11, a12, a12 - s2, a22, s1, s2, a11 - a21};
  return of[r];
}
__device__ inline std::int64_t operand_of_b(Strassen, int r, std::int64_t b11, std::int64_t b12,
                                            std::int64_t b21, std::int64_t b22) {
  const std::int64_t t1 = b12 - b11, t2 = b22 - t1;
  const std::int64_t of[7] = {b11, b21, b22, t2 - b21, t1, t2, b22 - b12};
  return of[r];
}
/// The quarters of C.
__device__ inline void parts_of_c(Strassen, const int (&p)[7], int (&c)[4]) {
  const int u2 = p[0] + p[5], u3 = u2 + p[6];
  c[0] = p[0] + p[1], c[1] = u2 + p[4] + p[2], c[2] = u3 - p[3], c[3] = u3 + p[4];
}

}  // namespace
}  // namespace f64_by_integers
