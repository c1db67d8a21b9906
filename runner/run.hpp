// The program round every step: options → problems → for each variant allocate, run, verify → rows.
#pragma once

#include <functional>
#include <string>

#include "runner/cost.hpp"
#include "runner/machine.hpp"
#include "runner/variant.hpp"

namespace course {

/// A step: its variants for each type, and what its command line offers.
struct Step {
  std::string program, idea;
  std::string flags;     // the kernels' compiler flags, for the record
  std::string features;  // of the processor the kernels were built for, comma-separated
  Variants<float> f32;
  Variants<double> f64;
  Variants<std::int32_t> i32;
  bool is_level = false;  // the kernels at another optimisation level: not where the baseline is measured
  std::string vector = "sse2";  // the widest registers its kernels use, unless a variant has others
  // The defaults of --tile, --block (of threads, or with MPI of elements) and --grid (of processes).
  std::vector<Index> tiles = {}, tile_choices = {};  // choices: if it has some, there are no others
  std::vector<Dim2> blocks = {}, grids = {};
  Index pad = 0;                     // elements between the rows of its matrices, the default of --pad
  Variants<course::bf16> bf16 = {};  // A and B in BF16, C in f32; few steps have such
  Variants<course::tf32> tf32 = {};  // all in f32, but factors are rounded to TF32
  // Of a step on a GPU: what --emulate runs, and whether accesses are counted.
  std::function<Step(const std::string& order, bool count)> emulated = {};
  bool has_emulation = true;  // false: --emulate runs none of its variants
  std::string options = {};   // its program's own, which a row that is run again wants, too
};

/// Runs the program. Exit status, the same on every rank: 0 all right, 1 a result was wrong, 2 refused (one
/// line on stderr), 77 nothing that was asked for can run here.
int run(int argc, const char* const* argv, const Step& step, const World& world = {});

/// How a program ends that throws a Refusal.
struct Refused {
  int status = 2;      // 1 once a result was wrong
  bool alone = false;  // from now on a rank may throw it while others wait for that rank
};

/// What the main part of a program returns, if standard output could be written; else, and after an
/// exception, another status and one line on stderr. A Refusal is thrown by all ranks, of which rank 0
/// speaks, unless `refused.alone`; what else one throws ends all.
int exit_status(const std::string& program, const std::function<int()>& part, const World& world = {},
                const Refused& refused = {});

}  // namespace course

/// A Step of main.cpp's `template <class T> course::Variants<T> variants()`; the build defines the rest.
#define COURSE_STEP(idea)                                                                               \
  course::Step {                                                                                        \
    COURSE_PROGRAM, idea, COURSE_FLAGS, COURSE_INSTRUCTION_SETS, variants<float>(), variants<double>(), \
        variants<std::int32_t>(), COURSE_IS_LEVEL, COURSE_VECTOR                                        \
  }
