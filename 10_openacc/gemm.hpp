// 10: the plain loops, and directives that send them to a GPU. What each function is for stands in README.md.
#pragma once

#include "common/view.hpp"

namespace openacc {

using course::Index;
using course::View;

// All compute C += A·B on views of the device's memory, and return when the device is done.

// OpenACC, in gemm_acc.cpp.

/// One thread an element of C.
template <class T>
void one_each(View<const T> a, View<const T> b, View<T> c);

/// one_each, eight rounds of the loop over p written out, as in 07's kernels.
template <class T>
void unrolled(View<const T> a, View<const T> b, View<T> c);

/// One gang a tile of C, 32 × 32 elements.
template <class T>
void tiled(View<const T> a, View<const T> b, View<T> c);

/// One thread 4 × 4 elements of C, in registers.
template <class T>
void four_by_four(View<const T> a, View<const T> b, View<T> c);

// OpenMP, in gemm_omp.cpp.

/// one_each as OpenMP spells it, without simd.
template <class T>
void omp_target(View<const T> a, View<const T> b, View<T> c);

/// one_each as OpenMP spells it, with simd.
template <class T>
void omp_target_simd(View<const T> a, View<const T> b, View<T> c);

}  // namespace openacc
