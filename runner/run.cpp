#include "runner/run.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include "runner/session.hpp"

namespace course {
namespace {

/// Calls `f` with the variants of each type in turn.
template <class F>
void for_each_type(const Step& step, F f) {
  f(step.bf16), f(step.tf32), f(step.f32), f(step.f64), f(step.i32);
}

/// The common traits of all variants with one name, whatever their type.
using NamedVariant = std::pair<VariantInfo, std::string>;  // and why it cannot run here, else empty
std::vector<NamedVariant> named_variants(const Step& step) {
  std::vector<NamedVariant> found;
  std::set<std::string> seen;
  for_each_type(step, [&](const auto& variants) {
    for (const auto& variant : variants)
      if (seen.insert(variant->info.name).second)
        found.emplace_back(variant->info, refusal_of(*variant, {}, {}));
  });
  return found;
}

/// Whether --variant names it, or no name is given and it is right (with --expect-wrong: broken).
bool is_asked_for(const VariantInfo& info, const Options& options) {
  return options.variants.empty() ? info.broken == options.expect_wrong
                                  : contains(options.variants, info.name);
}

/// The settings of a variant's rows; what it is not swept over is one thread, no tile, grid or block.
std::vector<Settings> settings_of(const VariantInfo& info, const Options& options) {
  const std::vector none{Dim2()};
  std::vector<Settings> rows;
  for (const int threads : info.threads ? options.threads : std::vector{1})
    for (const Index tile : info.tiles ? options.tiles : std::vector<Index>{0})
      for (const Dim2& grid : info.grids ? options.grids : none)
        for (const Dim2& block : info.blocks ? options.blocks : none)
          rows.push_back({threads, tile, grid, block});
  return rows;
}

/// The variants of one type that are asked for, each with its settings in turn: for each shape a row.
template <class T>
std::vector<Series<T>> all_series(const Variants<T>& variants, const Options& options) {
  std::vector<Series<T>> all;
  if (!contains(options.types, type_name<T>)) return all;
  for (const auto& variant : variants)
    if (is_asked_for(variant->info, options))
      for (const Settings& settings : settings_of(variant->info, options))
        all.push_back({*variant, settings});
  return all;
}

/// Bytes that a row takes of this rank: A, B and C twice, for a variant has copies or a workspace. Rank 0 has
/// besides what it verifies: C and the verifier's numbers, which are twice as wide. Where matrices are not
/// `distributed`, rank 0 has them whole, and each rank may have a whole B.
template <class T>
double bytes_of(const Session& session, const Shape& shape, const Series<T>& series) {
  const World& world = session.world;
  const VariantInfo& info = series.variant.info;
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
             k = static_cast<double>(shape.k), panel = std::min(k, 256.);
  const double b = sizeof(T) * k * n, c = sizeof(Result<T>) * m * n, twice = 2 * (sizeof(T) * m * k + b + c);
  double bytes = twice / world.size() + (info.distributed ? 0 : b);
  if (world.is_root()) {
    const double compared = (verifies_whole(session.options, shape) ? m * n : 0) + (panel + 16) * (m + n);
    bytes = (info.distributed && world.size() > 1 ? bytes + c : twice) + 2 * sizeof(Result<T>) * compared;
  }
  return info.copies * bytes;
}

/// Throws Refusal if there is no row, or one does not fit in memory, or its digits would not be exact.
void check_rows(const Session& session) {
  const Options& options = session.options;
  bool any = false;
  for_each_type(session.step, [&]<class T>(const Variants<T>& variants) {
    const auto all = all_series(variants, options);
    for (const Shape& s : options.shapes)
      for (const Series<T>& series : all) {
        require_memory(fmt::format("{}: {}", shape_text(s), type_name<T>), bytes_of(session, s, series),
                       session.world);
        if (options.fill == Fill::digits && s.k > exact_k<T>())
          throw Refusal{
              fmt::format("--fill: digits are exact in {} up to k = {}, not at {}; give --fill uniform",
                          type_name<T>, exact_k<T>(), shape_text(s))};
        any = true;
      }
  });
  if (!any) throw Refusal{"--variant: none of this name or kind exists for the types asked for"};
}

/// The roofs of --machine, whoever's they are; else of machine.csv beside the CSV or in report/, if they are
/// of this processor.
std::optional<MachineModel> find_roofs(Session& session) {
  namespace fs = std::filesystem;
  if (const std::string& named = session.options.machine; !named.empty()) return MachineModel(named);
  for (const fs::path& path :
       {fs::path(session.options.csv).replace_filename("machine.csv"), fs::path("report/machine.csv")}) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) continue;
    MachineModel found(path.string());
    if (found.processor().empty() || found.processor() == processor().name) return found;
    session.warn_once(path.string() + " is of another machine, " + found.processor() + ": no predictions");
  }
  return std::nullopt;
}

