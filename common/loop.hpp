// The one loop of all programs: options, inputs, runs, verification, records.
#pragma once

#include <functional>
#include <string>

#include "common/rows.hpp"
#include "common/variant.hpp"

namespace course {

/// The processes that run one program together; alone, each function is the identity. An MPI step gives its
/// own.
struct World {
  int rank = 0, size = 1;
  std::function<double(double)> slowest = [](double mine) {
    return mine;
  };                                                                 // the largest of all ranks' values
  std::function<bool(bool)> agree = [](bool mine) { return mine; };  // rank 0's decision, known to all
};

/// A step: its variants for each type, and what its command line offers.
struct Step {
  std::string program, idea;
  std::string flags;             // the kernels' compiler flags, for the record
  std::string instruction_sets;  // /proc/cpuinfo flags the kernels were built for, comma-separated
  Variants<float> f32;
  Variants<double> f64;
  Variants<std::int32_t> i32;
  bool is_level =
      false;  // the step's kernels at another optimisation level: not where the baseline is measured
  std::string vector = "sse2";    // the widest registers its kernels use, unless a variant says otherwise
  bool threads = false;           // offers --threads
  std::vector<Index> tiles = {};  // the tile sizes it runs unless told otherwise; none: it has no --tile
  World world = {};
};

/// Runs the program and returns its exit status: 0 well, 1 a result was wrong, 2 a refusal (one line on
/// stderr), 77 nothing that was asked for can run here. Throws nothing.
int run(int argc, const char* const* argv, Step step);

}  // namespace course

/// A program's main, given main.cpp's `template <class T> course::Variants<T> variants()`; the build defines
/// the rest.
#define COURSE_STEP(idea)                                                                               \
  course::Step {                                                                                        \
    COURSE_PROGRAM, idea, COURSE_FLAGS, COURSE_INSTRUCTION_SETS, variants<float>(), variants<double>(), \
        variants<std::int32_t>(), COURSE_IS_LEVEL, COURSE_VECTOR                                        \
  }
