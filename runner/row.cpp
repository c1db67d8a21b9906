// A row's way: plan, estimate, measure, verify, report. All ranks call the same functions in the same order.
// Rank 0 decides, verifies and speaks; phases are those of the slowest rank.
#include <unistd.h>

#include <cmath>

#include "runner/machine.hpp"
#include "runner/session.hpp"

namespace course {
namespace {

constexpr Index tells = 192;            // the shortest side of a product by whose rate others are estimated
constexpr double enough_served = 0.97;  // processor time / (threads × time) of a run that was not disturbed
constexpr double clock_tells = 1e-3;    // seconds of a run from which that share means something
constexpr int enough_good = 3;          // undisturbed runs that make a row quiet, if more were asked for

/// A row of the results while it is made.
template <class T>
struct Row {
  Session& session;
  CheckedProblem<T>& checked;
  Series<T>& series;
  Record record;
  std::string seen = {};  // what is wrong whatever C holds: Tutor::ends
  Tutor<T>* const tutor = session.options.explain.empty() ? nullptr : Tutor<T>::present;
  Variant<T>& variant = series.variant;
  const Options& options = session.options;
  const World& world = session.world;
  const Traits& traits = variant.traits;
};

template <class T>
Record planned(const Session& session, const Problem<T>& problem, const Series<T>& series) {
  static const Device cpu = processor();
  static const std::string name = host_name();
  Record r;
  r.step = session.step.program, r.variant = series.variant.traits.name, r.type = type_name<T>;
  r.shape = problem.shape, r.settings = series.settings, r.ranks = session.world.size();
  r.fill = problem.fill == Fill::digits ? "digits" : "uniform", r.seed = problem.seed;
  r.device = series.variant.device().is_processor() ? cpu : series.variant.device();
  r.flags = session.step.flags, r.compiler = compiler, r.host = name, r.commit = commit;
  r.started = utc_now(), r.against = series.variant.traits.against, r.verify = "none",
  r.verdict = "unverified";
  return r;
}

std::string title(const Record& r) {
  return r.variant + " " + r.type + " " + shape_text(r.shape);
}

/// True, with a warning, if the row cannot run here.
template <class T>
bool is_refused(Row<T>& row) {
  const std::string why = refusal_of(row.variant, row.checked.problem, row.record.settings);
  if (row.world.root(why.empty()) != 0) return false;
  ++row.session.skipped;
  row.session.warn_once(row.record.variant + " skipped: " + why);
  return true;
}

/// A variant's memory for `problem`, given back with it, or if it cannot be taken.
template <class T>
struct Memory {
  Memory(Row<T>& row, const Problem<T>& problem)
      : release{row.variant}, taken(slowest(row.world, row.variant.allocate(problem, row.record.settings))) {}
  struct Release {
    Variant<T>& variant;
    ~Release() { variant.release(); }
  } release;
  Times taken;  // the slowest rank's time to take it
};

/// Whether other programs had processors that a run of `lasted` seconds needed, on any rank. Never on a GPU,
/// nor where threads outnumber processors: those of this process, and those of the host for all ranks.
template <class T>
bool was_disturbed(const Row<T>& row, double lasted, double used) {
  const int threads = row.record.settings.threads;
  const bool one_each =
      threads <= usable_cpus() && threads * row.record.ranks <= sysconf(_SC_NPROCESSORS_ONLN);
  const bool known = row.record.device.is_processor() && one_each && lasted >= clock_tells;
  double missing = known ? 1 - used / (threads * lasted) : 0;
  row.world.max({&missing, 1});
  return missing > 1 - enough_served;
}

/// Distributes, multiplies and collects once; with --quiet also whether that was disturbed.
template <class T>
std::pair<Times, bool> run_once(Row<T>& row) {
  Times times = row.variant.distribute();
  row.variant.reset();
  const double before = process_seconds();
  const Times product = row.variant.run();
  const double used = process_seconds() - before;
  times += product;
  times += row.variant.fetch();
  const bool disturbed =
      row.options.quiet && !product.against && was_disturbed(row, product.product.value_or(0), used);
  return {slowest(row.world, times), disturbed};
}

/// True, with a warning, if one run would take over ten times the budget at the rate of the size before. The
/// baseline is always measured.
template <class T>
bool takes_too_long(Row<T>& row) {
  Session& session = row.session;
  const double budget = row.options.budget;
  const double rate = row.series.rate, expected = rate > 0 ? row.record.shape.flops() / rate : 0;
  if (expected <= 10 * budget || (row.traits.baseline && !session.step.is_level)) return false;
  session.warn_once(fmt::format(  // twice as much as it seems to need: the next estimate is another
      "{} left out: one run takes about {}, over ten times the budget of {}; --budget {:.3g} will do",
      title(row.record), readable_seconds(expected), readable_seconds(budget), expected / 5));
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
  const auto progress = [&row](const char* kind, auto number, int of) {
    row.session.progress(fmt::format("{}: {} {} of {}", title(row.record), kind, number, of));
  };
  const auto within = [&options](const std::vector<Times>& runs, std::ptrdiff_t factor) {
    return std::ssize(runs) < factor * options.repeat &&
           spent(runs) < static_cast<double>(factor) * options.budget;
  };
  for (int w = 1; w <= options.warmup; ++w) {
    progress("warm-up", w, options.warmup);
    const auto [times, disturbed] = run_once(row);
    if (world.root(spent({times}) < options.budget) != 0) continue;
    all = {times};  // the only run
    if (!disturbed) good = all;
    break;
  }
  while (world.root(within(good, 1) && within(all, 3)) != 0) {
    progress("run", good.size() + 1, options.repeat);
    const auto [times, disturbed] = run_once(row);
    all.push_back(times);
    if (!disturbed) good.push_back(times);
  }
  row.record.summarise(good.empty() ? all : good);
  const bool enough =
      std::ssize(good) >= std::min(enough_good, options.repeat) || spent(good) >= options.budget;
  if (options.quiet && !row.record.times.against) row.record.quiet = enough ? "yes" : "no";
  if (const Shape& s = row.record.shape; std::min({s.m, s.n, s.k}) >= tells && row.record.best_s)
    row.series.rate = s.flops() / *row.record.best_s;
}

/// Fills in the prediction and the share of the peak, if the cost was counted and the machine measured.
template <class T>
void predict(Row<T>& row) {
  Record& r = row.record;
  const auto& roofs = row.session.roofs;
  const Traits& traits = row.traits;
  if (!roofs || (!r.device.is_processor() && r.device.name != roofs->gpu())) return;
  const std::string& vector = traits.vector.empty() ? row.session.step.vector : traits.vector;
  if (traits.cost)
    r.prediction = roofs->predict(traits.cost(r.shape, r.settings), r.type, vector, r.settings.threads);
  const auto peak = roofs->peak(r.type, r.settings.threads * r.ranks, vector);
  if (peak && r.gflops) r.peak_share = *r.gflops / *peak;
}

/// Joins two checks of the same product: what either finds is wrong.
void add(Check& check, const Check& second) {
  if (check.right) check.message = second.message;
  check.right &= second.right;
  check.error_share = std::max(check.error_share, second.error_share);
  check.differences = std::max(check.differences, second.differences);
}

/// Why the last run is wrong whatever C holds: what a rank wrote outside its matrices, what the variant
/// itself found; else empty.
template <class T>
std::string fault(Row<T>& row) {
  const World& world = row.world;
  if (row.tutor != nullptr) row.tutor->ran(row.variant);
  const bool intact = row.variant.guards_intact();
  double behind = intact ? 0 : world.size() - world.rank();  // the most: of the first such rank
  world.max({&behind, 1});
  const std::string error = behind > 0 ? "" : row.variant.run_error();
  row.seen = behind > 0 ? "outside" : error.empty() ? "" : "error";
  if (behind == 0) return error;
  const std::string rank =
      world.size() > 1 ? fmt::format("rank {} ", world.size() - static_cast<int>(behind)) : "";
  return rank + "wrote outside its matrix";
}

/// Verifies the last run; rank 0 alone sees C, and compares it, or makes Freivalds' check, or both.
template <class T>
Check verified(Row<T>& row, const Problem<T>& problem, bool compared, bool by_freivalds) {
  std::string error = fault(row);
  const View<const Result<T>> c = row.variant.result();  // all ranks give what they have
  if (!row.world.is_root()) return {};
  row.session.progress(row.record.variant + ": verifying");
  Check check{.right = true};
  if (compared) {
    if (!row.checked.verifier)
      row.checked.verifier.emplace(problem, verifies_whole(row.options, problem.shape));
    check = row.checked.verifier->check(c);
  }
  if (by_freivalds) add(check, freivalds(problem, c));
  if (!error.empty()) check.right = false, check.message = std::move(error);
  if (!check.right && compared && row.tutor != nullptr) row.tutor->wrong(problem, c, row.record);
  return check;
}

/// Measures and verifies: all of C or, beyond 2048, samples and, as far as it is exact, Freivalds' check, for
/// which the product is run once more, on digits.
template <class T>
void measure_and_verify(Row<T>& row) {
  const Problem<T>& problem = row.checked.problem;
  const bool asked = row.options.verify != "none", whole = verifies_whole(row.options, problem.shape);
  const bool more = asked && !whole && problem.shape.k <= exact_k<T>();
  Record& r = row.record;
  {
    const Memory<T> memory(row, problem);
    if (row.tutor != nullptr && row.world.is_root()) row.tutor->begins(row.session, row.variant, r);
    measure(row), predict(row);
    if (asked) r.check = verified(row, problem, true, more && problem.exact());
    r.times.alloc = memory.taken.alloc;
  }
  if (!asked) return;
  r.verify = whole ? "full" : more ? "samples+freivalds" : "samples";
  if (more && !problem.exact()) {
    Problem<T> digits = problem;
    digits.fill = Fill::digits;
    const Memory<T> memory(row, digits);
    run_once(row);
    add(*r.check, verified(row, digits, false, true));
  }
  r.verdict = r.check->right ? "right" : "wrong";
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
  const std::string again =
      r.command_line(row.traits, row.options.pad, row.options.emulate) + session.step.options;
  const bool counts_as_wrong = wrong && !(expected && threw);  // --expect-wrong: a throw is no wrong result
  ++session.measured, session.disturbed += r.quiet == "no" && !wrong;
  if (counts_as_wrong != expected) session.refused.status = 1;
  if (!row.world.is_root()) return;
  session.progress("");
  if (row.tutor != nullptr) return row.tutor->ends(session, row.variant, r, threw ? "threw" : row.seen);
  if (session.measured == 1) print_header(r);
  print_row(r);
  if (wrong && expected) say(stdout, "  {}\n", r.check->message);
  if (wrong && (!expected || threw)) session.warn_once("wrong: " + r.check->message + "; again by: " + again);
  if (!wrong && expected) session.warn_once("expected wrong, found " + r.verdict + ": " + again);
  session.table.append(r.row());
}

}  // namespace

Times slowest(const World& world, Times times) {
  if (world.size() == 1) return times;
  constexpr auto fields = Times::fields();
  std::array<double, fields.size()> most;
  for (std::size_t f = 0; f < fields.size(); ++f) most[f] = (times.*fields[f]).value_or(-1);
  const double sum = world.sum(times.product.value_or(0));
  world.max(most);
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (most[f] >= 0) times.*fields[f] = most[f];
  if (sum > 0) times.imbalance = *times.product * world.size() / sum;
  return times;
}

template <class T>
void run_row(Session& session, CheckedProblem<T>& checked, Series<T>& series) {
  Row<T> row{session, checked, series, planned(session, checked.problem, series)};
  std::string thrown;
  try {
    if (is_refused(row) || takes_too_long(row)) return;
    measure_and_verify(row);
  } catch (const Refusal&) {
    throw;
  } catch (...) {
    if (row.world.size() > 1) throw;  // others may wait for this rank: run ends them all
    if (thrown = exception_text(); thrown == no_memory) throw Refusal{thrown};
  }
  report(row, thrown);
}

template void run_row(Session&, CheckedProblem<bf16>&, Series<bf16>&);
template void run_row(Session&, CheckedProblem<tf32>&, Series<tf32>&);
template void run_row(Session&, CheckedProblem<float>&, Series<float>&);
template void run_row(Session&, CheckedProblem<double>&, Series<double>&);
template void run_row(Session&, CheckedProblem<std::int32_t>&, Series<std::int32_t>&);

}  // namespace course
