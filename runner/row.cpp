// A row's way: plan, estimate, measure, verify, report. All ranks call the same functions in the same order.
// Rank 0 decides, verifies and speaks; phases are those of the slowest rank.
#include <sys/resource.h>

#include <cmath>
#include <list>

#include "common/stopwatch.hpp"
#include "runner/machine.hpp"
#include "runner/session.hpp"

namespace course {
namespace {

constexpr Index tells = 192;           // the shortest side of a product by whose rate others are estimated
constexpr double sample_s = 2e-3;      // seconds of a row's sample in a turn at least, by so many products
constexpr double unsettled_s = 5e-2;   // a product that takes longer does not notice where its matrices were
constexpr std::size_t tell_ratio = 3;  // turns: fewer make no ratio

/// A row of the results while it is made.
template <class T>
struct Row {
  Row(Session& of, CheckedProblem<T>& problem, Series<T>& rows, bool alternates)
      : session(of), checked(problem), series(rows), own(alternates ? rows.variant.another() : nullptr) {}
  ~Row() { release(); }
  Row(const Row&) = delete;

  Session& session;
  CheckedProblem<T>& checked;
  Series<T>& series;
  const std::shared_ptr<Variant<T>> own;  // in turns: for each row its own matrices
  Record record = {};
  std::string thrown = {};  // by its variant
  bool left_out = false, is_done = false, has_memory = false;
  int products = 1;            // of a sample
  bool settles = false;        // a sample begins with an untimed product
  std::vector<Times> samples;  // of each turn, the mean of its products
  Problem<T> digits = {};      // for check_on_digits
  const int number = ++session.row;
  Variant<T>& variant = own ? *own : series.variant;
  const Options& options = session.options;
  const World& world = session.world;
  const VariantInfo& info = variant.info;

