#include "runner/options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "runner/table.hpp"
#include "runner/text.hpp"

namespace course {
namespace {

using Text = const std::string&;
using Texts = std::vector<std::string>;
constexpr Index longest = (Index{1} << 31) - 1;  // in any direction: kernels on GPUs count so far

/// Transforms an item of decimal digits alone, from `least` to `most`. CLI11 reads 010 as eight.
CLI::Validator whole(Index least, Index most = std::numeric_limits<Index>::max()) {
  return {[=](std::string& given) {
            Index value = 0;
            const char* const past = given.data() + given.size();
            const auto [end, error] = std::from_chars(given.data(), past, value);
            if (error != std::errc() || end != past || value < least || value > most)
              return fmt::format("'{}' is no whole number from {} to {}", given, least, most);
            given = std::to_string(value);
            return std::string();
          },
          ""};
}

/// Checks an item: it has as many whole numbers as `like`, with an x between them.
CLI::Validator by_x(Text like, Index least, Index most = longest) {
  return {[=, number = whole(least, most)](Text given) {
            const Texts parts = split(given, 'x');
            if (parts.size() != split(like, 'x').size())
              return fmt::format("'{}' is not written like {}", given, like);
            std::string error;
            for (std::string part : parts)
              if (error.empty()) error = number(part);
            return error;
          },
          ""};
}

/// The numbers of such an item.
std::vector<Index> numbers(Text item) {
  std::vector<Index> found;
  for (Text part : split(item, 'x')) found.push_back(std::stoll(part));
  return found;
}

/// Makes a list of an option: items between commas, in one word.
CLI::Option* listed(CLI::Option* option) {
  return option->delimiter(',')->allow_extra_args(false);
}

/// A list of grids or blocks; their default ends the help.
CLI::Option* add_sides(CLI::App& app, Text name, Text help, std::vector<Dim2>& items) {
  const Texts defaults = texts(items, [](const Dim2& item) { return item.text(); });
  const auto read = [&items](const Texts& given) {
    items.clear();
    for (Text item : given) items.push_back({numbers(item)[0], numbers(item)[1]});
  };
  return listed(
      app.add_option_function<Texts>(name, read, help + " (default " + joined(defaults, ",") + ")"));
}

/// Throws Refusal if `asked` by --ranks (0: it was not given) or by the launcher's word (of two one is of a
/// job round it) is another number of ranks than MPI knows of: started by another MPI's mpirun, each is
/// alone.
void require_ranks(int ranks, int asked) {
  const auto said = [](const char* name) {
    const char* const number = std::getenv(name);
    return number == nullptr ? 0 : std::atoi(number);
  };
  const int pmi = said("PMI_SIZE"), open_mpi = said("OMPI_COMM_WORLD_SIZE");
  const int started = asked > 0 ? asked : std::max(pmi, open_mpi);
  if (started == 0 || started == ranks || (asked == 0 && std::min(pmi, open_mpi) == ranks)) return;
  if (ranks == 1 && said("PMI_RANK") + said("OMPI_COMM_WORLD_RANK") > 0) throw Refusal{};  // rank 0 speaks
  throw Refusal{fmt::format(
      "--ranks: '{}' were started, and MPI knows of {}; use the mpirun of the MPI that this was built with",
      started, ranks)};
}

void add_shapes(CLI::App& app, Options& o) {
  const auto read = [&o](const Texts& given) {
    for (Text item : given) {
      auto n = numbers(item);
      n.resize(3, n[0]);  // a square
      if (const Shape shape{n[0], n[1], n[2]}; !contains(o.shapes, shape)) o.shapes.push_back(shape);
    }
  };
  listed(app.add_option_function<Texts>("--size", read, "Square sizes: 256,512,1024 (default 256,512)"))
      ->transform(whole(0, longest));
  listed(app.add_option_function<Texts>("--shape", read, "Shapes MxNxK: 2048x2048x64,..."))
      ->check(by_x("2048x2048x64", 0));
}

void add_common(CLI::App& app, Options& o) {
  app.set_help_flag("--help", "Print this and exit");
  listed(app.add_option("--type", o.types, "Element types (default all)"))->check(CLI::IsMember(o.types));
  const std::string counts = fmt::format("Thread counts: 1,2,4 (default {})", fmt::join(o.threads, ","));
  listed(app.add_option("--threads", o.threads, o.most_threads > 1 ? counts : "1: this step has one thread"))
      ->transform(whole(1, o.most_threads));
  app.add_option("--csv", o.csv, "Append one line a row to this file");
  listed(app.add_option("--variant", o.variants, "Names from --list (default all)"));
  app.add_option("--budget", o.budget, fmt::format("Seconds a row may take (default {:.3g})", o.budget));
  app.add_flag("--list", o.list, "Print the variants and exit");
}

void add_step(CLI::App& app, Options& o) {
  if (!o.tiles.empty()) {
    CLI::Option* const tile = listed(app.add_option("--tile", o.tiles, "Tile sizes: 32,64"));
    tile->transform(whole(1, longest));
    if (!o.tile_choices.empty()) tile->check(CLI::IsMember(o.tile_choices));
  }
  app.add_option("--repeat", o.repeat, "Timed runs a row, at most (default 5)")
      ->transform(whole(1, 1'000'000));
  app.add_option("--warmup", o.warmup, "Untimed runs before them (default 1)")
      ->transform(whole(0, 1'000'000));
  app.add_option_function<std::string>(
         "--fill", [&o](Text given) { o.fill = given == "digits" ? Fill::digits : Fill::uniform; },
         "Inputs: uniform in (-1, 1), or digits 0..9, all exact (default uniform)")
      ->check(CLI::IsMember({"digits", "uniform"}));
  app.add_option("--seed", o.seed, "Of the inputs (default 987654)")->transform(whole(0));
  app.add_option("--verify", o.verify,
                 "auto: the whole matrix up to 2048, beyond samples, and digits by Freivalds; full; none")
      ->check(CLI::IsMember({"auto", "full", "none"}));
  app.add_option("--machine", o.machine,
                 "What 00_machine found, for predictions (default: beside the CSV, else report/machine.csv)");
  app.add_flag("--in-turns", o.in_turns,
               "The rows of a size in turns, as far as they fit in memory; on a GPU one after the other");
  app.add_flag("--expect-wrong", o.expect_wrong)->group("");
  app.add_option("--pad", o.pad, "Elements between the rows, for tests: the CSV has no column for it")
      ->transform(whole(0, 4096))
      ->group("");
}

void add_gpu(CLI::App& app, Options& o) {
  const auto threads = [](Text item) {
    if (numbers(item)[0] * numbers(item)[1] <= 1024) return std::string();
    return fmt::format("'{}' is more than 1024 threads, the most that CUDA allows in a block", item);
  };
  if (!o.blocks.empty())
    add_sides(app, "--block", "Threads of a block: 8x8,32x8", o.blocks)
        ->check(by_x("32x8", 1, 1024))
        ->check(threads);
  app.add_option("--emulate", o.emulate,
                 "On the processor, for right or wrong alone; threads in order: forward, reversed, SEED")
      ->check(CLI::IsMember({"forward", "reversed"}) | whole(0, longest));
  app.add_flag("--count", o.count, "Count what the warps access under --emulate: columns of the CSV")
      ->needs("--emulate");
}

void add_ranks(CLI::App& app, Options& o) {
  const auto of_all = [ranks = o.started](Text item) {
    const Index grid = numbers(item)[0] * numbers(item)[1];
    return grid == ranks ? "" : fmt::format("'{}' is a grid of {}, and {} run here", item, grid, ranks);
  };
  app.add_option("--ranks", o.ranks, "Refuses to run with another number of ranks than this")
      ->transform(whole(1, longest));
  app.final_callback([&o] { require_ranks(o.started, o.ranks); });
  add_sides(app, "--grid", "Grids of processes: 2x3,3x2", o.grids)->check(by_x("2x3", 1))->check(of_all);
  add_sides(app, "--block", "Elements of a block: 64x64,1x1", o.blocks)->check(by_x("64x64", 1));
}

}  // namespace

bool parse(Options& o, const std::string& title, int argc, const char* const* argv, bool is_root) {
  CLI::App app(title);
  if (o.products) add_shapes(app, o);
  add_common(app, o);
  if (o.products) add_step(app, o);
  if (o.emulation) add_gpu(app, o);
  if (o.started > 0) add_ranks(app, o);
  for (const auto& [name, value, help] : o.flags) app.add_flag(name, *value, help);
  for (int word = 1; word < argc; ++word) {  // CLI11 passes over an empty item
    const std::string given = argv[word];
    if (given.empty() || ("," + given + ",").find(",,") != std::string::npos)
      throw Refusal{fmt::format("{}: '{}' has an empty item", argv[word - 1], argv[word])};
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    if (is_root) say(stdout, "{}", app.help());
    return false;
  } catch (const CLI::ParseError& error) {
    throw Refusal{std::string(error.what()) + "; --help lists the options"};
  }
  if (o.shapes.empty()) o.shapes = {{256, 256, 256}, {512, 512, 512}};
  if (!(o.budget > 0 && o.budget < HUGE_VAL))  // CLI::Range takes NaN for a number of any range
    throw Refusal{fmt::format("--budget: '{}' is not a number of seconds above 0", o.budget)};
  if (o.pad > 0 && !o.csv.empty()) throw Refusal{"--pad: is for tests, the CSV has no column for it"};
  return true;
}

}  // namespace course
