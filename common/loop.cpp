#include "common/loop.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <utility>

#include "common/counters.hpp"
#include "common/machine.hpp"
#include "common/options.hpp"
#include "common/prediction.hpp"
#include "common/table.hpp"
#include "common/verify.hpp"

namespace course {
namespace {

constexpr Index whole_up_to = 2048;     // --verify auto compares every element up to this size
constexpr Index probe_size = 192;       // a product small enough to estimate a large one from
constexpr double probe_beyond = 0.3e9;  // operations from which a first run is estimated before it is begun

// clang-format off
template <class T> const char* type_name();
template <> const char* type_name<float>() { return "f32"; }
template <> const char* type_name<double>() { return "f64"; }
template <> const char* type_name<std::int32_t>() { return "i32"; }
// clang-format on

/// All that one invocation of a program shares between its rows.
struct Session {
  const Options& options;
  const Step& step;
  Csv csv;
  Counters counters;
  std::optional<Roofs> roofs = {};  // of machine.csv, if there is one
  int rows = 0, row = 0;            // how many there will be; which one this is
  int measured = 0, skipped = 0, wrong = 0, not_wrong = 0, resumed = 0;
  std::map<std::string, double> rates = {};  // operations a second, by type, variant and settings
  std::set<std::string> said = {};
  bool header_printed = false;

  bool speaks() const { return step.world.rank == 0; }

  /// A line that overwrites itself, on a terminal only.
  void progress(const std::string& what) const {
    if (!speaks() || !isatty(STDERR_FILENO)) return;
    std::fprintf(stderr, "\r\033[K[%d/%d] %s %s", row, rows, step.program.c_str(), what.c_str());
  }
  void clear_progress() const {
    if (speaks() && isatty(STDERR_FILENO)) std::fputs("\r\033[K", stderr);
  }
  void say_once(const std::string& line) {
    if (!said.insert(line).second || !speaks()) return;
    clear_progress();
    std::cerr << step.program << ": " << line << "\n";
  }
};

/// The matrices of one shape and type, filled; the reference is computed when first asked for and then kept.
template <class T>
class Inputs {
 public:
  Inputs(const Shape& shape, const Options& options)
      : a_(shape.m, shape.k, options.pad, most_threads(options)),
        b_(shape.k, shape.n, options.pad, most_threads(options)),
        c_(shape.m, shape.n, options.pad),
        out_(shape.m, shape.n, options.pad),
        options_(options) {
    problem_.shape = shape;
    problem_.a = a_.view(), problem_.b = b_.view(), problem_.c = c_.view();
    problem_.pad = options.pad;
    fill(options.fill);
  }

  void fill(Fill kind) {
    kind_ = kind;
    fill_matrix(a_.view(), kind, options_.seed, 'A');
    fill_matrix(b_.view(), kind, options_.seed, 'B');
    fill_matrix(c_.view(), kind, options_.seed, 'C');
  }

  Problem<T> problem(const Settings& settings) const {
    Problem<T> with = problem_;
    with.settings = settings;
    return with;
  }

  static int most_threads(const Options& options) {
    return *std::max_element(options.threads.begin(), options.threads.end());
  }

  bool exact() const { return std::is_integral_v<T> || kind_ == Fill::digits; }

  /// The variant's C, fetched into memory that held NaN or nonsense; all guards are checked on the way.
  View<const T> fetch(Variant<T>& variant, std::string& trouble) {
    out_.poison_elements();
    const bool inside = variant.result(out_.view());
    for (const Matrix<T>* matrix : {&a_, &b_, &c_, &out_})
      if (!inside || !matrix->guards_intact()) trouble = "wrote outside its matrix";
    return out_.view();
  }

  const Reference<T>& reference(bool whole) {
    if (!reference_)
      reference_ = whole ? Reference<T>::whole(problem_, exact())
                         : Reference<T>::sampled(problem_, exact(), options_.seed);
    return *reference_;
  }