  Times allocate(const Problem<T>& problem) {
    has_memory = true;
    return variant.allocate(problem, record.settings);
  }
  void release() {
    if (std::exchange(has_memory, false)) variant.release();
  }
  std::string title() const { return record.variant + " " + record.type + " " + shape_text(record.shape); }
  template <class Number>
  void progress(const char* kind, Number which, int of) {
    session.progress(fmt::format("{}: {} {} of {}", title(), kind, which, of), number);
  }
};

template <class T>
Record planned(const Session& session, const Problem<T>& problem, const Series<T>& series,
               const std::string& started) {
  static const Device cpu = processor();
  static const std::string name = host_name();
  Record r;
  r.step = session.step.program, r.variant = series.variant.info.name, r.type = type_name<T>;
  r.shape = problem.shape, r.settings = series.settings, r.ranks = session.world.size();
  r.fill = problem.fill == Fill::digits ? "digits" : "uniform", r.seed = problem.seed;
  r.device = series.variant.device().is_processor() ? cpu : series.variant.device();
  r.flags = session.step.flags, r.compiler = compiler, r.host = name, r.commit = commit;
  r.started = started, r.against = series.variant.info.against, r.verify = "none", r.verdict = "unverified";
  return r;
}

/// True, with a warning, if the row cannot run here.
template <class T>
bool is_refused(Row<T>& row) {
  const std::string why = refusal_of(row.variant, row.checked.problem, row.record.settings);
  if (row.world.broadcast(why.empty()) != 0) return false;
  ++row.session.skipped;
  row.session.warn_once(row.record.variant + " skipped: " + why);
  return true;
}

/// What the system counts of this process.
Times usage() {
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  return {.page_faults = double(used.ru_minflt + used.ru_majflt),
          .context_switches = double(used.ru_nvcsw + used.ru_nivcsw)};
}

/// Distributes, multiplies and collects once.
template <class T>
Times run_once(Row<T>& row) {
  Times times = row.variant.distribute();
  row.variant.reset();
  times += row.variant.run();
  times += row.variant.fetch();
  return slowest(row.world, times);
}

/// True, with a warning, if one run would take over ten times the budget at the rate of the size before. The
/// baseline is always measured.
template <class T>
bool takes_too_long(Row<T>& row) {
  Session& session = row.session;
  const double budget = row.options.budget;
  const double rate = row.series.rate, expected = rate > 0 ? row.record.shape.flops() / rate : 0;
  if (expected <= 10 * budget || (row.info.baseline && !session.step.is_level)) return false;
  session.warn_once(fmt::format(  // twice as much as it seems to need: the next estimate is another
      "{} left out: one run takes about {}, over ten times the budget of {}; --budget {:.3g} will do",
      row.title(), readable_seconds(expected), readable_seconds(budget), expected / 5));
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

/// Runs it untimed. A run longer than the budget, in turns than twice that, is the only one. What may
/// alternate with others settles before each sample; on a GPU a product is timed alone, for its copies take
/// longer.
template <class T>
void warm_up(Row<T>& row) {
  const Options& options = row.options;
  const bool alternates = options.in_turns && row.series.variant.another();
  for (int w = 1; w <= options.warmup; ++w) {
    row.progress("warm-up", w, options.warmup);
    const Times times = run_once(row);
    row.is_done = row.world.broadcast(spent({times}) < (options.in_turns ? 2 : 1) * options.budget) == 0;
    if (row.is_done) return row.samples.push_back(times);
    row.settles = alternates && row.world.broadcast(times.product.value_or(0) < unsettled_s) != 0;
  }
}

/// Takes memory, and warms up.
template <class T>
void begin(Row<T>& row) {
  if (row.left_out = is_refused(row) || takes_too_long(row); row.left_out) return;
  Times counted = usage();
  counted /= -1;
  counted += row.allocate(row.checked.problem);
  warm_up(row);
  counted += usage();
  row.record.times = slowest(row.world, counted);
}

/// Whether it has another turn: until --repeat or the budget is spent, in turns not before they make a ratio.
template <class T>
bool has_turn(const Row<T>& row) {
  const auto turns = std::ssize(row.samples);
  const bool more =
      spent(row.samples) < row.options.budget || (row.options.in_turns && row.samples.size() < tell_ratio);
  return row.world.broadcast(row.thrown.empty() && !row.is_done && turns < row.options.repeat && more) != 0;
}

/// Adds a run; in turns the mean of some, after one that brings its matrices into the caches again and tells
/// how many take 2 ms, as far as all that is round them does not take ten times that.
template <class T>
void take_turn(Row<T>& row) {
  row.progress("run", row.samples.size() + 1, row.options.repeat);
  if (row.settles) {
    const Stopwatch watch;
    const double product = run_once(row).product.value_or(0), all = watch.seconds();
    const double wanted = std::ceil(sample_s / std::max({product, all / 10, 1e-7}));
    row.products = static_cast<int>(row.world.broadcast(std::max(row.products, static_cast<int>(wanted))));
  }
  Times mean;
  for (int product = 0; product < row.products; ++product) mean += run_once(row);
  row.samples.push_back(mean /= row.products);
}

/// Fills in the prediction and the share of the peak, if the cost was counted and the machine measured.
template <class T>
void predict(Row<T>& row) {
  Record& r = row.record;
  const auto& roofs = row.session.roofs;
  const VariantInfo& info = row.info;
  if (!roofs || (!r.device.is_processor() && r.device.name != roofs->gpu())) return;
  const std::string& vector = info.vector.empty() ? row.session.step.vector : info.vector;
  if (info.cost)
    r.prediction = roofs->predict(info.cost(r.shape, r.settings), r.type, vector, r.settings.threads);
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
  const bool intact = row.variant.guards_intact();
  double behind = intact ? 0 : world.size() - world.rank();  // the most: of the first such rank
  world.max({&behind, 1});
  if (behind == 0) return row.variant.run_error();
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
  row.session.progress(row.record.variant + ": verifying", row.number);
  Check check{.right = true};
  if (compared) {
    if (!row.checked.verifier)
      row.checked.verifier.emplace(problem, verifies_whole(row.options, problem.shape));
    check = row.checked.verifier->check(c);
  }
  if (by_freivalds) add(check, freivalds(problem, c));
  if (!error.empty()) check.right = false, check.message = std::move(error);
  return check;
}

/// Whether C beyond 2048 is verified by Freivalds' check, too, as far as that is exact.
template <class T>
bool is_checked_more(const Row<T>& row) {
  const Shape& shape = row.checked.problem.shape;
  return row.options.verify != "none" && !verifies_whole(row.options, shape) && shape.k <= exact_k<T>();
}

/// Sums up its turns, and verifies the last one's C: all of it or, beyond 2048, samples.
template <class T>
void conclude(Row<T>& row) {
  Record& r = row.record;
  r.summarise(row.samples);
  if (row.options.in_turns)
    for (const Times& sample : row.samples)
      r.turns += fmt::format("{}{:.6g}", r.turns.empty() ? "" : " ", sample.product.value_or(0));
  if (std::min({r.shape.m, r.shape.n, r.shape.k}) >= tells && r.best_s)
    row.series.rate = r.shape.flops() / *r.best_s;
  predict(row);
  if (row.options.verify != "none") {
    const Problem<T>& problem = row.checked.problem;
    const bool more = is_checked_more(row);
    r.check = verified(row, problem, true, more && problem.exact());
    r.verify = verifies_whole(row.options, problem.shape) ? "full" : more ? "samples+freivalds" : "samples";
  }
  row.release();
}

/// Runs the product once more, on digits, for which Freivalds' check is exact.
template <class T>
void check_on_digits(Row<T>& row) {
  if (!is_checked_more(row) || row.checked.problem.exact()) return;
  row.digits = row.checked.problem, row.digits.fill = Fill::digits;
  row.allocate(row.digits);
  run_once(row);
  add(*row.record.check, verified(row, row.digits, false, true));
  row.release();
}

/// Counts, prints and writes the row.
template <class T>
void report(Row<T>& row) {
  Session& session = row.session;
  Record& r = row.record;
  const std::string& thrown = row.thrown;
  if (!thrown.empty()) {
    r.check = {.error_share = HUGE_VAL, .relative_error = HUGE_VAL, .message = thrown};
    r.verify = "none";
  }
  if (r.check) r.verdict = r.check->right ? "right" : "wrong";
  const bool wrong = r.verdict == "wrong", expected = row.options.expect_wrong, threw = !thrown.empty();
  const std::string again =
      r.command_line(row.info, row.options.pad, row.options.emulate) + session.step.options;
  const bool counts_as_wrong = wrong && !(expected && threw);  // --expect-wrong: a throw is no wrong result
  ++session.measured;
  if (counts_as_wrong != expected) session.refused.status = 1;
  if (!row.world.is_root()) return;
  session.progress("");
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
void run_rows(Session& session, CheckedProblem<T>& checked, const std::vector<Series<T>*>& in_turns) {
  const std::string started = utc_now();
  std::list<Row<T>> rows;
  const auto attempt = [](Row<T>& row, void (*part)(Row<T>&)) {
    if (row.thrown.empty()) try {
        part(row);
      } catch (const Refusal&) {
        throw;
      } catch (...) {
        if (row.world.size() > 1) throw;  // others may wait for this rank: run ends them all
        if (row.thrown = exception_text(); row.thrown == no_memory) throw Refusal{row.thrown};
      }
  };
  for (Series<T>* const series : in_turns) {
    Row<T>& row = rows.emplace_back(session, checked, *series, in_turns.size() > 1);
    row.record = planned(session, checked.problem, *series, started);
    if (attempt(row, begin<T>); row.left_out) rows.pop_back();
  }
  for (bool more = true; more; rows.reverse()) {  // the first is the last of the next turn
    more = false;
    for (Row<T>& row : rows)
      if (has_turn(row)) attempt(row, take_turn<T>), more = true;
  }
  rows.sort([](const Row<T>& a, const Row<T>& b) { return a.number < b.number; });
  for (Row<T>& row : rows) attempt(row, conclude<T>);
  for (Row<T>& row : rows) attempt(row, check_on_digits<T>);
  for (Row<T>& row : rows) report(row);
}

template void run_rows(Session&, CheckedProblem<bf16>&, const std::vector<Series<bf16>*>&);
template void run_rows(Session&, CheckedProblem<tf32>&, const std::vector<Series<tf32>*>&);
template void run_rows(Session&, CheckedProblem<float>&, const std::vector<Series<float>*>&);
template void run_rows(Session&, CheckedProblem<double>&, const std::vector<Series<double>*>&);
template void run_rows(Session&, CheckedProblem<std::int32_t>&, const std::vector<Series<std::int32_t>*>&);

}  // namespace course
