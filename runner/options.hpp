// The one command line of all steps, on CLI11.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "runner/table.hpp"
#include "runner/variant.hpp"

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
  int ranks = 0;  // that were started; 0: nobody said
  int repeat = 5, warmup = 1;
  double budget = 10;  // seconds a row may take
  Fill fill = Fill::uniform;
  std::uint64_t seed = 987654;
  Verify verify = Verify::automatic;
  std::string csv = {}, machine = {};
  bool list = false, verify_copies = false, quiet = false;
  std::string emulate = {};
  // For the tests: hidden from --help.
  bool expect_wrong = false;
  std::string explain = {};  // where a Tutor writes, if one is linked
  Index pad = 0;
};

/// --help, --type, --threads (above 1 if `threads`), --csv. What is given replaces the option's default.
void add_sweep(CLI::App& app, Options& options, bool threads);
/// These, and --variant, --budget, --list.
void add_common(CLI::App& app, Options& options, bool threads);
/// --size and --shape.
void add_shapes(CLI::App& app, Options& options);
/// The further options of all steps, of those on a GPU, of those with MPI (run as so many ranks, which
/// parse refuses if another number was started).
void add_step(CLI::App& app, Options& options);
void add_gpu(CLI::App& app, Options& options);
void add_ranks(CLI::App& app, Options& options, int ranks);
/// False for --help, which is printed if `is_root`. Throws Refusal.
bool parse(CLI::App& app, const Options& options, int argc, const char* const* argv, bool is_root = true);

/// Adds an option with one value, which `read` is given with the option's name; hidden if `help` is empty.
using Read = std::function<void(const std::string& option, const std::string& given)>;
void add_option(CLI::App& app, const std::string& name, const std::string& help, const Read& read);

/// Decimal digits and nothing else, from `least` to `most`. CLI11 would read 010 as eight.
Index whole_number(const std::string& option, const std::string& given, Index least, Index most);
template <class T>
void add_number(CLI::App& app, const std::string& name, const std::string& help, T& value, Index least,
                Index most = std::numeric_limits<Index>::max()) {
  add_option(app, name, help, [&value, least, most](const std::string& option, const std::string& given) {
    value = static_cast<T>(whole_number(option, given, least, most));
  });
}

/// A list, of each item once, as `read` makes it of its text. `keep`: whether to add to what is there.
template <class Item, class ReadItem>
void add_list(
    CLI::App& app, const std::string& name, const std::string& help, std::vector<Item>& items,
    const ReadItem& read, const std::function<bool()>& keep = [] { return false; }) {
  add_option(app, name, help, [&items, read, keep](const std::string& option, const std::string& given) {
    if (!keep()) items.clear();
    for (const std::string& text : split(given))  // CLI11 would drop empty items
      if (const auto item = static_cast<Item>(read(option, text));
          std::find(items.begin(), items.end(), item) == items.end())
        items.push_back(item);
  });
}

}  // namespace course
