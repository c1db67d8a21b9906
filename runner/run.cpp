#include "runner/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include "runner/machine.hpp"
#include "runner/session.hpp"

namespace course {
namespace {

/// Calls `f` with the variants of each type in turn.
template <class F>
void for_each_type(const Step& step, F f) {
  f(step.f32), f(step.f64), f(step.i32);
}

/// The names that --list and refusals show, each once; and those besides.
struct Names {
  std::vector<std::string> shown, all;
  bool threads = false, tiles = false;  // whether a variant is swept over them

  explicit Names(const Step& step) {
    for_each_type(step, [&](const auto& variants) {
      for (const auto& variant : variants) {
        const Traits& traits = variant->traits;
        threads |= traits.threads, tiles |= traits.tiles;
        if (std::find(all.begin(), all.end(), traits.name) != all.end()) continue;
        all.push_back(traits.name);
        if (!traits.broken) shown.push_back(traits.name);
      }
    });
  }
};

void print_list(const Step& step, const World& world) {
  fmt::print("{}: {}\n", step.program, step.idea);
  std::set<std::string> printed;
  for_each_type(step, [&]<class T>(const Variants<T>& variants) {
    for (const auto& variant : variants) {
      const Traits& traits = variant->traits;
      if (traits.broken || !printed.insert(traits.name).second) continue;
      const std::string missing = lacking(traits.needs);
      print_choice(traits.name, traits.idea,
                   missing.empty() ? variant->refuses({}, {}, world) : "this processor lacks " + missing);
    }
  });
}

/// The variants asked for: those named, else all that are right (or, with --expect-wrong, all that are
/// broken).
template <class T>
Variants<T> chosen(const Variants<T>& all, const Options& options) {
  const auto among = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  Variants<T> some;
  if (among(options.types, type_name<T>))
    for (const auto& variant : all)
      if (options.variants.empty() ? variant->traits.broken == options.expect_wrong
                                   : among(options.variants, variant->traits.name))
        some.push_back(variant);
  return some;
}

/// The settings a variant has rows for; what it does not know stays as it is for all: one thread, no tile.
std::vector<Settings> settings_of(const Options& options, const Traits& traits) {
  std::vector<Settings> list;
  for (const int threads : traits.threads ? options.threads : std::vector{1})
    for (const Index tile : traits.tiles ? options.tiles : std::vector<Index>{0})
      list.push_back({.threads = threads, .tile = tile, .grid = {}, .block = {}});
  return list;
}

/// Calls `f` for each row asked for: with the variant, its problem and its settings.
template <class F>
void for_each_row(const Session& session, F f) {
  const Options& options = session.options;
  for_each_type(session.step, [&]<class T>(const Variants<T>& all) {
    const Variants<T> variants = chosen(all, options);
    for (const Shape& shape : options.shapes) {
      Work<T> work{{shape, options.fill, options.seed, options.pad,
                    *std::max_element(options.threads.begin(), options.threads.end())}};
      for (const auto& variant : variants)
        for (const Settings& settings : settings_of(options, variant->traits)) f(*variant, work, settings);
    }
  });
}

/// Throws Refusal if a row does not fit in memory or its digits would not be exact. Returns how many there
/// are.
int check_rows(const Session& session) {
  const Options& options = session.options;
  int rows = 0;
  for_each_row(session, [&]<class T>(const Variant<T>& variant, const Work<T>& work,
                                     const Settings& settings) {
    const Shape& s = work.problem.shape;
    double bytes = variant.bytes(work.problem, settings);
    if (options.verify != Verify::none) bytes += Verifier<T>::bytes(s, verifies_whole(options, s));
    require_memory(fmt::format("{}: {} needs", shape_text(s), type_name<T>), bytes,
                   options.verify == Verify::full ? " or --verify auto" : "", session.world);
    if (options.fill == Fill::digits && s.k > exact_k<T>())
      throw Refusal{fmt::format("--fill: digits are exact in {} up to k = {}, not at {}; give --fill uniform",
                                type_name<T>, exact_k<T>(), shape_text(s))};
    ++rows;
  });
  if (rows == 0) throw Refusal{"--variant: none of this name or kind exists for the types asked for"};
  return rows;
}

/// What 00_machine found here: the file named, else one beside the CSV or in report/. A file of another
/// processor predicts nothing here.
std::optional<Roofs> roofs(Session& session) {
  namespace fs = std::filesystem;
  const Options& options = session.options;
  const bool named = !options.machine.empty();
  std::vector<fs::path> places = {fs::path(options.csv).replace_filename("machine.csv"),
                                  "report/machine.csv"};
  if (named) places = {options.machine};
  for (const fs::path& path : places) {
    std::error_code ignored;
    if (!named && !fs::is_regular_file(path, ignored)) continue;
    Roofs found(path.string());
    if (found.processor().empty() || found.processor() == processor()) return found;
    session.say_once(path.string() + " is of another machine, " + found.processor() + ": no predictions");
  }
  return std::nullopt;
}

/// Runs all rows; the exit status unless something is refused on the way (a wrong result before that still
/// counts).
int run_rows(Session& session) {
  const Options& options = session.options;
  std::string refusal;
  try {
    for_each_row(session, [&](auto& variant, auto& work, const Settings& settings) {
      ++session.row;
      run_row(session, variant, work, settings);
    });
  } catch (const Refusal& refused) {
    refusal = refused.message;
  }
  session.clear_progress();
  if (session.resumed > 0 && session.speaks())
    fmt::print("{}: {} rows were in {} already\n", session.step.program, session.resumed, options.csv);
  const bool failed = options.expect_wrong ? session.not_wrong > 0 : session.wrong > 0;
  if (!refusal.empty() && !failed) throw Refusal{refusal};
  if (!refusal.empty()) session.say_once(refusal);
  if (failed) return 1;
  return session.skipped > 0 && session.measured == 0 && session.resumed == 0 ? 77 : 0;
}

int run_step(const Step& step, const Options& options, const World& world) {
  const Names names(step);
  for (const std::string& name : options.variants)
    if (std::find(names.all.begin(), names.all.end(), name) == names.all.end())
      one_of("--variant", name, names.shown, "this step has");
  if (options.list && world.rank() == 0) print_list(step, world);
  if (options.list) return 0;
  Session session(options, step, world);
  std::string missing = lacking(step.features);
  if (missing = world.first(missing); !missing.empty()) {
    session.say_once("skipped: built for " + missing + ", which this processor lacks");
    return 77;
  }
  session.rows = check_rows(session);
  session.on_root([&] {
    if (!options.csv.empty()) session.table.open(options.csv);
    session.roofs = roofs(session);
  });
  return run_rows(session);
}

}  // namespace

void Session::progress(const std::string& what) const {
  if (speaks() && isatty(STDERR_FILENO))
    fmt::print(stderr, "\r\033[K[{}/{}] {} {}", row, rows, step.program, what);
}

void Session::clear_progress() const {
  if (speaks() && isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K");
}

void Session::say_once(const std::string& line) {
  if (!said_.insert(line).second || !speaks()) return;
  clear_progress();
  fmt::print(stderr, "{}: {}\n", step.program, line);
}

void Session::on_root(const std::function<void()>& body) const {
  std::string refusal;
  try {
    if (world.rank() == 0) body();
  } catch (const Refusal& refused) {
    refusal = refused.message;
  }
  if (refusal = world.first(refusal); !refusal.empty()) throw Refusal{refusal};
}

std::string Session::attempt(const std::function<void()>& body) const {
  std::string why;
  try {
    body();
    return {};
  } catch (const Refusal&) {
    throw;  // of all ranks
  } catch (const std::bad_alloc&) {
    if (world.size() == 1) throw;
    why = "out of memory";
  } catch (const std::exception& error) {
    why = std::string("it threw: ") + error.what();
  } catch (...) {
    why = "it threw";
  }
  if (world.size() > 1) world.abort(fmt::format("{}: rank {}: {}", step.program, world.rank(), why));
  return why;
}

int guarded(const std::string& program, const std::function<int()>& body, const World& world) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is a full disk: an error of write, not a death
  int status = 2;
  std::string refusal, alone;  // alone: other ranks do not know
  try {
    status = body();
  } catch (const Refusal& refused) {
    refusal = refused.message;
  } catch (const std::bad_alloc&) {
    alone = "out of memory; give a smaller size";
  } catch (const std::exception& error) {
    alone = error.what();
  } catch (...) {
    alone = "something unknown was thrown";
  }
  if (!alone.empty() && world.size() > 1) world.abort(program + ": " + alone);
  if (refusal.empty()) refusal = alone;
  if (refusal.empty() && status == 0 && (std::fflush(stdout) != 0 || std::ferror(stdout) != 0))
    refusal = "cannot write to standard output", status = 2;
  std::replace_if(
      refusal.begin(), refusal.end(), [](unsigned char c) { return c < ' '; }, ' ');  // one line
  if (!refusal.empty() && world.rank() == 0) fmt::print(stderr, "{}: {}\n", program, refusal);
  return status;
}

int run(int argc, const char* const* argv, const Step& step, const World& world) {
  return guarded(
      step.program,
      [&] {
        const Names names(step);
        const auto options = parse_options(argc, argv,
                                           {.program = step.program,
                                            .idea = step.idea,
                                            .threads = names.threads,
                                            .tiles = names.tiles ? step.tiles : std::vector<Index>{},
                                            .speaks = world.rank() == 0});
        return options ? run_step(step, *options, world) : 0;
      },
      world);
}

}  // namespace course
