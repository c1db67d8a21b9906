#include "runner/options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>

#include "runner/text.hpp"

namespace course {
namespace {

using Text = const std::string&;
constexpr Index longest = (Index{1} << 31) - 1;  // in any direction: kernels on GPUs count so far

[[noreturn]] void refuse(Text option, Text given, Text why) {
  throw Refusal{fmt::format("{}: '{}' {}", option, given, why)};
}

/// As many whole numbers as `like` has, an x between them.
std::vector<Index> by_x(Text option, Text given, const char* like, Index least, Index most) {
  const std::vector<std::string> parts = split(given, 'x');
  if (parts.size() != split(like, 'x').size())
    refuse(option, given, fmt::format("is not written like {}", like));
  std::vector<Index> numbers;
  for (Text part : parts) numbers.push_back(whole_number(option, part, least, most));
  return numbers;
}

Sides sides(Text option, Text given, const char* like, Index most = longest) {
  const auto numbers = by_x(option, given, like, 1, most);
  return {numbers[0], numbers[1]};
}

/// A list of grids or blocks; their default ends the help.
template <class ReadItem>
void add_sides(CLI::App& app, Text name, Text help, std::vector<Sides>& items, const ReadItem& read) {
  const auto defaults = texts(items, [](const Sides& item) { return item.text(); });
  add_list(app, name, help + " (default " + joined(defaults, ",") + ")", items, read);
}

/// One of a few names, each for a value.
template <class T>
void add_choice(CLI::App& app, Text name, Text help, T& value, const std::map<std::string, T>& choices) {
  app.add_option_function<std::string>(
         name, [&value, choices](Text given) { value = choices.at(given); }, help)
      ->check(CLI::IsMember(choices));
}

/// Throws Refusal if `asked` by --ranks (0: it was not given) or by the launcher's word is another number of
/// ranks than MPI knows of: started by another MPI's mpirun, each has a world of its own.
void require_ranks(int ranks, int asked) {
  const auto said = [](const char* name) {
    const char* const number = std::getenv(name);
    return number == nullptr ? 0 : std::atoi(number);
  };
  const int pmi = said("PMI_SIZE"), open_mpi = said("OMPI_COMM_WORLD_SIZE");
  if (asked > 0 ? asked == ranks : pmi == ranks || open_mpi == ranks) return;  // the other: of a job round it
  for (const auto& [by, started] :
       {std::pair("--ranks", asked), {"PMI_SIZE", pmi}, {"OMPI_COMM_WORLD_SIZE", open_mpi}})
    if (started > 0) {
      if (ranks == 1 && said("PMI_RANK") + said("OMPI_COMM_WORLD_RANK") > 0)
        throw Refusal{};  // rank 0 speaks
      refuse(
          by, std::to_string(started),
          fmt::format(
              "ranks were started, and MPI knows of {}; use the mpirun of the MPI that this was built with",
              ranks));
    }
}

}  // namespace

Index whole_number(Text option, Text given, Index least, Index most) {
  Index value = 0;
  const char* const past = given.data() + given.size();
  const auto [end, error] = std::from_chars(given.data(), past, value);
  if (error == std::errc() && end == past && value >= least && value <= most) return value;
  refuse(option, given, fmt::format("is no whole number from {} to {}", least, most));
}

void add_option(CLI::App& app, Text name, Text help, const Read& read) {
  app.add_option_function<std::string>(
         name, [name, read](Text given) { read(name, given); }, help)
      ->type_name("")
      ->group(help.empty() ? "" : "Options");
}

void add_shapes(CLI::App& app, Options& o) {
  const auto defaults = texts(o.shapes, [](const Shape& s) {
    return s == Shape{s.m, s.m, s.m} ? std::to_string(s.m) : shape_text(s);
  });
  const auto square = [](Text option, Text item) {
    const Index n = whole_number(option, item, 0, longest);
    return Shape{n, n, n};
  };
  const auto shape = [](Text option, Text item) {
    const auto n = by_x(option, item, "2048x2048x64", 0, longest);
    return Shape{n[0], n[1], n[2]};
  };
  add_list(app, "--size", "Square sizes: 256,512,1024 (default " + joined(defaults, ",") + ")", o.shapes,
           square);
  add_list(app, "--shape", "Shapes MxNxK: 2048x2048x64,...", o.shapes, shape,
           [&app] { return app.count("--size") > 0; });
}

void add_sweep(CLI::App& app, Options& o, bool threads) {
  app.set_help_flag("--help", "Print this and exit");
  add_list(app, "--type", "Of " + joined(o.types, ",") + " (default all)", o.types,
           [known = o.types](Text option, Text item) { return one_of(option, item, known); });
  const std::string counts = fmt::format("Thread counts: 1,2,4 (default {})", fmt::join(o.threads, ","));
  add_list(app, "--threads", threads ? counts : "1: this step has one thread", o.threads,
           [threads](Text option, Text item) { return whole_number(option, item, 1, threads ? 4096 : 1); });
  add_option(app, "--csv", "Append one line a row to this file", [&o](Text option, Text given) {
    if (o.csv = given; given.empty()) refuse(option, given, "names no file; give a path");
  });
}

void add_common(CLI::App& app, Options& o, bool threads) {
  add_sweep(app, o, threads);
  add_list(app, "--variant", "Names from --list (default all)", o.variants,
           [](Text, Text item) { return item; });
  add_option(app, "--budget", fmt::format("Seconds a row may take (default {:.3g})", o.budget),
             [&o](Text option, Text given) {
               char* end = nullptr;  // not every library has from_chars for double
               o.budget = std::strtod(given.c_str(), &end);
               if (given.empty() || *end != 0 || !std::isfinite(o.budget) || o.budget <= 0)
                 refuse(option, given, "is not a number of seconds above 0, such as 0.5 or 10");
             });
  app.add_flag("--list", o.list, "Print the variants and exit");
}

void add_step(CLI::App& app, Options& o) {
  const auto tile = [&o](Text option, Text item) {
    const Index side = whole_number(option, item, 1, longest);
    const auto choices = texts(o.tile_choices, [](Index choice) { return std::to_string(choice); });
    if (!choices.empty()) one_of(option, item, choices, "this step has");
    return side;
  };
  if (!o.tiles.empty()) add_list(app, "--tile", "Tile sizes: 32,64", o.tiles, tile);
  add_number(app, "--repeat", "Timed runs a row, at most (default 5)", o.repeat, 1, 1'000'000);
  add_number(app, "--warmup", "Untimed runs before them (default 1)", o.warmup, 0, 1'000'000);
  add_choice(app, "--fill", "Inputs: uniform in (-1, 1), or digits 0..9, all exact (default uniform)", o.fill,
             {{"digits", Fill::digits}, {"uniform", Fill::uniform}});
  add_number(app, "--seed", "Of the inputs (default 987654)", o.seed, 0);
  add_choice(app, "--verify", "auto: the whole matrix up to 2048, samples and Freivalds beyond; full; none",
             o.verify, {{"auto", Verify::automatic}, {"full", Verify::full}, {"none", Verify::none}});
  app.add_option("--machine", o.machine,
                 "What 00_machine found, for predictions (default: beside the CSV, else report/machine.csv)")
      ->type_name("");
  app.add_flag("--quiet", o.quiet,
               "Runs that other programs disturbed do not count; the CSV says where too few were left");
  app.add_flag("--expect-wrong", o.expect_wrong)->group("");
  app.add_option("--explain", o.explain)->group("");
  add_number(app, "--pad", "", o.pad, 0, 4096);
}

void add_gpu(CLI::App& app, Options& o) {
  const auto block = [](Text option, Text item) {
    const Sides block = sides(option, item, "32x8", 1024);
    if (block.x * block.y <= 1024) return block;
    refuse(option, item, "is more than 1024 threads, the most that CUDA allows in a block");
  };
  if (!o.blocks.empty()) add_sides(app, "--block", "Threads of a block: 8x8,32x8", o.blocks, block);
  add_option(app, "--emulate",
             "On the processor, for right or wrong alone; threads in order: forward, reversed, SEED",
             [&o](Text option, Text given) {
               o.emulate = given;
               if (given != "forward" && given != "reversed") whole_number(option, given, 0, longest);
             });
  app.add_flag("--verify-copies", o.verify_copies, "Read back what was sent to the GPU, and compare");
}

void add_ranks(CLI::App& app, Options& o, int ranks) {
  const auto grid = [ranks](Text option, Text item) {
    const Sides grid = sides(option, item, "2x3");
    if (grid.x * grid.y == ranks) return grid;
    refuse(option, item, fmt::format("is a grid of {}, and {} run here", grid.x * grid.y, ranks));
  };
  const auto block = [](Text option, Text item) { return sides(option, item, "64x64"); };
  add_number(app, "--ranks", "Refuses to run with another number of ranks than this", o.ranks, 1, longest);
  app.final_callback([&o, ranks] { require_ranks(ranks, o.ranks); });
  add_sides(app, "--grid", "Grids of processes: 2x3,3x2", o.grids, grid);
  add_sides(app, "--block", "Elements of a block: 64x64,1x1", o.blocks, block);
}

bool parse(CLI::App& app, const Options& o, int argc, const char* const* argv, bool is_root) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    if (is_root) say(stdout, "{}", app.help());
    return false;
  } catch (const CLI::ParseError& error) {
    throw Refusal{std::string(error.what()) + "; --help lists the options"};
  }
  if (o.pad > 0 && !o.csv.empty()) throw Refusal{"--pad: is for tests; the CSV has no column for it"};
  return true;
}

}  // namespace course
