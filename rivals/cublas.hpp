// What meet_gpu has of a GPU; compiled by nvcc, which does not understand all that the runner includes.
#pragma once

#include <memory>
#include <string>

#include "common/variant.hpp"

namespace rivals {

/// "cuBLAS 13.0.2".
std::string cublas_version();
/// Its ways to multiply: `default`, `pedantic`; and on tensor cores `tf32`, `bf16`, which check themselves.
course::Variants<float> cublas_of_floats();
course::Variants<double> cublas_of_doubles();

/// C += A·B, all in the GPU's memory.
using Multiply = void(course::Index m, course::Index n, course::Index k, const float* a, course::Index a_ld,
                      const float* b, course::Index b_ld, float* c, course::Index c_ld);
/// The variant of such a function.
std::shared_ptr<course::Variant<float>> on_gpu(const std::string& name, Multiply* multiply);

}  // namespace rivals
