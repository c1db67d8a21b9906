// A library that multiplies matrices: found at run time, never linked, so that it may be missing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runner/variant.hpp"

namespace rivals {

inline int at_once = 1;  // products of a run: one alone would be timed with its launch, or with the clock

/// What all libraries on a GPU share.
struct Gpu {
  struct State {
    double mhz = 0, watts = 0;  // of the SMs, of the board; 0 if the driver does not say
  };
  State (*state)() = nullptr;
};

struct Library {
  std::string about = {};   // "0.3.21; how it was built, in its own words; the file that was loaded"
  std::string kernel = {};  // what it uses here, "Haswell"; empty if it does not say
  std::string needs = {};   // features of the processor: "avx2,fma"; empty if it does not say
  bool openmp = false;      // its threads are OpenMP's
  Gpu* gpu = nullptr;       // where it multiplies; nullptr: on the processor
  bool rounds = false;  // TF32: inputs are rounded, which our verifier would refuse; it is checked on digits
  // C += A·B by this library as variants like any of ours; nullptr for a type that it does not multiply.
  std::shared_ptr<course::Variant<course::bf16>> bf16 = {};
  std::shared_ptr<course::Variant<float>> f32 = {};
  std::shared_ptr<course::Variant<double>> f64 = {};
  std::shared_ptr<course::Variant<std::int32_t>> i32 = {};
};

/// Loads a file for good; throws the loader's reason, or if it multiplies no matrices. A file is a BLAS
/// (library.cpp, in rivals_cpu), or one of cuBLAS's ways to multiply, or ours for a GPU, of which COURSE_RUNG
/// names the rung (cublas.cu, in rivals_gpu). OpenBLAS and BLIS are made to use their kernel for "avx512" or
/// "avx2", or left their own choice; if they report another, that is refused.
Library load(const std::string& file, const std::string& kernel);

}  // namespace rivals
