// The one command line of all steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/problem.hpp"

namespace course {

enum class Verify { automatic, full, none };

struct Options {
  std::vector<Shape> shapes;
  std::vector<std::string> types, variants;
  std::vector<int> threads;
  std::vector<Index> tiles = {0};
  int repeat = 5, warmup = 1;
  double budget = 10;  // seconds a row may take
  Fill fill = Fill::uniform;
  std::uint64_t seed = 987654;
  Verify verify = Verify::automatic;
  std::string csv, machine;
  std::vector<std::string> blas;    // library files
  std::vector<std::string> rivals;  // kinds of libraries
  bool resume = false, list = false;
  // For the tests: hidden from --help.
  bool expect_wrong = false;
  Index pad = 0;
};

/// What the command line depends on.
struct Features {
  std::string program, idea;
  bool threads = false;
  std::vector<Index> tiles = {};  // the default of --tile, which an empty list leaves out
  bool blas = false;              // --blas FILE
  bool inputs = true;  // what concerns the inputs and a variant's own runs: --fill, --seed, --verify, ...
  std::vector<std::string> rivals = {};  // --rival, of these; and --pairs for --repeat
  std::vector<std::string> types = {"f32", "f64", "i32"};
  // What holds where nothing is given.
  std::vector<Shape> shapes = {{256, 256, 256}, {512, 512, 512}};
  std::vector<int> thread_counts = {1};
  double budget = 10;
  bool speaks = true;  // prints the help
};

/// The options, or nothing when help was asked for and all is done. Throws Refusal with one line that says
/// what was given and what would do. Integers are decimal digits and nothing else, within their bounds.
std::optional<Options> parse_options(int argc, const char* const* argv, const Features& features);

}  // namespace course
