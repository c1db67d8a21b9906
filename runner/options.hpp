// The one command line of all steps, on CLI11.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "runner/variant.hpp"

namespace course {

struct Options {
  // What a command line has besides --help, --type, --threads, --csv, --variant, --budget and --list.
  bool products = true;    // sizes, repeats and what else a step asks
  bool emulation = false;  // of a step on a GPU
  int started = 0;         // of a step with MPI: the ranks it is run as
  std::vector<std::tuple<std::string, bool*, std::string>> flags = {};  // of one program: name, value, help
  // What is given, or else holds.
  std::vector<Shape> shapes = {};  // none: 256 and 512
  std::vector<std::string> types = {"f32", "f64", "i32"}, variants = {};
  std::vector<int> threads = {1};
  int most_threads = 4096;                           // 1: a step of one thread
  std::vector<Index> tiles = {}, tile_choices = {};  // choices: if it has some, there are no others
  std::vector<Dim2> blocks = {}, grids = {};
  int ranks = 0;  // that should have been started; 0: nobody said
  int repeat = 5, warmup = 1;
  double budget = 10;  // seconds a row may take
  Fill fill = Fill::uniform;
  std::uint64_t seed = 987654;
  std::string verify = "auto", csv = {}, machine = {};
  bool list = false, in_turns = false;
  std::string emulate = {};
  bool count = false;
  // For the tests: hidden from --help.
  bool expect_wrong = false;
  Index pad = 0;
};

/// Reads the command line: each given value replaces its default in `options`. False for --help, which is
/// printed if `is_root`. Throws Refusal.
bool parse(Options& options, const std::string& title, int argc, const char* const* argv,
           bool is_root = true);

}  // namespace course
