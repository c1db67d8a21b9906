// Compiled for AVX2; on ARM each vector is two registers.
#include "exercises.hpp"

namespace machine::exercises {

// [two_sums]
typedef float V [[gnu::vector_size(32), gnu::may_alias, gnu::aligned(4)]];  // 8 numbers, anywhere

float sum(const float* x, Index n) {
  V even = {}, odd = {};
  for (Index i = 0; i < n; i += 16) {
    even += *reinterpret_cast<const V*>(x + i);
    odd += *reinterpret_cast<const V*>(x + i + 8);
  }
  even += odd;
  float total = 0;
  for (int lane = 0; lane < 8; ++lane) total += even[lane];
  return total;
}
// [/two_sums]

// [eight_sums]
float sum_solved(const float* x, Index n) {
  V sums[8] = {};
  Index i = 0;
  for (; i + 64 <= n; i += 64)
#pragma GCC unroll 8  // each sum becomes a register
    for (int s = 0; s < 8; ++s) sums[s] += *reinterpret_cast<const V*>(x + i + 8 * s);
  for (int s = 1; s < 8; ++s) sums[0] += sums[s];
  float total = 0;
  for (int lane = 0; lane < 8; ++lane) total += sums[0][lane];
  for (; i < n; ++i) total += x[i];  // what is left, fewer than 64
  return total;
}
// [/eight_sums]

}  // namespace machine::exercises
