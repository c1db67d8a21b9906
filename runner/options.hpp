// The one command line of all steps.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "common/problem.hpp"
#include "runner/table.hpp"

namespace CLI {
class App;
}

namespace course {

enum class Verify { automatic, full, none };

struct Options {
  std::vector<Shape> shapes = {{256, 256, 256}, {512, 512, 512}};
  std::vector<std::string> types = {"f32", "f64", "i32"}, variants = {};
  std::vector<int> threads = {1};
  std::vector<Index> tiles = {};
  int repeat = 5, warmup = 1;
  double budget = 10;  // seconds a row may take
  Fill fill = Fill::uniform;
  std::uint64_t seed = 987654;
  Verify verify = Verify::automatic;
  std::string csv = {}, machine = {};
  bool resume = false, list = false;
  // For the tests: hidden from --help.
  bool expect_wrong = false;
  Index pad = 0;
};

/// Decimal digits and nothing else, within bounds; throws Refusal.
Index whole_number(const std::string& option, const std::string& given, Index least,
                   Index most = std::numeric_limits<Index>::max());

/// Appends what the list has not got yet.
template <class Item>
void add_once(std::vector<Item>& items, const Item& item) {
  if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
}

/// A command line, option by option; what is given replaces what an option's value held before.
class CommandLine {
 public:
  CommandLine(const std::string& program, const std::string& idea);
  ~CommandLine();

  /// What every program has; `threads`: --threads may be other than 1.
  void add_common(Options& options, bool threads);
  /// What steps have besides.
  void add_step(Options& options);

  /// An option with one value, given to `take` with its name; without a description it is for the tests.
  void text(const std::string& name, const std::string& what,
            const std::function<void(const std::string& option, const std::string& given)>& take);
  /// One with a list: each item once, as `read` takes it. An empty item is for `read` to refuse.
  template <class Item, class Read>
  void list(const std::string& name, const std::string& what, std::vector<Item>& items, const Read& read) {
    text(name, what, [&items, read](const std::string& option, const std::string& given) {
      items.clear();
      for (const std::string& item : split(given)) add_once(items, static_cast<Item>(read(option, item)));
    });
  }
  template <class T>
  void number(const std::string& name, const std::string& what, T& value, Index least,
              Index most = std::numeric_limits<Index>::max()) {
    text(name, what, [&value, least, most](const std::string& option, const std::string& given) {
      value = static_cast<T>(whole_number(option, given, least, most));
    });
  }
  void flag(const std::string& name, const std::string& what, bool& value);

  /// False when help was asked for, which is printed if `speaks`. Throws Refusal with one line that says what
  /// was given and what would do.
  bool parse(int argc, const char* const* argv, bool speaks = true);

 private:
  std::unique_ptr<CLI::App> app_;
  const Options* options_ = nullptr;
};

}  // namespace course
