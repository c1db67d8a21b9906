#include "common/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>
#include <limits>

#include "common/table.hpp"

namespace course {
namespace {

constexpr Index no_limit = std::numeric_limits<Index>::max();
constexpr Index longest = Index{1} << 31;  // in any direction: even empty rows take time to walk

[[noreturn]] void refuse(const std::string& option, const std::string& given,
                         const std::string& what_would_do) {
  throw Refusal{option + ": '" + given + "' " + what_would_do};
}

/// CLI11 would read 010 as eight and cut 99999999999999999999 to 2^63 - 1.
Index whole_number(const std::string& option, const std::string& given, Index least, Index most = no_limit) {
  Index value = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
  const std::string range = most == no_limit ? std::to_string(least) + " or more"
                            : most == least  ? std::to_string(least) + ", this step knows no other"
                                             : std::to_string(least) + " to " + std::to_string(most);
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

/// Splits at every separator; an empty item stays, and is refused by whoever reads it.
std::vector<std::string> items(const std::string& given, char separator = ',') {
  std::vector<std::string> parts(1);
  for (const char c : given) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// Each item once, in the order given.
template <class Item>
void add_once(std::vector<Item>& list, const Item& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

std::string one_of(const std::string& option, const std::string& given,
                   const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), given) != known.end()) return given;
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  refuse(option, given, "is unknown; give " + names);
}

Shape shape(const std::string& given) {
  const std::vector<std::string> parts = items(given, 'x');
  if (parts.size() != 3) refuse("--shape", given, "is not MxNxK, such as 2048x2048x64");
  return {whole_number("--shape", parts[0], 0, longest), whole_number("--shape", parts[1], 0, longest),
          whole_number("--shape", parts[2], 0, longest)};
}

/// `count` small shapes drawn with the seed: any size below 70 in each direction, every third time a single
/// row, column or product, every fourth time a prime or a power of two and its neighbours.
std::vector<Shape> random_shapes(Index count, std::uint64_t seed) {
  static constexpr Index traps[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 61, 63, 64, 65, 67, 127, 129};
  std::vector<Shape> shapes;
  for (Index s = 0; s < count; ++s) {
    const auto dimension = [&](Index which) {
      const std::uint64_t bits = element_hash(seed, 's', s, which);
      if (bits % 3 == 0) return traps[(bits >> 8) % std::size(traps)];
      return static_cast<Index>((bits >> 8) % 70) + 1;
    };
    Shape drawn{dimension(0), dimension(1), dimension(2)};
    if (s % 10 == 9) (s % 20 == 9 ? drawn.m : drawn.n) = 1;
    shapes.push_back(drawn);
  }
  return shapes;
}

/// "256,512,2048x2048x64".
std::string shown(const std::vector<Shape>& shapes) {
  std::string out;
  for (const Shape& s : shapes)
    out += (out.empty() ? "" : ",") + (s.m == s.n && s.n == s.k ? std::to_string(s.m) : shape_text(s));
  return out;
}

std::string shown(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ",") + name;
  return out;
}

std::string shown(const std::vector<int>& counts) {
  std::string out;
  for (const int count : counts) out += (out.empty() ? "" : ",") + std::to_string(count);
  return out;
}

std::string shown(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

}  // namespace

std::optional<Options> parse_options(int argc, const char* const* argv, const Features& features) {
  Options options;
  CLI::App app(features.program + ": " + features.idea);
  app.set_help_flag("--help", "Print this and exit");
  std::string size, shapes, type = shown(features.types), variant, threads = shown(features.thread_counts),
                            tile, repeat = features.rivals.empty() ? "5" : "21", warmup = "1",
                            budget = shown(features.budget), fill = "uniform", seed = "987654",
                            verify = "auto", pad = "0", random = "0", blas, rival;
  const auto text = [&](const std::string& name, std::string& value, const std::string& what) {
    return app.add_option(name, value, what)->type_name("");
  };
  const auto* size_option =
      text("--size", size, "Square sizes: 256,512,1024 (default " + shown(features.shapes) + ")");
  const auto* shape_option = text("--shape", shapes, "Shapes MxNxK: 2048x2048x64,...");
  text("--type", type, "Of " + type + " (default all)");
  const auto* variant_option = text("--variant", variant, "Names from --list (default all)");
  text("--threads", threads,
       features.threads ? "Thread counts: 1,2,4 (default " + threads + ")" : "1: this step has one thread");
  const auto* tile_option = features.tiles.empty() ? nullptr : text("--tile", tile, "Tile sizes: 32,64");
  const bool duels = !features.rivals.empty();
  const std::string runs = duels ? "--pairs" : "--repeat";
  text(runs, repeat,
       (duels ? "Pairs of runs a row has at least (default " : "Timed runs a row, at most (default ") +
           repeat + ")");
  const std::string budgeted = duels
                                   ? "Seconds a row may go on with more pairs"
                                   : "Seconds a row may take; a row whose single run needs over ten times it "
                                     "is left out";
  text("--budget", budget, budgeted + " (default " + budget + ")");
  const auto* rival_option =
      duels ? text("--rival", rival, "Of " + shown(features.rivals) + " (default all)") : nullptr;
  if (features.inputs) {
    text("--warmup", warmup, "Untimed runs before them (default 1)");
    text("--fill", fill,
         "Inputs: uniform in (-1, 1), or digits 0..9, whose products are exact (default uniform)");
    text("--seed", seed, "Of the inputs (default 987654)");
    text("--verify", verify, "auto: the whole matrix up to 2048, samples and Freivalds beyond; full; none");
  }
  const auto* blas_option =
      features.blas ? text("--blas", blas, "Libraries with cblas_sgemm: FILE,...") : nullptr;
  const auto* csv_option = text("--csv", options.csv, "Append one line a row to this file");
  app.add_flag("--resume", options.resume, "Leave out rows that the CSV has");
  app.add_flag("--list", options.list, "Print the variants and exit");
  const CLI::Option* random_option = nullptr;
  if (duels) text("--machine", options.machine, "What 00_machine found: each library's best setting");
  if (features.inputs) {
    text("--machine", options.machine,
         "What 00_machine found, for predictions (default: machine.csv beside the CSV, else "
         "report/machine.csv)");
    app.add_flag("--counters", options.counters,
                 "Record cycles, misses, page faults, ... as the machine gives them");
    app.add_flag("--expect-wrong", options.expect_wrong)->group("");
    text("--pad", pad, "")->group("");
    random_option = text("--random", random, "")->group("");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return std::nullopt;
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string line = error.what();
    throw Refusal{line.substr(0, line.find(':')) +
                  ": give it once, with one value; --help lists the options"};
  } catch (const CLI::ParseError& error) {
    std::string line = error.what();
    std::replace(line.begin(), line.end(), '\n', ' ');
    throw Refusal{line + "; --help lists the options"};
  }

  if (size_option->count() > 0)
    for (const std::string& item : items(size)) {
      const Index n = whole_number("--size", item, 0, longest);
      add_once(options.shapes, Shape{n, n, n});
    }
  if (shape_option->count() > 0)
    for (const std::string& item : items(shapes)) add_once(options.shapes, shape(item));
  for (const std::string& item : items(type)) add_once(options.types, one_of("--type", item, features.types));
  if (variant_option->count() > 0)
    for (const std::string& item : items(variant)) add_once(options.variants, item);
  options.threads.clear();
  for (const std::string& item : items(threads))
    add_once(options.threads,
             static_cast<int>(whole_number("--threads", item, 1, features.threads ? 4096 : 1)));
  if (!features.tiles.empty()) options.tiles = features.tiles;
  if (tile_option != nullptr && tile_option->count() > 0) {
    options.tiles.clear();
    for (const std::string& item : items(tile)) add_once(options.tiles, whole_number("--tile", item, 1));
  }
  options.repeat = static_cast<int>(whole_number(runs, repeat, 1, 1'000'000));
  options.warmup = static_cast<int>(whole_number("--warmup", warmup, 0, 1'000'000));
  options.budget = seconds("--budget", budget);
  options.fill = one_of("--fill", fill, {"digits", "uniform"}) == "digits" ? Fill::digits : Fill::uniform;
  options.seed = static_cast<std::uint64_t>(whole_number("--seed", seed, 0));
  one_of("--verify", verify, {"auto", "full", "none"});
  options.verify = verify == "auto" ? Verify::automatic : verify == "full" ? Verify::full : Verify::none;
  options.pad = whole_number("--pad", pad, 0, 4096);
  if (random_option != nullptr && random_option->count() > 0)
    for (const Shape& drawn : random_shapes(whole_number("--random", random, 1, 10'000), options.seed))
      add_once(options.shapes, drawn);
  if (options.shapes.empty()) options.shapes = features.shapes;
  if (rival_option != nullptr && rival_option->count() > 0)
    for (const std::string& item : items(rival))
      add_once(options.rivals, one_of("--rival", item, features.rivals));
  if (blas_option != nullptr && blas_option->count() > 0)
    for (const std::string& item : items(blas)) {
      if (item.empty()) throw Refusal{"--blas: '' names no file; give a shared library's path"};
      add_once(options.blas, item);
    }
  if (csv_option->count() > 0 && options.csv.empty()) throw Refusal{"--csv: '' names no file; give a path"};
  if (options.resume && options.csv.empty())
    throw Refusal{"--resume: needs --csv FILE, the file that has rows"};
  if (options.pad > 0 && !options.csv.empty())
    throw Refusal{"--pad: is for tests; the CSV has no column for it"};
  return options;
}

}  // namespace course
