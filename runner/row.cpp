// A row's way: plan, estimate, measure, verify, report. All ranks call the same functions in the same order;
// before they decide, they share what only one of them knows: the root its CSV, each its errors.
#include <unistd.h>

#include <cmath>

#include "common/diagnose.hpp"
#include "runner/machine.hpp"
#include "runner/session.hpp"

namespace course {
namespace {

constexpr Index probe_size = 192;       // side of the small product that estimates a large one
constexpr double probe_beyond = 0.3e9;  // operations of a row from which its time is estimated first
constexpr double enough_served = 0.97;  // processor time / (threads × time) of a run that was not disturbed
constexpr double clock_tells = 1e-3;    // seconds of a run from which that share means something
constexpr int enough_good = 3;          // undisturbed runs that make a row quiet, if more were asked for

/// A row of the results while it is made.
template <class T>
struct Row {
  Session& session;
  Variant<T>& variant;
  CheckedProblem<T>& checked;
  Record record;
  Piece<T> piece = {};         // of the last run
  std::string explained = {};  // what is wrong with a wrong result, with --explain
  const Options& options = session.options;
  const World& world = session.world;
  const Traits& traits = variant.traits;
};

template <class T>
Record planned(const Session& session, const Variant<T>& variant, const Problem<T>& problem,
               const Settings& settings) {
  static const std::string cpu = processor(), name = host_name();
  Record r;
  r.step = session.step.program, r.variant = variant.traits.name, r.type = type_name<T>;
  r.shape = problem.shape, r.settings = settings, r.ranks = session.world.size();
  r.fill = fill_name(problem.fill), r.seed = problem.seed;
  r.device = variant.device().empty() ? cpu : variant.device();
  r.flags = session.step.flags, r.compiler = compiler, r.host = name, r.commit = commit;
  r.started = utc_now(), r.verify = "none", r.verdict = "unverified";
  return r;
}

std::string title(const Record& r) {
  return r.variant + " " + r.type + " " + shape_text(r.shape);
}
/// Key of Session::rates: rows that differ in their shape only.
std::string rate_key(const Record& r) {
  return fmt::format("{},{},{},{},{},{}", r.type, r.variant, r.settings.threads, r.settings.tile,
                     r.settings.grid.text(), r.settings.block.text());
}

/// True, with a warning, if the row cannot run here.
template <class T>
bool is_skipped(Row<T>& row) {
  const std::string why =
      row.world.first(skip_reason(row.variant, row.checked.problem, row.record.settings, row.world));
  if (why.empty()) return false;
  ++row.session.skipped;
  row.session.warn_once(row.record.variant + " skipped: " + why);
  return true;
}

/// Returns the slowest rank's time; a Refusal of all if one of them is out of memory.
template <class T>
Times allocate(Row<T>& row, const Problem<T>& problem) {
  Times taken;
  std::string error;
  try {
    taken = row.variant.allocate(problem, row.record.settings, row.world);
  } catch (const std::bad_alloc&) {
    error = no_memory;
  }
  if (error = row.world.first(error); !error.empty()) throw Refusal{error};
  return slowest(row.world, taken);
}

/// Calls `body`, which communicates, and returns what it threw; with several ranks that ends the program
/// instead. Refusals, also for want of memory, are thrown on.
template <class T>
std::string attempt(const Row<T>& row, const std::function<void()>& body) {
  try {
    body();
    return {};
  } catch (const Refusal&) {
    throw;  // of all ranks
  } catch (...) {
    const World& world = row.world;
    const std::string error = exception_text();
    if (world.size() > 1) world.abort(fmt::format("{}: rank {}: {}", row.record.step, world.rank(), error));
    if (error == no_memory) throw Refusal{error};
    return error;
  }
}

/// Whether other programs had processors that a run of `lasted` seconds needed, on any rank. Never on a GPU,
/// nor where threads outnumber processors: those of this process, and those of the host for all ranks.
template <class T>
bool was_disturbed(const Row<T>& row, double lasted, double used) {
  const int threads = row.record.settings.threads;
  const bool one_each =
      threads <= usable_cpus() && threads * row.record.ranks <= sysconf(_SC_NPROCESSORS_ONLN);
  const bool known = row.variant.device().empty() && one_each && lasted >= clock_tells;
  double missing = known ? 1 - used / (threads * lasted) : 0;
  row.world.max({&missing, 1});
  return missing > 1 - enough_served;
}

/// Distributes, multiplies and collects once; with --quiet also whether that was disturbed.
template <class T>
std::pair<Times, bool> run_once(Row<T>& row) {
  Times times = row.variant.distribute();
  row.variant.reset();
  const double before = processor_seconds();
  const Times product = row.variant.run();
  const double used = processor_seconds() - before;
  times += product;
  times += row.variant.fetch(row.piece);
  const bool disturbed = row.options.quiet && was_disturbed(row, product.product.value_or(0), used);
  return {slowest(row.world, times), disturbed};
}

/// Seconds of one run at least, by the rate of the variant's last row, else of a small product; 0 if that
/// throws.
template <class T>
double expected_seconds(Row<T>& row) {
  Session& session = row.session;
  const Shape& s = row.record.shape;
  if (const auto known = session.rates.find(rate_key(row.record)); known != session.rates.end())
    return s.flops() / known->second;
  session.progress(row.record.variant + ": a small product, to estimate the time");
  const auto side = static_cast<Index>(std::ceil(std::sqrt(session.world.size())));  // of a grid of all ranks
  const auto small = [side](Index size) { return std::min(size, probe_size * side); };
  Problem<T> problem = row.checked.problem;
  problem.forget(), problem.shape = {small(s.m), small(s.n), small(s.k)};
  double seconds = 0;
  attempt(row, [&] {
    allocate(row, problem);
    if (row.record.settings.threads > 1 || session.world.size() > 1 || !row.variant.device().empty())
      run_once(row);  // which also starts threads, loads kernels, finds other ranks
    seconds = run_once(row).first.product.value_or(0) * s.flops() / problem.shape.flops();
  });
  row.variant.release();
  return seconds;
}

/// True, with a warning, if one run would take over ten times the budget. The baseline is always measured.
template <class T>
bool takes_too_long(Row<T>& row) {
  Session& session = row.session;
  const double budget = row.options.budget;
  const bool needed = row.traits.baseline && !session.step.is_level;
  if (needed || row.record.shape.flops() < probe_beyond) return false;
  const double expected = expected_seconds(row);
  if (session.world.root(expected <= 10 * budget) != 0) return false;
  session.warn_once(fmt::format(
      "{} left out: one run takes about {}, over ten times the budget of {}; --budget {:.3g} may do",
      title(row.record), readable_seconds(expected), readable_seconds(budget), std::ceil(expected) / 10));
  return true;
}

/// Seconds that runs took, allocation apart.
double spent(const std::vector<Times>& runs) {
  double seconds = 0;
  for (const Times& run : runs)
    for (const auto& phase : {run.distribute, run.copy_in, run.product, run.copy_out, run.collect})
      seconds += phase.value_or(0);
  return seconds;
}

/// Warm-up, then runs until --repeat or the budget is spent; a warm-up longer than the budget is the only
/// run. With --quiet disturbed runs do not count, unless all are; they may add twice as many and as long.
template <class T>
void measure(Row<T>& row) {
  const Options& options = row.options;
  const World& world = row.world;
  std::vector<Times> good, all;
  const auto timed = [&](const char* kind, auto number, int of) {
    row.session.progress(fmt::format("{}: {} {} of {}", title(row.record), kind, number, of));
    const auto [times, disturbed] = run_once(row);
    all.push_back(times);
    if (!disturbed) good.push_back(times);
  };
  const auto within = [&options](const std::vector<Times>& runs, std::ptrdiff_t factor) {
    return std::ssize(runs) < factor * options.repeat &&
           spent(runs) < static_cast<double>(factor) * options.budget;
  };
  for (int w = 1; w <= options.warmup; ++w) {
    timed("warm-up", w, options.warmup);
    if (world.root(spent(all) >= options.budget) != 0) break;
    good = all = {};
  }
  while (world.root(within(good, 1) && within(all, 3)) != 0) timed("run", good.size() + 1, options.repeat);
  row.record.summarise(good.empty() ? all : good);
  const bool enough =
      std::ssize(good) >= std::min(enough_good, options.repeat) || spent(good) >= options.budget;
  if (options.quiet) row.record.quiet = enough ? "yes" : "no";
  if (const double flops = row.record.shape.flops(); flops >= probe_beyond / 20)
    row.session.rates[rate_key(row.record)] = flops / *row.record.best_s;
}

/// Fills in the prediction and the share of the peak, if the cost was counted and the machine measured.
template <class T>
void predict(Row<T>& row) {
  Record& r = row.record;
  const auto& roofs = row.session.roofs;
  const Traits& traits = row.traits;
  const std::string device = row.variant.device();
  if (!roofs || (!device.empty() && device != roofs->gpu())) return;
  const std::string& vector = traits.vector.empty() ? row.session.step.vector : traits.vector;
  if (traits.cost)
    r.prediction = roofs->predict(traits.cost(r.shape, r.settings), r.type, vector, r.settings.threads);
  const auto peak = roofs->peak(r.type, r.settings.threads * r.ranks, vector);
  if (peak && r.gflops) r.peak_share = *r.gflops / *peak;
}

/// Freivalds' check of one more run, on digits; the matrices of the row are given back first.
template <class T>
Check on_digits(Row<T>& row, bool& intact) {
  row.session.progress(row.record.variant + ": once more on digits, for Freivalds");
  row.variant.release(), row.checked.problem.forget();
  Problem<T> digits = row.checked.problem;
  digits.fill = Fill::digits;
  allocate(row, digits), run_once(row);
  intact &= row.variant.guards_intact() && digits.guards_intact();
  const Check check = freivalds(digits, row.piece, row.world);
  row.variant.release();
  return check;
}

/// Verifies the last run's C, all guard bands and, where not every element is compared, Freivalds' sums.
template <class T>
void verify(Row<T>& row) {
  const World& world = row.world;
  const Problem<T>& problem = row.checked.problem;
  const bool whole = verifies_whole(row.options, problem.shape);
  const bool with_freivalds = !whole && problem.shape.k <= exact_k<T>();
  row.record.verify = whole ? "full" : with_freivalds ? "samples+freivalds" : "samples";
  row.session.progress(row.record.variant + ": verifying");
  if (!row.checked.verifier) row.checked.verifier.emplace(problem, whole);
  Check check = row.checked.verifier->check(row.piece, world);
  bool intact = row.variant.guards_intact() && problem.guards_intact();
  std::string error = row.variant.run_error();  // before another run, on digits, clears it
  if (with_freivalds) {
    const Check second = problem.exact() ? freivalds(problem, row.piece, world) : on_digits(row, intact);
    if (check.right) check.message = second.message;
    check.right &= second.right;
    check.error_share = std::max(check.error_share, second.error_share);
    check.differences = std::max(check.differences, second.differences);
  }
  if (!intact) error = "wrote outside its matrix";
  if (!error.empty() && world.size() > 1) error = fmt::format("rank {} {}", world.rank(), error);
  if (error = world.first(error); !error.empty()) check.right = false, check.message = error;
  if (!check.right && row.options.explain)
    for (const std::string& line : diagnose(problem, row.piece)) row.explained += "  " + line + "\n";
  row.explained = world.first(row.explained);
  row.record.check = check, row.record.verdict = check.right ? "right" : "wrong";
}

/// Counts, prints and writes the row. `thrown`: what its variant threw, else empty.
template <class T>
void report(Row<T>& row, const std::string& thrown) {
  Session& session = row.session;
  Record& r = row.record;
  if (!thrown.empty()) {
    r.check = {.error_share = HUGE_VAL, .relative_error = HUGE_VAL, .message = thrown};
    r.verify = "none", r.verdict = "wrong";
  }
  const bool wrong = r.verdict == "wrong", expected = row.options.expect_wrong, threw = !thrown.empty();
  const std::string again = r.command_line(row.traits, row.options.pad, row.options.emulate);
  const bool counts_as_wrong = wrong && !(expected && threw);  // --expect-wrong: a throw is no wrong result
  ++session.measured, session.disturbed += r.quiet == "no" && !wrong;
  ++(counts_as_wrong ? session.wrong : session.not_wrong);
  session.progress("");
  if (session.is_root()) {
    if (session.measured == 1) print_header(r);
    print_row(r);
    if (wrong && expected) fmt::print("  {}\n", r.check->message);
  }
  if (wrong && (!expected || threw)) session.warn_once("wrong: " + r.check->message + "; again by: " + again);
  if (session.is_root()) fmt::print(stderr, "{}", row.explained);
  if (!wrong && expected) session.warn_once("expected wrong, found " + r.verdict + ": " + again);
  on_root(session.world, [&] { session.table.append(r.row()); });
}

}  // namespace

template <class T>
void run_row(Session& session, Variant<T>& variant, CheckedProblem<T>& checked, const Settings& settings) {
  Row<T> row{session, variant, checked, planned(session, variant, checked.problem, settings)};
  if (is_skipped(row) || takes_too_long(row)) return;
  const std::string thrown = attempt(row, [&row] {
    row.record.times = allocate(row, row.checked.problem);
    measure(row), predict(row);
    if (row.options.verify != Verify::none) verify(row);
  });
  report(row, thrown);
  variant.release();
}

template void run_row(Session&, Variant<bf16>&, CheckedProblem<bf16>&, const Settings&);
template void run_row(Session&, Variant<tf32>&, CheckedProblem<tf32>&, const Settings&);
template void run_row(Session&, Variant<float>&, CheckedProblem<float>&, const Settings&);
template void run_row(Session&, Variant<double>&, CheckedProblem<double>&, const Settings&);
template void run_row(Session&, Variant<std::int32_t>&, CheckedProblem<std::int32_t>&, const Settings&);

}  // namespace course
