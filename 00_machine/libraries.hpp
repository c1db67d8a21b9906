// Libraries that multiply matrices, found at run time and never linked: what is not installed is simply not
// there.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/view.hpp"
#include "runner/options.hpp"

namespace machine {

using course::Index;
using course::View;

using Environment = std::vector<std::pair<std::string, std::string>>;

/// A library file and one way to set it up.
struct Candidate {
  std::string name;         // "OpenBLAS"
  std::string part;         // what --variant calls it: "openblas"
  std::string setting;      // the kernel it is made to use, "SkylakeX"; empty: as the library chooses
  std::string file;         // what it is loaded from
  bool openmp = false;      // its threads are OpenMP's
  Environment environment;  // read while the library loads: to be set before

  std::string label() const { return setting.empty() ? name : name + " " + setting; }
};

/// The names --variant knows, in the order of candidates(): eigen, openblas, blis, onednn, mkl, blas.
const std::vector<std::string>& library_parts();

/// Adds --blas FILE,... to a command line.
void add_blas(CLI::App& app, std::vector<std::string>& files);
/// Throws course::Refusal if one of --threads' counts is more than the hardware threads that may be used.
void require_cpus(const std::vector<int>& counts);

/// Every library found here with every setting this processor can run, each library as it chooses first.
/// Tries to load each in a process of its own, so that none stays in this one: call it before there are other
/// threads. Throws course::Refusal if one of `files` (--blas) cannot be loaded or multiplies no matrices.
std::vector<Candidate> candidates(const std::vector<std::string>& files);

/// The settings of each library, library by library.
std::vector<std::vector<Candidate>> by_library(const std::vector<Candidate>& candidates);

/// Whether a library that says it uses `kernel` knows this setting; one that does not know it chooses itself.
bool knows(const Candidate& setting, const std::string& kernel);

/// What a look at one setting found: the kernel, and the rate in GFLOP/s if there was one.
struct Look {
  std::string kernel;
  std::optional<double> rate;
};
/// Of the settings of one library: as the library chooses, and the best. nullptr: none of them could be had.
struct Choice {
  const Candidate *chosen = nullptr, *best = nullptr;
};
/// Looks at each setting and says so in a line; `what` is done there. The best is better than the library's
/// choice by more than noise.
Choice choose(const std::vector<Candidate>& settings, const std::string& what,
              const std::function<Look(const Candidate&)>& look);
/// The choice that is known already, by the label of the best; a single setting needs no knowledge.
Choice remembered(const std::vector<Candidate>& settings, const std::optional<std::string>& best);
/// Whether a row of machine.csv, by its label and note, is of this library's best setting.
bool is_best(const std::string& library, const std::string& label, const std::string& note);

/// What makes any library use `threads` threads, one a core as long as there are `cores`.
Environment thread_environment(int threads, int cores, bool openmp);

/// A library in this process.
class Library {
 public:
  std::string name;     // the candidate's label
  std::string version;  // "0.3.21"
  std::string kernel;   // what it uses here, "Haswell"; empty if it does not say
  std::string config;   // how it was built, in its own words
  std::string path;     // the file that was loaded

  /// Whether it multiplies T: float, double, std::int32_t.
  template <class T>
  bool has() const;
  /// C += A·B, row-major; has<T>() must hold. Throws course::Refusal for a dimension beyond 2^31 - 1, or if
  /// the library itself reports a failure.
  template <class T>
  void gemm(View<const T> a, View<const T> b, View<T> c) const;

 private:
  friend Library load(const Candidate& candidate);
  struct Symbols;
  std::shared_ptr<const Symbols> symbols_;
};

/// Loads a library into this process, for good. Its environment must be set already: `setenv` before the
/// first load is enough for the settings; the number of threads is read by the OpenMP runtime, which may be
/// there before. Throws course::Refusal with the loader's reason.
Library load(const Candidate& candidate);

/// Sets the variables in this process.
void set(const Environment& environment);

}  // namespace machine
