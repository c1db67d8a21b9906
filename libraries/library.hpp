// Libraries that multiply matrices: found at run time, never linked, so that one may be missing.
#pragma once

#include <string>
#include <vector>

#include "turns.hpp"

namespace libraries {

/// A BLAS, or what multiplies like one.
struct Library {
  std::string name = {};    // "OpenBLAS SkylakeX": as it says itself, with its kernel
  std::string kernel = {};  // "SkylakeX"; empty if it does not say
  std::string about = {};   // "0.3.21; how it was built, in its own words; the file that was loaded"
  std::string needs = {};   // features of the processor: "avx2,fma"; empty if it does not say
  bool openmp = false;      // its threads are OpenMP's
  std::shared_ptr<course::Variant<float>> f32 = {};  // nullptr of a type that it does not multiply
  std::shared_ptr<course::Variant<double>> f64 = {};
  std::shared_ptr<course::Variant<std::int32_t>> i32 = {};
};

/// The library of a name ("openblas") or in a file, for good. OpenBLAS and BLIS are told to use their widest
/// kernel here, or that for AVX2. Throws Refusal with the loader's reason, or if it multiplies no matrices.
Library load(const std::string& name, bool avx2);
/// Those that have a name.
std::vector<std::string> names();

}  // namespace libraries
