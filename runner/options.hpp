// The one command line of all steps, on CLI11.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "common/variant.hpp"
#include "runner/table.hpp"

namespace CLI {
class App;  // its header is a long one: only who makes one includes it
}

namespace course {

enum class Verify { automatic, full, none };

struct Options {
  std::vector<Shape> shapes = {{256, 256, 256}, {512, 512, 512}};
  std::vector<std::string> types = {"f32", "f64", "i32"}, variants = {};
  std::vector<int> threads = {1};
  std::vector<Index> tiles = {}, tile_choices = {};  // choices: if it has some, there are no others
  std::vector<Sides> blocks = {}, grids = {};
  int repeat = 5, warmup = 1;
  double budget = 10;  // seconds a row may take
  Fill fill = Fill::uniform;
  std::uint64_t seed = 987654;
  Verify verify = Verify::automatic;
  std::string csv = {}, machine = {};
  bool resume = false, list = false, verify_copies = false, quiet = false;
  std::string emulate = {};
  // For the tests: hidden from --help.
  bool expect_wrong = false;
  bool explain = false;  // of a wrong result, what a tutor would say; for small products
  Index pad = 0;
};

/// --help, --type, --threads, --csv; `threads`: --threads may be other than 1. What is given replaces what an
/// option held before.
void add_sweep(CLI::App& app, Options& options, bool threads);
/// These, and --variant, --budget, --resume, --list.
void add_common(CLI::App& app, Options& options, bool threads);
/// --size and --shape.
void add_shapes(CLI::App& app, Options& options);
/// What all steps have besides; what those on a GPU have; what those with MPI have, started as so many ranks.
void add_step(CLI::App& app, Options& options);
void add_gpu(CLI::App& app, Options& options);
void add_ranks(CLI::App& app, Options& options, int ranks);
/// False when help was asked for, which is printed if `speaks`. Throws Refusal with one line that says what
/// was given and what would do.
bool parse(CLI::App& app, const Options& options, int argc, const char* const* argv, bool speaks = true);

/// An option with one value, given to `take` with its name; without a description it is for the tests.
using Take = std::function<void(const std::string& option, const std::string& given)>;
void add_text(CLI::App& app, const std::string& name, const std::string& what, const Take& take);

/// Decimal digits and nothing else, within bounds. (CLI11 would read 010 as eight and cut
/// 99999999999999999999 to 2^63 - 1.)
Index whole_number(const std::string& option, const std::string& given, Index least, Index most);
template <class T>
void add_number(CLI::App& app, const std::string& name, const std::string& what, T& value, Index least,
                Index most = std::numeric_limits<Index>::max()) {
  add_text(app, name, what, [&value, least, most](const std::string& option, const std::string& given) {
    value = static_cast<T>(whole_number(option, given, least, most));
  });
}

/// A list, of each item once, as `read` takes it. (CLI11 would drop empty items.) `keep`: add to what is
/// there.
template <class Item, class Read>
void add_list(
    CLI::App& app, const std::string& name, const std::string& what, std::vector<Item>& items,
    const Read& read, const std::function<bool()>& keep = [] { return false; }) {
  add_text(app, name, what, [&items, read, keep](const std::string& option, const std::string& given) {
    if (!keep()) items.clear();
    for (const std::string& text : split(given))
      if (const auto item = static_cast<Item>(read(option, text));
          std::find(items.begin(), items.end(), item) == items.end())
        items.push_back(item);
  });
}

}  // namespace course
