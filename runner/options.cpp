#include "runner/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>

#include "runner/text.hpp"

namespace course {
namespace {

using Text = const std::string&;
constexpr Index longest = Index{1} << 31;  // in any direction: even empty rows take time to walk

[[noreturn]] void refuse(Text option, Text given, Text why) {
  throw Refusal{fmt::format("{}: '{}' {}", option, given, why)};
}

double seconds(Text option, Text given) {
  double value = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (error != std::errc() || end != given.data() + given.size() || !std::isfinite(value) || value <= 0)
    refuse(option, given, "is not a number of seconds above 0, such as 0.5 or 10");
  return value;
}

Shape shape(Text option, Text given) {
  const std::vector<std::string> parts = split(given, 'x');
  if (parts.size() != 3) refuse(option, given, "is not MxNxK, such as 2048x2048x64");
  const auto extent = [&](std::size_t which) { return whole_number(option, parts[which], 0, longest); };
  return {extent(0), extent(1), extent(2)};
}

Shape square(Text option, Text given) {
  const Index n = whole_number(option, given, 0, longest);
  return {n, n, n};
}

}  // namespace

/// CLI11 would read 010 as eight and cut 99999999999999999999 to 2^63 - 1.
Index whole_number(Text option, Text given, Index least, Index most) {
  Index value = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
  const std::string range = most == std::numeric_limits<Index>::max() ? fmt::format("{} or more", least)
                            : most == least ? fmt::format("{}, this step knows no other", least)
                                            : fmt::format("{} to {}", least, most);
  if (error == std::errc::invalid_argument || end != given.data() + given.size())
    refuse(option, given, "is not a whole number; give " + range + ", digits only");
  if (error == std::errc::result_out_of_range) refuse(option, given, "is beyond 64 bits; give " + range);
  if (value < least || value > most) refuse(option, given, "is out of range; give " + range);
  return value;
}

CommandLine::CommandLine(Text program, Text idea) : app_(std::make_unique<CLI::App>(program + ": " + idea)) {
  app_->set_help_flag("--help", "Print this and exit");
}

CommandLine::~CommandLine() = default;

void CommandLine::text(Text name, Text what, const std::function<void(Text, Text)>& take) {
  const auto option = [name, take](Text given) { take(name, given); };
  app_->add_option_function<std::string>(name, option, what)
      ->type_name("")
      ->group(what.empty() ? "" : "Options");
}

void CommandLine::flag(Text name, Text what, bool& value) {
  app_->add_flag(name, value, what)->group(what.empty() ? "" : "Options");
}

void CommandLine::add_common(Options& o, bool threads) {
  options_ = &o;
  std::vector<std::string> sizes;
  for (const Shape& s : o.shapes)
    sizes.push_back(s.m == s.n && s.n == s.k ? std::to_string(s.m) : shape_text(s));
  list("--size", "Square sizes: 256,512,1024 (default " + listed(sizes, ",") + ")", o.shapes, square);
  text("--shape", "Shapes MxNxK: 2048x2048x64,...", [this, &o](Text option, Text given) {
    if (app_->count("--size") == 0) o.shapes.clear();
    for (const std::string& item : split(given)) add_once(o.shapes, shape(option, item));
  });
  list("--type", "Of " + listed(o.types, ",") + " (default all)", o.types,
       [known = o.types](Text option, Text item) { return one_of(option, item, known); });
  list("--variant", "Names from --list (default all)", o.variants, [](Text, Text item) { return item; });
  const std::string counts = fmt::format("Thread counts: 1,2,4 (default {})", fmt::join(o.threads, ","));
  list("--threads", threads ? counts : "1: this step has one thread", o.threads,
       [threads](Text option, Text item) { return whole_number(option, item, 1, threads ? 4096 : 1); });
  text(
      "--budget",
      fmt::format(
          "Seconds a row may take; one whose single run needs over ten times it is left out (default {:.3g})",
          o.budget),
      [&o](Text option, Text given) { o.budget = seconds(option, given); });
  text("--csv", "Append one line a row to this file", [&o](Text option, Text given) {
    if (given.empty()) refuse(option, given, "names no file; give a path");
    o.csv = given;
  });
  flag("--resume", "Leave out rows that the CSV has", o.resume);
  flag("--list", "Print the variants and exit", o.list);
}

void CommandLine::add_step(Options& o) {
  if (!o.tiles.empty())
    list("--tile", "Tile sizes: 32,64", o.tiles,
         [](Text option, Text item) { return whole_number(option, item, 1); });
  else
    o.tiles = {0};
  number("--repeat", "Timed runs a row, at most (default 5)", o.repeat, 1, 1'000'000);
  number("--warmup", "Untimed runs before them (default 1)", o.warmup, 0, 1'000'000);
  text("--fill", "Inputs: uniform in (-1, 1), or digits 0..9, whose products are exact (default uniform)",
       [&o](Text option, Text given) {
         o.fill = one_of(option, given, {"digits", "uniform"}) == "digits" ? Fill::digits : Fill::uniform;
       });
  number("--seed", "Of the inputs (default 987654)", o.seed, 0);
  text("--verify", "auto: the whole matrix up to 2048, samples and Freivalds beyond; full; none",
       [&o](Text option, Text given) {
         const std::string how = one_of(option, given, {"auto", "full", "none"});
         o.verify = how == "auto" ? Verify::automatic : how == "full" ? Verify::full : Verify::none;
       });
  text("--machine",
       "What 00_machine found, for predictions (default: beside the CSV, else report/machine.csv)",
       [&o](Text, Text given) { o.machine = given; });
  flag("--expect-wrong", "", o.expect_wrong);
  number("--pad", "", o.pad, 0, 4096);
}

bool CommandLine::parse(int argc, const char* const* argv, bool speaks) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    if (speaks) fmt::print("{}", app_->help());
    return false;
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string line = error.what();
    throw Refusal{line.substr(0, line.find(':')) +
                  ": give it once, with one value; --help lists the options"};
  } catch (const CLI::ParseError& error) {
    throw Refusal{std::string(error.what()) + "; --help lists the options"};
  }
  if (options_->resume && options_->csv.empty())
    throw Refusal{"--resume: needs --csv FILE, the file that has rows"};
  if (options_->pad > 0 && !options_->csv.empty())
    throw Refusal{"--pad: is for tests; the CSV has no column for it"};
  return true;
}

}  // namespace course
