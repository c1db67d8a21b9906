// A library that multiplies matrices, found at run time and never linked: what is not installed is simply
// not there.
#pragma once

#include <memory>
#include <string>

#include "common/variant.hpp"

namespace rivals {

using course::Index;
using course::View;

/// Loaded into this process, for good. It reads its settings from the environment while it loads, and its
/// number of threads: both must stand there when the process starts.
class Library {
 public:
  /// Throws course::Refusal with the loader's reason, or if it multiplies no matrices.
  explicit Library(const std::string& file);

  std::string version;  // "0.3.21"
  std::string kernel;   // what it uses here, "Haswell"; empty if it does not say
  std::string config;   // how it was built, in its own words
  std::string path;     // the file that was loaded
  std::string needs;    // features of the processor: "avx2,fma"; empty if it does not say
  std::string kernels;  // BLIS: the names of all that it has, in the order of their numbers
  bool openmp = false;  // its threads are OpenMP's

  /// C += A·B by this library, which must outlive it, as a variant like any of ours; nullptr if it does not
  /// multiply T: float, double, std::int32_t. Its run throws course::Refusal if the library reports a
  /// failure, and for a dimension beyond 2^31 - 1. (A library for a GPU or for ranks is another Variant.)
  template <class T>
  std::shared_ptr<course::Variant<T>> variant() const;

 private:
  void* handle_;
};

}  // namespace rivals
