// 14's products for Hopper, in the library 14_f64_by_integers-launch.
#pragma once

#include "common/view.hpp"

namespace f64_by_integers {

enum class F64Variant { native, slices, remainders, rounded, panels, marching, strassen, best };

/// C += A·B, all in the GPU's memory, on the default stream. Returns the variant that has made it, native
/// where integers do not serve. Keeps memory for the next product. Throws if CUDA refuses.
F64Variant gemm_on_hopper(course::View<const double> a, course::View<const double> b, course::View<double> c,
                          F64Variant variant);

}  // namespace f64_by_integers
