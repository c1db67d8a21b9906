#include "common/loop.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <numeric>
#include <set>

#include "common/counters.hpp"
#include "common/machine.hpp"
#include "common/options.hpp"
#include "common/verify.hpp"

namespace course {
namespace {

constexpr Index whole_up_to = 2048;     // --verify auto compares every element up to this size
constexpr double probe_beyond = 0.3e9;  // operations from which a first run is estimated before it is begun

// clang-format off
template <class T> const char* type_name();
template <> const char* type_name<float>() { return "f32"; }
template <> const char* type_name<double>() { return "f64"; }
template <> const char* type_name<std::int32_t>() { return "i32"; }
// clang-format on

std::string shape_text(const Shape& s) {
  return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
}

std::string readable_seconds(double s) {
  const double scale = s < 1e-3 ? 1e6 : s < 1 ? 1e3 : 1;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %s", s * scale, s < 1e-3 ? "us" : s < 1 ? "ms" : "s");
  return text;
}

/// All that one invocation of a program shares between its rows.
struct Session {
  const Options& options;
  const Step& step;
  Csv csv;
  Counters counters;
  int rows = 0, row = 0;  // how many there will be; which one this is
  int measured = 0, skipped = 0, wrong = 0, not_wrong = 0, resumed = 0;
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
      : a_(shape.m, shape.k, options.pad),
        b_(shape.k, shape.n, options.pad),
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

  bool exact() const { return std::is_integral_v<T> || kind_ == Fill::digits; }

