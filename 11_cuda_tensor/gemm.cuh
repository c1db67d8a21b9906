// The rungs in their order, a file each: C += A·B by tensor cores, of any size, from compute capability 8.0
// on. A (m × k) and B (k × n) in BF16, C (m × n) in f32; wide: A and B in f32, rounded to TF32, or all in
// f64.
#pragma once

// clang-format off
#include "rungs/wmma.cuh"
#include "rungs/shared.cuh"
#include "rungs/mma.cuh"
#include "rungs/ldmatrix.cuh"
#include "rungs/stages.cuh"
#include "rungs/kept_addresses.cuh"
#include "rungs/wide.cuh"
// clang-format on