 private:
  Matrix<T> a_, b_, c_, out_;
  const Options& options_;
  Fill kind_ = Fill::uniform;
  Problem<T> problem_;
  std::optional<Reference<T>> reference_;
};

bool verifies_whole(const Options& options, const Shape& s) {
  return options.verify == Verify::full || std::max({s.m, s.n, s.k}) <= whole_up_to;
}

/// One more run, on digits, whose product is known exactly; the inputs are then filled as they were.
template <class T>
Check judge_on_digits(Session& session, Variant<T>& variant, Inputs<T>& inputs, const Problem<T>& problem,
                      std::string& trouble) {
  session.progress(variant.name + ": once more on digits, for Freivalds");
  struct Refill {
    Inputs<T>& inputs;
    Fill as_it_was;
    ~Refill() { inputs.fill(as_it_was); }
  } const refill{inputs, session.options.fill};
  inputs.fill(Fill::digits);
  variant.prepare(problem);
  variant.reset();
  variant.run();
  return freivalds(problem, inputs.fetch(variant, trouble), session.options.seed);
}

/// Compares the last run's C with what it should be, on the rank that speaks; `method` says how.
template <class T>
Check judge(Session& session, Variant<T>& variant, Inputs<T>& inputs, const Problem<T>& problem,
            std::string& method) {
  const bool whole = verifies_whole(session.options, problem.shape);
  const bool with_freivalds = !whole && problem.shape.k <= exact_k<T>();
  method = whole ? "full" : with_freivalds ? "samples+freivalds" : "samples";
  session.progress(variant.name + ": verifying");
  Check check;
  std::string trouble;
  const View<const T> c = inputs.fetch(variant, trouble);
  check.right = true;  // other ranks have nothing to object
  if (session.speaks()) check = inputs.reference(whole).compare(c);
  if (with_freivalds) {
    const Check second = inputs.exact() ? freivalds(problem, c, session.options.seed)
                                        : judge_on_digits(session, variant, inputs, problem, trouble);
    if (!second.right) {
      if (check.right) check.trouble = second.trouble;
      check.right = false;
      check.error_share = second.error_share;
      check.differences = std::max(check.differences, second.differences);
    }
  }
  if (!trouble.empty()) check.right = false, check.trouble = trouble;
  return check;
}

/// Warm-up, then timed runs until --repeat or the budget is spent, at least one. A warm-up longer than the
/// budget is kept as the only run: what it pays for cold caches is lost in it.
template <class T>
std::vector<Seconds> measure(Session& session, Variant<T>& variant, const std::string& what) {
  const Options& options = session.options;
  const auto once = [&] {
    variant.reset();
    session.counters.start();
    Seconds seconds = variant.run();
    session.counters.stop();
    seconds.product = session.step.world.slowest(seconds.product);
    return seconds;
  };
  session.counters.clear();
  for (int w = 0; w < options.warmup; ++w) {
    session.progress(what + ": warm-up " + std::to_string(w + 1) + " of " + std::to_string(options.warmup));
    const Seconds seconds = once();
    if (session.step.world.agree(seconds.product >= options.budget)) return {seconds};
    session.counters.clear();
  }
  std::vector<Seconds> runs;
  double spent = 0;
  do {
    session.progress(what + ": run " + std::to_string(runs.size() + 1) + " of " +
                     std::to_string(options.repeat));
    runs.push_back(once());
    spent += runs.back().product;
  } while (
      session.step.world.agree(static_cast<int>(runs.size()) < options.repeat && spent < options.budget));
  return runs;
}

template <class T>
Record identity(const Session& session, const Variant<T>& variant, const Shape& shape,
                const Settings& settings) {
  static const std::string cpu = processor(), name = host_name();
  Record r;
  r.step = session.step.program, r.variant = variant.name, r.type = type_name<T>();
  r.shape = shape, r.settings = settings;
  r.fill = fill_name(session.options.fill), r.seed = session.options.seed;
  r.ranks = session.step.world.size;
  r.device = variant.device().empty() ? cpu : variant.device();
  r.flags = session.step.flags, r.compiler = compiler(), r.host = name, r.commit = commit(),
  r.started = utc_now();
  return r;
}

/// The command line that runs one row again.
std::string reproduction(const Session& session, const Record& r) {
  std::string line = r.step + " --variant " + r.variant + " --type " + r.type + " --shape " +
                     shape_text(r.shape) + " --fill " + r.fill + " --seed " + std::to_string(r.seed) +
                     " --repeat 1 --verify full";
  if (session.step.threads) line += " --threads " + std::to_string(r.settings.threads);
  if (r.settings.tile > 0) line += " --tile " + std::to_string(r.settings.tile);
  if (session.options.pad > 0) line += " --pad " + std::to_string(session.options.pad);
  return line;
}

/// Under what the rate of a row is remembered.
std::string rate_key(const Record& r) {
  return r.type + r.variant + "," + std::to_string(r.settings.threads) + "," +
         std::to_string(r.settings.tile) + "," + r.settings.grid + "," + r.settings.block;
}

/// Seconds one run will take, from the rate of the last row of the same variant, else of a small product; too
/// low rather than too high, since larger sizes are seldom faster.
template <class T>
double expected_seconds(Session& session, Variant<T>& variant, const Record& record) {
  const auto known = session.rates.find(rate_key(record));
  if (known != session.rates.end()) return record.shape.flops() / known->second;
  const auto small = [](Index size) { return std::min(size, probe_size); };
  session.progress(variant.name + ": a small product, to estimate the time");
  const Shape& s = record.shape;
  Inputs<T> inputs({small(s.m), small(s.n), small(s.k)}, session.options);
  const Problem<T> problem = inputs.problem(record.settings);
  try {
    variant.prepare(problem);
    variant.reset();
    if (record.settings.threads > 1) variant.run();  // the first run also starts the threads
    return variant.run().product * s.flops() / problem.shape.flops();
  } catch (const std::exception&) {
    return 0;  // the row itself will throw again, and say so
  }
}

/// True if the CSV has the row, verified if it is to be, and repeated as often as asked or as its budget
/// allowed.
bool has_row(Session& session, const Record& record) {
  const Options& options = session.options;
  const auto known = session.csv.known(record);
  const bool done = known && (known->verdict != "unverified" || options.verify == Verify::none) &&
                    (known->repeat >= options.repeat || known->seconds >= options.budget);
  if (!session.step.world.agree(done)) return false;
  ++session.resumed;
  if (known && known->verdict == "wrong") {
    ++session.wrong;
    session.say_once(options.csv + " has this row as wrong: " + reproduction(session, record));
  }
  return true;
}

/// True if the row is not to be run: done before, impossible here, or too long for the budget. Says why.
template <class T>
bool left_out(Session& session, Variant<T>& variant, const Record& record) {
  const Options& options = session.options;
  if (options.resume && has_row(session, record)) return true;
  if (const std::string why = variant.needs(); !why.empty()) {
    ++session.skipped;
    session.say_once(variant.name + " skipped: " + why);
    return true;
  }
  if ((variant.baseline && !session.step.is_level) || record.shape.flops() < probe_beyond) return false;
  const double expected = expected_seconds(session, variant, record);
  if (session.step.world.agree(expected <= 10 * options.budget)) return false;
  char may_do[32];
  std::snprintf(may_do, sizeof may_do, "%.3g", std::ceil(expected) / 10);
  session.say_once(variant.name + " " + record.type + " " + shape_text(record.shape) +
                   " left out: one run takes about " + readable_seconds(expected) +
                   ", over ten times the budget of " + readable_seconds(options.budget) + "; --budget " +
                   may_do + " may do");
  return true;
}

/// Runs and times the variant. False if it threw: a kernel that throws has no result.
template <class T>
bool run_and_time(Session& session, Variant<T>& variant, const Problem<T>& problem, Record& record,
                  Check& check) {
  try {
    variant.prepare(problem);
    summarise(record,
              measure(session, variant, variant.name + " " + record.type + " " + shape_text(problem.shape)));
    return true;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    check.trouble = std::string("it threw: ") + error.what();
  } catch (...) {
    check.trouble = "it threw";
  }
  check.error_share = check.relative_error = std::numeric_limits<double>::infinity();
  record.verify = "none", record.verdict = "wrong";
  return false;
}

/// Says what the row should take, if its cost was counted and the machine measured.
template <class T>
void predict(const Session& session, const Variant<T>& variant, Record& record) {
  if (!session.roofs || !variant.device().empty()) return;
  const std::string& vector = variant.vector.empty() ? session.step.vector : variant.vector;
  if (const auto cost = variant.cost(record.shape, record.settings))
    if (const auto prediction = session.roofs->predict(*cost, record.type, vector, record.settings.threads)) {
      record.predicted_s = prediction->seconds, record.limit = prediction->limit;
      record.counters = prediction->text() + (record.counters.empty() ? "" : ";" + record.counters);
    }
  if (const auto peak = session.roofs->peak(record.type, record.settings.threads); peak && record.gflops)
    record.peak_share = *record.gflops / *peak;
}

/// One row: run, verify, print, record.
template <class T>
void run_row(Session& session, Variant<T>& variant, Inputs<T>& inputs, const Settings& settings) {
  struct Release {
    Variant<T>& variant;
    ~Release() { variant.release(); }
  } const release{variant};
  const Options& options = session.options;
  const Problem<T> problem = inputs.problem(settings);
  Record record = identity(session, variant, problem.shape, settings);
  if (left_out(session, variant, record)) return;
  Check check;
  const bool ran = run_and_time(session, variant, problem, record, check);
  if (ran) {
    if (options.counters) record.counters = session.counters.per_run(record.repeat);
    predict(session, variant, record);
    if (problem.shape.flops() >= probe_beyond / 20)
      session.rates[rate_key(record)] = problem.shape.flops() / *record.best_s;
    record.verify = "none", record.verdict = "unverified";
    if (options.verify != Verify::none) {
      check = judge(session, variant, inputs, problem, record.verify);
      record.verdict = session.step.world.agree(check.right) ? "right" : "wrong";
    }
  }
  if (record.verdict != "unverified") {
    record.error_share = check.error_share, record.relative_error = check.relative_error;
    record.differences = check.differences;
  }
  ++session.measured;
  const bool wrong = record.verdict == "wrong";
  ++(wrong && (ran || !options.expect_wrong) ? session.wrong : session.not_wrong);
  if (!session.speaks()) return;
  session.clear_progress();
  if (!std::exchange(session.header_printed, true)) print_header(record);
  print_row(record, check);
  if (wrong && options.expect_wrong) std::printf("  %s\n", check.trouble.c_str());
  if (wrong && !(ran && options.expect_wrong))
    session.say_once("wrong: " + check.trouble + "; again by: " + reproduction(session, record));
  if (!wrong && options.expect_wrong)
    session.say_once("expected wrong, found " + record.verdict + ": " + reproduction(session, record));
  if (session.csv.open()) session.csv.append(record);
}

/// The variants asked for: those named, else all that are right (or, with --expect-wrong, all that are
/// broken).
template <class T>
Variants<T> chosen(const Variants<T>& all, const Options& options) {
  if (std::find(options.types.begin(), options.types.end(), type_name<T>()) == options.types.end()) return {};
  Variants<T> some;
  for (const auto& variant : all) {
    const auto& names = options.variants;
    const bool named = std::find(names.begin(), names.end(), variant->name) != names.end();
    if (names.empty() ? variant->broken == options.expect_wrong : named) some.push_back(variant);
  }
  return some;
}

/// The settings a variant has rows for; what it does not know stays as it is for all: one thread, no tile.
template <class T>
std::vector<Settings> settings_of(const Options& options, const Variant<T>& variant) {
  std::vector<Settings> list;
  for (const int threads : variant.threaded ? options.threads : std::vector{1})
    for (const Index tile : variant.tiled ? options.tiles : std::vector<Index>{0})
      list.push_back({.threads = threads, .tile = tile, .grid = {}, .block = {}});
  return list;
}

/// Throws Refusal if a shape of this type does not fit in memory or its digits would not be exact.
template <class T>
void check_sizes(const Options& options, const Variants<T>& variants) {
  static const double available = available_memory();
  if (variants.empty()) return;
  for (const Shape& s : options.shapes) {
    const auto m = static_cast<double>(s.m), n = static_cast<double>(s.n), k = static_cast<double>(s.k);
    double own = 0;
    for (const auto& variant : variants) own = std::max(own, variant->bytes(s));
    const double padding = static_cast<double>(options.pad) * (3 * m + k);
    double needed = sizeof(T) * (m * k + k * n + 2 * m * n + padding) + own;
    if (options.verify != Verify::none) needed += Reference<T>::bytes(s, verifies_whole(options, s));
    if (needed > 0.95 * available)
      throw Refusal{shape_text(s) + ": " + type_name<T>() + " needs " + readable_bytes(needed) +
                    " of memory, " + readable_bytes(available) + " are available; give a smaller size" +
                    (options.verify == Verify::full ? " or --verify auto" : "")};
    if (options.fill == Fill::digits && s.k > exact_k<T>())
      throw Refusal{"--fill: digits are exact in " + std::string(type_name<T>()) + " up to k = " +
                    std::to_string(exact_k<T>()) + ", not at " + shape_text(s) + "; give --fill uniform"};
  }
}

template <class T>
void run_type(Session& session, const Variants<T>& variants) {
  if (variants.empty()) return;
  for (const Shape& shape : session.options.shapes) {
    Inputs<T> inputs(shape, session.options);
    for (const auto& variant : variants)
      for (const Settings& settings : settings_of(session.options, *variant)) {
        ++session.row;
        run_row(session, *variant, inputs, settings);
      }
  }
}

/// Calls `f` with the variants of each type in turn.
template <class F>
void for_each_type(const Step& step, F f) {
  f(step.f32), f(step.f64), f(step.i32);
}

void check_names(const Step& step, const Options& options) {
  std::set<std::string> known;
  std::string shown;
  for_each_type(step, [&](const auto& variants) {
    for (const auto& variant : variants)
      if (known.insert(variant->name).second && !variant->broken)
        shown += (shown.empty() ? "" : ", ") + variant->name;
  });
  for (const std::string& name : options.variants)
    if (!known.contains(name)) throw Refusal{"--variant: '" + name + "' is unknown; this step has " + shown};
}

void print_list(const Step& step) {
  std::printf("%s: %s\n", step.program.c_str(), step.idea.c_str());
  std::set<std::string> printed;
  for_each_type(step, [&](const auto& variants) {
    for (const auto& v : variants) {
      if (v->broken || !printed.insert(v->name).second) continue;
      const std::string why = v->needs();
      std::printf("  %-16s %s%s%s\n", v->name.c_str(), v->idea.c_str(),
                  why.empty() ? "" : "; not here: ", why.c_str());
    }
  });
}

/// Runs all rows; the exit status unless something is refused on the way (a wrong result before that still
/// counts).
int run_rows(Session& session) {
  const Options& options = session.options;
  std::string refusal;
  try {
    for_each_type(session.step, [&](const auto& variants) { run_type(session, chosen(variants, options)); });
  } catch (const Refusal& refused) {
    refusal = refused.message;
  } catch (const std::bad_alloc&) {
    refusal = "out of memory; give a smaller size";
  }
  session.clear_progress();
  if (session.resumed > 0)
    std::printf("%s: %d rows were in %s already\n", session.step.program.c_str(), session.resumed,
                options.csv.c_str());
  const bool failed = options.expect_wrong ? session.not_wrong > 0 : session.wrong > 0;
  if (!refusal.empty()) {
    if (!failed) throw Refusal{refusal};
    std::cerr << session.step.program << ": " << refusal << "\n";
  }
  if (failed) return 1;
  return session.skipped > 0 && session.measured == 0 && session.resumed == 0 ? 77 : 0;
}

/// What 00_machine found here: the file named, else one beside the CSV or in report/. A file of another
/// processor predicts nothing here.
std::optional<Roofs> roofs(Session& session) {
  namespace fs = std::filesystem;
  const Options& options = session.options;
  for (const fs::path& path :
       {fs::path(options.machine), fs::path(options.csv).replace_filename("machine.csv"),
        fs::path("report/machine.csv")}) {
    std::error_code ignored;
    const bool named = !options.machine.empty();
    if (!named && (path.empty() || !fs::is_regular_file(path, ignored))) continue;
    Roofs found(path.string());
    if (found.processor().empty() || found.processor() == processor()) return found;
    session.say_once(path.string() + " is of another machine, " + found.processor() + ": no predictions");
    if (named) break;
  }
  return std::nullopt;
}

int run_step(const Step& step, const Options& options) {
  check_names(step, options);
  if (options.list) return print_list(step), 0;
  if (const std::string missing = lacking(step.instruction_sets); !missing.empty()) {
    std::cerr << step.program << ": skipped: built for " << missing << ", which this processor lacks\n";
    return 77;
  }
  std::size_t variants = 0, rows = 0;
  for_each_type(step, [&](const auto& all) {
    const auto some = chosen(all, options);
    check_sizes(options, some);
    variants += some.size();
    for (const auto& variant : some) rows += settings_of(options, *variant).size() * options.shapes.size();
  });
  if (variants == 0) throw Refusal{"--variant: none of this name or kind exists for the types asked for"};
  Session session{options, step, options.csv.empty() || step.world.rank != 0 ? Csv() : Csv(options.csv), {}};
  session.rows = static_cast<int>(rows);
  session.roofs = roofs(session);
  const bool named = std::getenv("COURSE_COUNTERS_NAMED") != nullptr;  // by the report's first program
  if (const std::string missing = session.counters.missing(); options.counters && !missing.empty() && !named)
    session.say_once("counters this machine does not give: " + missing);
  return run_rows(session);
}

}  // namespace

int guarded(const std::string& program, const std::function<int()>& body) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is a full disk: an error of write, not a death
  int status = 2;
  std::string refusal;
  try {
    status = body();
  } catch (const Refusal& refused) {
    refusal = refused.message;
  } catch (const std::bad_alloc&) {
    refusal = "out of memory; give a smaller size";
  } catch (const std::exception& error) {
    refusal = error.what();
  } catch (...) {
    refusal = "something unknown was thrown";
  }
  if (refusal.empty() && status == 0 && (std::fflush(stdout) != 0 || std::ferror(stdout) != 0))
    refusal = "cannot write to standard output", status = 2;
  std::replace_if(
      refusal.begin(), refusal.end(), [](unsigned char c) { return c < ' '; }, ' ');  // one line
  if (!refusal.empty()) std::cerr << program << ": " << refusal << "\n";
  return status;
}

int run(int argc, const char* const* argv, Step step) {
  return guarded(step.program, [&] {
    const auto options = parse_options(argc, argv, {step.program, step.idea, step.threads, step.tiles});
    return options ? run_step(step, *options) : 0;
  });
}

}  // namespace course
