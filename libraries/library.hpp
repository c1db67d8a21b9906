// Libraries that multiply matrices: found at run time, never linked, so that one may be missing.
#pragma once

#include <string>
#include <vector>

#include "runner/run.hpp"

namespace libraries {

/// What is asked for beside the options of every step.
struct Asked {
  std::string library = {};  // a name, or a file
  bool avx2 = false;         // ours and theirs kept to AVX2
  bool sustained = false;    // in turns, each for a second
  int threads = 1;           // one number a process: libraries read it while they are loaded
};

/// Why a library that has a name cannot multiply here.
struct Missing {
  std::string why;
};

std::vector<std::string> names();  // of those that have one
/// Adds a library by itself as the variant `library`, and our variants in turns with it. May begin the
/// program anew, in another environment. Throws Missing, or Refusal for a file that is no library.
void add_variants(course::Step& step, const Asked& asked, char** argv);

/// The name of a variant in turns.
inline std::string in_turns(const std::string& variant, const Asked& asked) {
  return variant + (asked.threads > 1 ? "_threads" : "") + (asked.sustained ? "_sustained" : "");
}

}  // namespace libraries
