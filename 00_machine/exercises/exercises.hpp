// The exercises of 00: what the lesson shows, and solutions.
#pragma once

#include "common/view.hpp"

namespace machine::exercises {

using course::Index;

/// Exercise 4: GFLOP/s as a colleague measures them, and the same with the 12 sums kept.
double peak(Index rounds);
double peak_printed(Index rounds, float* where);

/// Exercise 5: the sum of n numbers at x, to see how fast they can be read. Both need AVX2; the first wants n
/// to be a multiple of 16.
float sum(const float* x, Index n);
float sum_solved(const float* x, Index n);

}  // namespace machine::exercises
