// The one command line of all steps, on CLI11.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "runner/variant.hpp"

namespace CLI {  // its header is a long one: only who makes an App includes it
class App;
class Validator;
}  // namespace CLI

namespace course {

struct Options {
  std::vector<Shape> shapes = {{256, 256, 256}, {512, 512, 512}};
  std::vector<std::string> types = {"f32", "f64", "i32"}, variants = {};
  std::vector<int> threads = {1};
  int most_threads = 4096;                           // 1: a step of one thread
  std::vector<Index> tiles = {}, tile_choices = {};  // choices: if it has some, there are no others
  std::vector<Dim2> blocks = {}, grids = {};
  int ranks = 0;  // that were started; 0: nobody said
  int repeat = 5, warmup = 1;
  double budget = 10;  // seconds a row may take
  Fill fill = Fill::uniform;
  std::uint64_t seed = 987654;
  std::string verify = "auto", csv = {}, machine = {};
  bool list = false, verify_copies = false, in_turns = false;
  std::string emulate = {};
  bool count = false;
  // For the tests: hidden from --help.
  bool expect_wrong = false;
  Index pad = 0;
};

/// --help, --type, --threads, --csv. What is given replaces the option's default.
void add_sweep(CLI::App& app, Options& options);
/// These, and --variant, --budget, --list.
void add_common(CLI::App& app, Options& options);
/// --size and --shape.
void add_shapes(CLI::App& app, Options& options);
/// The further options of all steps, of those on a GPU, of those with MPI (run as so many ranks, which
/// parse refuses if another number was started).
void add_step(CLI::App& app, Options& options);
void add_gpu(CLI::App& app, Options& options);
void add_ranks(CLI::App& app, Options& options, int ranks);
/// False for --help, which is printed if `is_root`. Throws Refusal.
bool parse(CLI::App& app, Options& options, int argc, const char* const* argv, bool is_root = true);

/// To transform an item: decimal digits and nothing else, from `least` to `most`. CLI11 reads 010 as eight.
CLI::Validator whole(Index least, Index most = std::numeric_limits<Index>::max());

}  // namespace course
