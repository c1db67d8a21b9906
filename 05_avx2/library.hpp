// The last rungs of 05 as a library: what other steps multiply with on one node.
#pragma once

#include "common/view.hpp"

namespace avx2 {

/// Of the registers that best() uses on this processor: "avx512", "avx2" or "neon"; and the features that
/// these need.
const char* best_vector();
const char* best_needs();

/// Has this processor what tuned_tile needs? What AVX-512 needs?
bool has_needs(bool wide);

/// C += A·B by `tuned` with AVX-512 or, where the processor has no such registers, with AVX2; on ARM with
/// Neon.
template <class T>
void best(course::View<const T> a, course::View<const T> b, course::View<T> c, int threads);

}  // namespace avx2
