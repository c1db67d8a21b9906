// The last rungs of 05 as a library: what other steps multiply with on one node.
#pragma once

#include "common/view.hpp"

namespace avx2 {

/// Of the registers that best() uses on this processor: "avx512" or "avx2"; and the features that these need.
const char* best_vector();
const char* best_needs();

/// C += A·B by `tuned` with AVX-512 or, where the processor has no such registers, with AVX2.
template <class T>
void best(course::View<const T> a, course::View<const T> b, course::View<T> c, int threads);

}  // namespace avx2
