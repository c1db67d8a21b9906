#include "runner/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "runner/table.hpp"
#include "runner/text.hpp"

namespace course {
namespace {

constexpr Index no_limit = std::numeric_limits<Index>::max();
constexpr Index longest = Index{1} << 31;  // in any direction: even empty rows take time to walk

[[noreturn]] void refuse(const std::string& option, const std::string& given, const std::string& why) {
  throw Refusal{fmt::format("{}: '{}' {}", option, given, why)};
}

/// CLI11 would read 010 as eight and cut 99999999999999999999 to 2^63 - 1.
Index whole_number(const std::string& option, const std::string& given, Index least, Index most = no_limit) {
  Index value = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
  const std::string range = most == no_limit ? fmt::format("{} or more", least)
                            : most == least  ? fmt::format("{}, this step knows no other", least)
                                             : fmt::format("{} to {}", least, most);
  if (error == std::errc::invalid_argument || end != given.data() + given.size())
    refuse(option, given, "is not a whole number; give " + range + ", digits only");
  if (error == std::errc::result_out_of_range) refuse(option, given, "is beyond 64 bits; give " + range);
  if (value < least || value > most) refuse(option, given, "is out of range; give " + range);
  return value;
}

double seconds(const std::string& option, const std::string& given) {
  double value = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (error != std::errc() || end != given.data() + given.size() || !std::isfinite(value) || value <= 0)
    refuse(option, given, "is not a number of seconds above 0, such as 0.5 or 10");
  return value;
}

Shape shape(const std::string& option, const std::string& given) {
  const std::vector<std::string> parts = split(given, 'x');
  if (parts.size() != 3) refuse(option, given, "is not MxNxK, such as 2048x2048x64");
  const auto extent = [&](std::size_t which) { return whole_number(option, parts[which], 0, longest); };
  return {extent(0), extent(1), extent(2)};
}

/// Each item once, in the order given.
template <class Item>
void add_once(std::vector<Item>& list, const Item& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

/// `count` small shapes drawn with the seed: any size below 70 in each direction, every third time a single
/// row, column or product, every fourth time a prime or a power of two and its neighbours.
void add_random(std::vector<Shape>& shapes, Index count, std::uint64_t seed) {
  static constexpr Index traps[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 61, 63, 64, 65, 67, 127, 129};
  for (Index s = 0; s < count; ++s) {
    const auto extent = [&](Index which) {
      const std::uint64_t bits = element_hash(seed, 's', s, which);
      return bits % 3 == 0 ? traps[(bits >> 8) % std::size(traps)] : static_cast<Index>((bits >> 8) % 70) + 1;
    };
    Shape drawn{extent(0), extent(1), extent(2)};
    if (s % 10 == 9) (s % 20 == 9 ? drawn.m : drawn.n) = 1;
    add_once(shapes, drawn);
  }
}

/// "256,512,2048x2048x64".
std::string shown(const std::vector<Shape>& shapes) {
  std::vector<std::string> words;
  for (const Shape& s : shapes)
    words.push_back(s.m == s.n && s.n == s.k ? std::to_string(s.m) : shape_text(s));
  return listed(words, ",");
}

/// The course's options on CLI11's parser, each with what takes its text.
class Parser {
 public:
  explicit Parser(const Features& features) : app(features.program + ": " + features.idea) {
    app.set_help_flag("--help", "Print this and exit");
  }
  /// An option with one value; one without a description is for the tests.
  template <class Take>
  void text(const std::string& name, const std::string& what, Take take) {
    const auto option = [name, take](const std::string& given) { take(name, given); };
    app.add_option_function<std::string>(name, option, what)
        ->type_name("")
        ->group(what.empty() ? "" : "Options");
  }
  /// One with a list: `take` gets item by item; an empty one is refused by whoever reads it.
  template <class Item, class Take>
  void list(const std::string& name, const std::string& what, std::vector<Item>& items, Take take) {
    text(name, what, [&items, take](const std::string& option, const std::string& given) {
      items.clear();
      for (const std::string& item : split(given)) add_once(items, static_cast<Item>(take(option, item)));
    });
  }
  CLI::App app;
};

}  // namespace

std::optional<Options> parse_options(int argc, const char* const* argv, const Features& features) {
  using Text = const std::string&;
  const bool duels = !features.rivals.empty();
  Options o;
  o.types = features.types, o.threads = features.thread_counts, o.budget = features.budget;
  if (!features.tiles.empty()) o.tiles = features.tiles;
  if (duels) o.repeat = 21;
  std::vector<Shape> squares, others;
  Index random = 0;
  Parser parser(features);
  const auto number = [](auto& value, Index least, Index most = no_limit) {
    return [&value, least, most](Text option, Text given) {
      value = static_cast<std::remove_reference_t<decltype(value)>>(whole_number(option, given, least, most));
    };
  };
  parser.list("--size", "Square sizes: 256,512,1024 (default " + shown(features.shapes) + ")", squares,
              [](Text option, Text item) {
                const Index n = whole_number(option, item, 0, longest);
                return Shape{n, n, n};
              });
  parser.list("--shape", "Shapes MxNxK: 2048x2048x64,...", others, shape);
  parser.list("--type", "Of " + listed(features.types, ",") + " (default all)", o.types,
              [&](Text option, Text item) { return one_of(option, item, features.types); });
  parser.list("--variant", "Names from --list (default all)", o.variants,
              [](Text, Text item) { return item; });
  parser.list("--threads",
              features.threads
                  ? fmt::format("Thread counts: 1,2,4 (default {})", fmt::join(features.thread_counts, ","))
                  : "1: this step has one thread",
              o.threads, [&](Text option, Text item) {
                return whole_number(option, item, 1, features.threads ? 4096 : 1);
              });
  if (!features.tiles.empty())
    parser.list("--tile", "Tile sizes: 32,64", o.tiles,
                [](Text option, Text item) { return whole_number(option, item, 1); });
  parser.text(
      duels ? "--pairs" : "--repeat",
      duels ? "Pairs of runs a row has at least (default 21)" : "Timed runs a row, at most (default 5)",
      number(o.repeat, 1, 1'000'000));
  parser.text(
      "--budget",
      fmt::format("{} (default {:.3g})",
                  duels
                      ? "Seconds a row may go on with more pairs"
                      : "Seconds a row may take; a row whose single run needs over ten times it is left out",
                  features.budget),
      [&](Text option, Text given) { o.budget = seconds(option, given); });
  if (duels)
    parser.list("--rival", "Of " + listed(features.rivals, ",") + " (default all)", o.rivals,
                [&](Text option, Text item) { return one_of(option, item, features.rivals); });
  if (features.inputs) {
    parser.text("--warmup", "Untimed runs before them (default 1)", number(o.warmup, 0, 1'000'000));
    parser.text(
        "--fill", "Inputs: uniform in (-1, 1), or digits 0..9, whose products are exact (default uniform)",
        [&](Text option, Text given) {
          o.fill = one_of(option, given, {"digits", "uniform"}) == "digits" ? Fill::digits : Fill::uniform;
        });
    parser.text("--seed", "Of the inputs (default 987654)", number(o.seed, 0));
    parser.text("--verify", "auto: the whole matrix up to 2048, samples and Freivalds beyond; full; none",
                [&](Text option, Text given) {
                  const std::string how = one_of(option, given, {"auto", "full", "none"});
                  o.verify = how == "auto" ? Verify::automatic : how == "full" ? Verify::full : Verify::none;
                });
    parser.app.add_flag("--expect-wrong", o.expect_wrong)->group("");
    parser.text("--pad", "", number(o.pad, 0, 4096));
    parser.text("--random", "", number(random, 1, 10'000));
  }
  if (features.blas)
    parser.list("--blas", "Libraries with cblas_sgemm: FILE,...", o.blas, [](Text option, Text item) {
      if (item.empty()) refuse(option, item, "names no file; give a shared library's path");
      return item;
    });
  parser.text("--csv", "Append one line a row to this file", [&](Text option, Text given) {
    if (given.empty()) refuse(option, given, "names no file; give a path");
    o.csv = given;
  });
  parser.app.add_flag("--resume", o.resume, "Leave out rows that the CSV has");
  parser.app.add_flag("--list", o.list, "Print the variants and exit");
  if (features.inputs || duels)
    parser.app
        .add_option("--machine", o.machine,
                    duels
                        ? "What 00_machine found: each library's best setting"
                        : "What 00_machine found, for predictions (default: machine.csv beside the CSV, else "
                          "report/machine.csv)")
        ->type_name("");
  try {
    parser.app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    if (features.speaks) fmt::print("{}", parser.app.help());
    return std::nullopt;
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string line = error.what();
    throw Refusal{line.substr(0, line.find(':')) +
                  ": give it once, with one value; --help lists the options"};
  } catch (const CLI::ParseError& error) {
    throw Refusal{std::string(error.what()) + "; --help lists the options"};
  }
  for (const Shape& given : squares) add_once(o.shapes, given);
  for (const Shape& given : others) add_once(o.shapes, given);
  add_random(o.shapes, random, o.seed);
  if (o.shapes.empty()) o.shapes = features.shapes;
  if (o.resume && o.csv.empty()) throw Refusal{"--resume: needs --csv FILE, the file that has rows"};
  if (o.pad > 0 && !o.csv.empty()) throw Refusal{"--pad: is for tests; the CSV has no column for it"};
  return o;
}

}  // namespace course