  /// The variant's C, fetched into memory that held NaN or nonsense. Guards are checked on the way.
  View<const T> fetch(Variant<T>& variant, std::string& trouble) {
    out_.poison_elements();
    if (!variant.result(out_.view()) || !out_.guards_intact()) trouble = "wrote outside its matrix";
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

/// Compares the last run's C with what it should be; beyond `whole_up_to` runs once more on digits.
template <class T>
Check judge(Session& session, Variant<T>& variant, Inputs<T>& inputs, const Problem<T>& problem,
            std::string& method) {
  const bool whole = verifies_whole(session.options, problem.shape);
  std::string trouble;
  const View<const T> c = inputs.fetch(variant, trouble);
  Check check = inputs.reference(whole).compare(c);
  method = whole ? "full" : "samples";
  if (!whole && problem.shape.k <= exact_k<T>()) {
    method = "samples+freivalds";
    Check second;
    if (inputs.exact()) {
      second = freivalds(problem, c, session.options.seed);
    } else {
      session.progress(variant.name + ": once more on digits, for Freivalds");
      inputs.fill(Fill::digits);
      variant.prepare(problem);
      variant.reset();
      variant.run();
      second = freivalds(problem, inputs.fetch(variant, trouble), session.options.seed);
      inputs.fill(session.options.fill);
    }
    if (!second.right) {
      if (check.right) check.trouble = second.trouble;
      check.right = false;
      check.error_share = std::max(check.error_share, second.error_share);
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

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Fills in times and rates. Phases are medians of their own.
void summarise(Record& record, const std::vector<Seconds>& runs) {
  std::vector<double> times;
  for (const Seconds& run : runs) times.push_back(run.product);
  const auto count = static_cast<double>(times.size());
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / count;
  double squares = 0;
  for (const double t : times) squares += (t - mean) * (t - mean);
  record.repeat = static_cast<int>(times.size());
  record.best_s = *std::min_element(times.begin(), times.end());
  record.median_s = median(times);
  record.mean_s = mean;
  record.stddev_s = times.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
  if (*record.median_s > 0 && record.shape.flops() > 0)
    record.gflops = record.shape.flops() / *record.median_s * 1e-9;
  const auto phase = [&](std::optional<double> Seconds::*which) {
    std::vector<double> values;
    for (const Seconds& run : runs)
      if (run.*which) values.push_back(*(run.*which));
    if (!values.empty()) record.seconds.*which = median(values);
  };
  for (const auto which : {&Seconds::alloc, &Seconds::copy_in, &Seconds::copy_out, &Seconds::distribute,
                           &Seconds::collect, &Seconds::imbalance, &Seconds::words_received})
    phase(which);
}

void print_row(Session& session, const Record& r, const Check& check) {
  session.clear_progress();
  if (!session.header_printed)
    std::printf("%s on %s, %s %s\n%-16s %-4s %-17s %7s %5s %5s %11s %11s %9s %9s %9s  %s\n", r.step.c_str(),
                r.device.c_str(), r.compiler.c_str(), r.flags.c_str(), "variant", "type", "m x n x k",
                "threads", "tile", "runs", "median", "best", "GFLOP/s", "error", "worst", "verdict");
  session.header_printed = true;
  // error: share of what is allowed; worst: share of the worst-case bound gamma_k |A||B| (notes of 01)
  const bool verified = r.verdict != "unverified";
  const auto number = [](bool shown, double value, const char* format) {
    char text[32] = "-";
    if (shown) std::snprintf(text, sizeof text, format, value);
    return std::string(text);
  };
  std::printf("%-16s %-4s %-17s %7d %5s %5d %11s %11s %9s %9s %9s  %s\n", r.variant.c_str(), r.type.c_str(),
              shape_text(r.shape).c_str(), r.settings.threads,
              r.settings.tile > 0 ? std::to_string(r.settings.tile).c_str() : "-", r.repeat,
              readable_seconds(*r.median_s).c_str(), readable_seconds(*r.best_s).c_str(),
              number(r.gflops.has_value(), r.gflops.value_or(0), "%.3f").c_str(),
              number(verified, check.error_share, "%.3g").c_str(),
              number(verified, check.worst_case_share, "%.2g").c_str(), r.verdict.c_str());
  std::fflush(stdout);
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

/// Seconds one run will take, from the rate of the last smaller row of the same variant, else of a small
/// product; too low rather than too high, since larger sizes are seldom faster.
template <class T>
double expected_seconds(Session& session, Variant<T>& variant, const Shape& shape, const Settings& settings,
                        std::map<std::string, double>& rates) {
  const auto known = rates.find(variant.name);
  if (known != rates.end()) return shape.flops() / known->second;
  const auto small = [](Index size) { return std::min<Index>(size, 192); };
  session.progress(variant.name + ": a small product, to estimate the time");
  Inputs<T> inputs({small(shape.m), small(shape.n), small(shape.k)}, session.options);
  const Problem<T> problem = inputs.problem(settings);
  variant.prepare(problem);
  variant.reset();
  return variant.run().product * shape.flops() / problem.shape.flops();
}

/// True if the row is not to be run: done before, impossible here, or too long for the budget. Says why.
template <class T>
bool left_out(Session& session, Variant<T>& variant, const Record& record,
              std::map<std::string, double>& rates) {
  const auto verdict = session.csv.verdict(key_of(record.fields()));
  if (session.options.resume && session.step.world.agree(verdict.has_value())) {
    ++session.resumed;
    if (verdict == "wrong") {
      ++session.wrong;
      session.say_once(session.options.csv + " has this row as wrong: " + reproduction(session, record));
    }
    return true;
  }
  if (const std::string why = variant.needs(); !why.empty()) {
    ++session.skipped;
    session.say_once(variant.name + " skipped: " + why);
    return true;
  }
  if ((variant.baseline && !session.step.is_level) || record.shape.flops() < probe_beyond) return false;
  const double expected = expected_seconds(session, variant, record.shape, record.settings, rates);
  if (session.step.world.agree(expected <= 10 * session.options.budget)) return false;
  char text[200];
  std::snprintf(
      text, sizeof text,
      "%s %s %s left out: one run takes about %s, over ten times the budget of %s; --budget %.3g may do",
      variant.name.c_str(), record.type.c_str(), shape_text(record.shape).c_str(),
      readable_seconds(expected).c_str(), readable_seconds(session.options.budget).c_str(),
      std::ceil(expected) / 10);
  session.say_once(text);
  return true;
}

/// One row: run, verify, print, record.
template <class T>
void run_row(Session& session, Variant<T>& variant, Inputs<T>& inputs, const Settings& settings,
             std::map<std::string, double>& rates) {
  const Problem<T> problem = inputs.problem(settings);
  Record record = identity(session, variant, problem.shape, settings);
  Check check;
  try {
    if (left_out(session, variant, record, rates)) return;
    variant.prepare(problem);
    session.counters.clear();
    summarise(record,
              measure(session, variant, variant.name + " " + record.type + " " + shape_text(problem.shape)));
    if (record.gflops) rates[variant.name] = problem.shape.flops() / *record.best_s;
    if (session.options.counters) record.counters = session.counters.per_run(record.repeat);
    record.verify = "none", record.verdict = "unverified";
    if (session.options.verify != Verify::none) {
      session.progress(variant.name + ": verifying");
      check = judge(session, variant, inputs, problem, record.verify);
    }
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {  // a kernel that throws has no result
    check.trouble = std::string("it threw: ") + error.what();
    check.error_share = check.relative_error = std::numeric_limits<double>::infinity();
    record.verify = "full", record.best_s = record.median_s = record.best_s.value_or(0);
  }
  if (session.options.verify != Verify::none) {
    record.verdict = check.right ? "right" : "wrong";
    record.error_share = check.error_share, record.relative_error = check.relative_error;
    record.differences = check.differences;
  }
  ++session.measured;
  if (!session.speaks()) return;
  print_row(session, record, check);
  if (record.verdict == "wrong") {
    ++session.wrong;
    if (!session.options.expect_wrong)
      session.say_once("wrong: " + check.trouble + "; again by: " + reproduction(session, record));
  } else {
    ++session.not_wrong;
    if (session.options.expect_wrong)
      session.say_once("expected wrong, found " + record.verdict + ": " + reproduction(session, record));
  }
  if (session.csv.open()) session.csv.append(record);
}

/// The variants asked for: those named, else all that are right (or, with --expect-wrong, all that are
/// broken).
template <class T>
Variants<T> chosen(const Variants<T>& all, const Options& options) {
  if (std::find(options.types.begin(), options.types.end(), type_name<T>()) == options.types.end()) return {};
  Variants<T> some;
  for (const auto& variant : all) {
    const bool named =
        std::find(options.variants.begin(), options.variants.end(), variant->name) != options.variants.end();
    if (options.variants.empty() ? variant->broken == options.expect_wrong : named) some.push_back(variant);
  }
  return some;
}

std::vector<Settings> settings_of(const Options& options) {
  std::vector<Settings> list;
  for (const int threads : options.threads)
    for (const Index tile : options.tiles)
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
    double needed = sizeof(T) * (m * k + k * n + 2 * m * n) + own;
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
  std::map<std::string, double> rates;  // operations a second, by variant
  for (const Shape& shape : session.options.shapes) {
    Inputs<T> inputs(shape, session.options);
    for (const auto& variant : variants)
      for (const Settings& settings : settings_of(session.options)) {
        ++session.row;
        run_row(session, *variant, inputs, settings, rates);
      }
  }
}

template <class T>
void names_of(const Variants<T>& variants, std::vector<std::string>& names, bool with_broken) {
  for (const auto& variant : variants)
    if ((with_broken || !variant->broken) &&
        std::find(names.begin(), names.end(), variant->name) == names.end())
      names.push_back(variant->name);
}

void check_names(const Step& step, const Options& options) {
  std::vector<std::string> known, shown;
  for (const bool with_broken : {true, false}) {
    auto& names = with_broken ? known : shown;
    names_of(step.f32, names, with_broken), names_of(step.f64, names, with_broken),
        names_of(step.i32, names, with_broken);
  }
  std::string list;
  for (const std::string& name : shown) list += (list.empty() ? "" : ", ") + name;
  for (const std::string& name : options.variants)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Refusal{"--variant: '" + name + "' is unknown; this step has " + list};
}

void print_list(const Step& step) {
  std::printf("%s: %s\n", step.program.c_str(), step.idea.c_str());
  std::set<std::string> printed;
  const auto print = [&](const auto& variants) {
    for (const auto& v : variants) {
      if (v->broken || !printed.insert(v->name).second) continue;
      const std::string why = v->needs();
      std::printf("  %-16s %s%s%s\n", v->name.c_str(), v->idea.c_str(),
                  why.empty() ? "" : "; not here: ", why.c_str());
    }
  };
  print(step.f32), print(step.f64), print(step.i32);
}

int run_session(const Step& step, const Options& options) {
  check_names(step, options);
  if (options.list) return print_list(step), 0;
  if (const std::string missing = lacking(step.instruction_sets); !missing.empty()) {
    std::cerr << step.program << ": skipped: built for " << missing << ", which this processor lacks\n";
    return 77;
  }
  const auto f32 = chosen(step.f32, options);
  const auto f64 = chosen(step.f64, options);
  const auto i32 = chosen(step.i32, options);
  check_sizes(options, f32), check_sizes(options, f64), check_sizes(options, i32);
  Session session{options, step, options.csv.empty() || step.world.rank != 0 ? Csv() : Csv(options.csv), {}};
  session.rows = static_cast<int>((f32.size() + f64.size() + i32.size()) * options.shapes.size() *
                                  settings_of(options).size());
  if (const std::string missing = session.counters.missing(); options.counters && !missing.empty())
    session.say_once("counters this machine does not give: " + missing);
  int refused = 0;
  try {
    run_type(session, f32), run_type(session, f64), run_type(session, i32);
  } catch (const Refusal& refusal) {
    session.clear_progress();
    std::cerr << step.program << ": " << refusal.message << "\n";
    refused = 2;
  } catch (const std::bad_alloc&) {
    session.clear_progress();
    std::cerr << step.program << ": out of memory; give a smaller size\n";
    refused = 2;
  }
  session.clear_progress();
  if (session.resumed > 0)
    std::printf("%s: %d rows were in %s already\n", step.program.c_str(), session.resumed,
                options.csv.c_str());
  const bool failed = options.expect_wrong ? session.not_wrong > 0 : session.wrong > 0;
  if (failed) return 1;
  if (refused != 0) return refused;
  const bool nothing = session.measured == 0 && session.resumed == 0;
  if (options.expect_wrong && nothing && session.skipped == 0)
    throw Refusal{"--expect-wrong: no broken variant was run"};
  return nothing && session.skipped > 0 ? 77 : 0;
}

}  // namespace

int run(int argc, const char* const* argv, Step step) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is a full disk: an error of write, not a death
  int status = 2;
  try {
    const auto options = parse_options(argc, argv, {step.program, step.idea, step.threads, step.tiles});
    status = options ? run_session(step, *options) : 0;
  } catch (const Refusal& refusal) {
    std::cerr << step.program << ": " << refusal.message << "\n";
  } catch (const std::bad_alloc&) {
    std::cerr << step.program << ": out of memory; give a smaller size\n";
  } catch (const std::exception& error) {
    std::cerr << step.program << ": " << error.what() << "\n";
  }
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && status == 0) {
    std::cerr << step.program << ": cannot write to standard output\n";
    status = 2;
  }
  return status;
}

}  // namespace course