/// Runs the rows of one type. With --in-turns as many of a shape together as half of the memory holds.
template <class T>
void run_type(Session& session, const Variants<T>& variants) {
  const Options& options = session.options;
  auto all = all_series(variants, options);
  for (const Shape& shape : options.shapes) {
    CheckedProblem<T> checked{{shape, options.fill, options.seed, options.pad}};
    for (auto next = all.begin(); next != all.end();) {
      std::vector<Series<T>*> together;
      bool alternates = true;
      for (double bytes = 0; next != all.end() && alternates; together.push_back(&*next++)) {
        alternates = options.in_turns && next->variant.another();
        bytes += bytes_of(session, shape, *next);
        const auto [needed, available] = memory_of(bytes, session.world);
        if (!together.empty() && (!alternates || needed > available / 2)) break;
      }
      run_rows(session, checked, together);
    }
  }
}

int run_step(const Step& step, const Options& options, const World& world, Refused& refused) {
  const std::vector<NamedVariant> variants = named_variants(step);
  std::vector<std::string> names;
  std::set<std::string> reasons;
  for (const auto& [info, skip_reason] : variants) {
    if (!info.broken || contains(options.variants, info.name)) names.push_back(info.name);
    if (is_asked_for(info, options)) reasons.insert(skip_reason);
  }
  for (const std::string& name : options.variants) one_of("--variant", name, names, "this step has");
  if (options.list && world.is_root()) {
    say(stdout, "{}: {}\n", step.program, step.idea);
    for (const auto& [info, skip_reason] : variants)
      if (!info.broken) print_choice(info.name, info.idea, skip_reason);
  }
  if (options.list) return 0;
  Session session{options, step, world, refused};
  const std::string missing = lacking(step.features);
  if (world.broadcast(missing.empty()) == 0)
    return session.warn_once("skipped: built for " + missing + ", which this processor lacks"), 77;
  require_threads(options.threads, world);
  check_rows(session);
  refused.alone = true;
  if (world.is_root()) {
    if (!options.csv.empty()) session.table.open(options.csv);
    session.roofs = find_roofs(session);
  }
  if (step.emulated && reasons.size() == 1 && !reasons.begin()->empty()) {  // no GPU, for one
    const char* const hint =
        step.has_emulation ? "; --emulate forward runs the kernels on the processor" : "";
    return session.warn_once("skipped: " + *reasons.begin() + hint), 77;
  }
  for_each_type(step, [&session](const auto& variants) { run_type(session, variants); });
  const bool nothing_ran = session.skipped > 0 && session.measured == 0;
  return static_cast<int>(world.broadcast(refused.status == 1 ? 1 : nothing_ran ? 77 : 0));
}

/// The defaults of the command line.
Options options_of(const Step& step, const World& world) {
  Options options{.emulation = step.emulated != nullptr,
                  .started = step.grids.empty() ? 0 : world.size(),
                  .types = {},
                  .tiles = step.tiles,
                  .tile_choices = step.tile_choices,
                  .blocks = step.blocks,
                  .grids = step.grids};
  options.most_threads = 1;
  for_each_type(step, [&]<class T>(const Variants<T>& variants) {
    if (!variants.empty()) options.types.push_back(type_name<T>);
    for (const auto& variant : variants)
      if (variant->info.threads) options.most_threads = Options().most_threads;
  });
  return options;
}

}  // namespace

void Session::warn_once(const std::string& line) {
  if (!warned.insert(line).second || !world.is_root()) return;
  say(stderr, "{}: {}\n", step.program, line);
}

std::string exception_text() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return no_memory;
  } catch (const std::exception& error) {
    return std::string("it threw: ") + error.what();
  } catch (...) {
    return "it threw";
  }
}

int exit_status(const std::string& program, const std::function<int()>& part, const World& world,
                const Refused& refused) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is a full disk, not a death
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) ::open("/dev/null", O_RDONLY);  // else a file would take its place
  const bool others = world.size() > 1;
  bool ends_all = others;
  int status = 2;
  std::string why;
  try {
    status = part();
    const bool well = status == 0 || status == 77;
    if (!well || (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)) return status;
    why = "cannot write to standard output", status = 2, ends_all = others && refused.alone;
  } catch (const Refusal& refusal) {
    why = refusal.message, status = refused.status, ends_all = others && refused.alone;
  } catch (...) {
    why = exception_text(), status = others && why != no_memory ? 1 : 2;
    if (others) why = fmt::format("rank {}: {}", world.rank(), why);
  }
  std::replace_if(
      why.begin(), why.end(), [](unsigned char c) { return c < ' '; }, ' ');
  if (ends_all) world.abort(program + ": " + why, status);
  if (!why.empty() && world.is_root()) say(stderr, "{}: {}\n", program, why);
  return status;
}

int run(int argc, const char* const* argv, const Step& step, const World& world) {
  Refused refused;
  const auto part = [&] {
    Options options = options_of(step, world);
    if (!parse(options, step.program + ": " + step.idea, argc, argv, world.is_root())) return 0;
    if (options.pad == 0) options.pad = step.pad;
    const bool emulates = !options.emulate.empty();
    return run_step(emulates ? step.emulated(options.emulate, options.count) : step, options, world, refused);
  };
  return exit_status(step.program, part, world, refused);
}

}  // namespace course
