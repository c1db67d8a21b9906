// A row's way: plan, estimate, measure, verify, report. All ranks walk it together, and what one of them
// knows (the root of the CSV, each of its own errors) they share before they go on.
#include <unistd.h>

#include <cmath>

#include "common/diagnose.hpp"
#include "runner/machine.hpp"
#include "runner/session.hpp"

namespace course {
namespace {

constexpr Index probe_size = 192;       // a rank's product, small enough to estimate a large one from
constexpr double probe_beyond = 0.3e9;  // operations from which a first run is estimated before it is begun
constexpr double enough_served = 0.97;  // of its threads' time, for processors: a run with less was disturbed
constexpr double clock_tells = 1e-3;    // seconds from which a run's share of them means something
constexpr int enough_good = 3;          // undisturbed runs that make a row quiet, if more were asked for

/// A row on its way.
template <class T>
struct Row {
  Session& session;
  Variant<T>& variant;
  Work<T>& work;
  Record record;
  Piece<T> piece = {};         // of the last run
  double disturbed_s = 0;      // the median of the CSV's row, if that was disturbed
  std::string explained = {};  // what is wrong with a wrong result, with --explain
  const Options& options = session.options;
  const World& world = session.world;
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
/// Rows of one rate, about: alike in all but their shape.
std::string rate_key(const Record& r) {
  return fmt::format("{},{},{},{},{},{}", r.type, r.variant, r.settings.threads, r.settings.tile,
                     r.settings.grid.text(), r.settings.block.text());
}

/// The command line that runs the row again.
template <class T>
std::string again(const Row<T>& row) {
  const std::string& order = row.options.emulate;
  return row.record.again(row.variant.traits, row.options.pad) + (order.empty() ? "" : " --emulate " + order);
}

/// True if the CSV has the row: verified if it is to be, and repeated as often as asked or as its budget
/// allowed; with --quiet undisturbed, too. A wrong one counts as wrong once more.
template <class T>
bool is_done(Row<T>& row) {
  Session& session = row.session;
  const Options& options = row.options;
  enum : std::uint64_t { no, yes, wrong } answer = no;
  const Table& table = session.table;
  if (const Table::Row* known = table.find(row.record.row()); known != nullptr) {
    const std::string &verdict = table.cell(*known, "verdict"), &quiet = table.cell(*known, "quiet");
    const double repeat = table.number(*known, "repeat"), spent = repeat * table.number(*known, "mean_s");
    const int enough = quiet == "yes" ? std::min(enough_good, options.repeat) : options.repeat;
    if ((verdict != "unverified" || options.verify == Verify::none) &&
        (repeat >= enough || spent >= options.budget)) {
      answer = verdict == "wrong" ? wrong : !options.quiet || quiet == "yes" ? yes : no;
      if (answer == no && quiet == "no") row.disturbed_s = table.number(*known, "median_s");
    }
  }
  const std::uint64_t known = session.world.root(answer);
  session.resumed += known != no, session.wrong += known == wrong;
  if (known == wrong) session.say_once(options.csv + " has this row as wrong: " + again(row));
  return known != no;
}

/// True, and said, if the row cannot run here.
template <class T>
bool is_skipped(Row<T>& row) {
  std::string why = why_not(row.variant, row.work.problem, row.record.settings, row.world);
  if (why = row.world.first(why); why.empty()) return false;
  ++row.session.skipped;
  row.session.say_once(row.record.variant + " skipped: " + why);
  return true;
}

/// Takes the variant's memory, on every rank or on none. Why not, if one of them throws, the same to all; out
/// of memory is a Refusal of all.
template <class T>
std::string allocate(Row<T>& row, const Problem<T>& problem, Times& taken) {
  std::string why;
  try {
    taken = row.variant.allocate(problem, row.record.settings, row.world);
  } catch (...) {
    why = caught();
  }
  if (why = row.world.first(why); why == no_memory) throw Refusal{why};
  taken = slowest(row.world, taken);
  return why;
}

/// Whether a run that lasted so long had to leave processors to others, on any rank. Not on a GPU; nor have
/// more threads than processors one each. A rank bound to a core sees that one only: all share the host's.
template <class T>
bool was_disturbed(const Row<T>& row, double lasted, double used) {
  const int threads = row.record.settings.threads;
  const bool one_each =
      threads <= usable_cpus() && threads * row.record.ranks <= sysconf(_SC_NPROCESSORS_ONLN);
  const bool told = row.variant.device().empty() && one_each && lasted >= clock_tells;
  double missing = told ? 1 - used / (threads * lasted) : 0;
  row.world.max({&missing, 1});
  return missing > 1 - enough_served;
}

/// One distribution, product and collection; and, with --quiet, whether it was disturbed.
template <class T>
std::pair<Times, bool> once(Row<T>& row) {
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

/// Seconds one run will take, from the rate of the last row of the same variant, else of a small product; too
/// low rather than too high, since larger sizes are seldom faster. 0 if it throws: the row will say so.
template <class T>
double expected_seconds(Row<T>& row) {
  Session& session = row.session;
  const Shape& s = row.record.shape;
  if (const auto known = session.rates.find(rate_key(row.record)); known != session.rates.end())
    return s.flops() / known->second;
  session.progress(row.record.variant + ": a small product, to estimate the time");
  const auto side = static_cast<Index>(std::ceil(std::sqrt(session.world.size())));  // of a grid of all ranks
  const auto small = [side](Index size) { return std::min(size, probe_size * side); };
  Problem<T> problem = row.work.problem;
  problem.forget(), problem.shape = {small(s.m), small(s.n), small(s.k)};
  double seconds = 0;
  Times ignored;
  if (allocate(row, problem, ignored).empty())
    session.attempt([&] {
      if (row.record.settings.threads > 1 || session.world.size() > 1 || !row.variant.device().empty())
        once(row);  // which also starts threads, loads kernels, finds other ranks
      seconds = once(row).first.product.value_or(0) * s.flops() / problem.shape.flops();
    });
  row.variant.release();
  return seconds;
}

/// True, and said, if one run would take over ten times the budget. The baseline is always measured.
template <class T>
bool takes_too_long(Row<T>& row) {
  Session& session = row.session;
  const double budget = row.options.budget;
  const bool needed = row.variant.traits.baseline && !session.step.is_level;
  if (needed || row.record.shape.flops() < probe_beyond) return false;
  const double expected = expected_seconds(row);
  if (session.world.root(expected <= 10 * budget) != 0) return false;
  session.say_once(fmt::format(
      "{} left out: one run takes about {}, over ten times the budget of {}; --budget {:.3g} may do",
      title(row.record), readable_seconds(expected), readable_seconds(budget), std::ceil(expected) / 10));
  return true;
}

/// Runs of one row, and the seconds that they took.
struct Runs {
  void add(const Times& run) {
    times.push_back(run);
    for (const auto part :
         {&Times::distribute, &Times::copy_in, &Times::product, &Times::copy_out, &Times::collect})
      spent += (run.*part).value_or(0);
  }
  std::vector<Times> times = {};
  double spent = 0;
};

/// Warm-up, then timed runs until --repeat or the budget is spent, at least one. A warm-up longer than the
/// budget is kept as the only run: what it pays for cold caches is lost in it. With --quiet a disturbed run
/// does not count, unless all are: as long as the runs together are at most thrice as many and as long.
template <class T>
void measure(Row<T>& row) {
  const Options& options = row.options;
  const World& world = row.world;
  Runs good, all;
  const auto timed = [&](const char* kind, std::size_t number, int of) {
    row.session.progress(fmt::format("{}: {} {} of {}", title(row.record), kind, number, of));
    const auto [times, disturbed] = once(row);
    all.add(times);
    if (!disturbed) good.add(times);
  };
  const auto within = [&options](const Runs& runs, int times) {
    return std::ssize(runs.times) < times * std::ptrdiff_t{options.repeat} &&
           runs.spent < times * options.budget;
  };
  for (int w = 1; w <= options.warmup; ++w) {
    timed("warm-up", static_cast<std::size_t>(w), options.warmup);
    if (world.root(all.spent >= options.budget) != 0) break;
    good = all = {};
  }
  while (world.root(within(good, 1) && within(all, 3)) != 0)
    timed("run", good.times.size() + 1, options.repeat);
  row.record.summarise(good.times.empty() ? all.times : good.times);
  const bool enough = std::ssize(good.times) >= std::min(enough_good, options.repeat) ||
                      good.spent >= options.budget;  // or as many as it allows
  if (options.quiet) row.record.quiet = enough ? "yes" : "no";
  if (const double flops = row.record.shape.flops(); flops >= probe_beyond / 20)
    row.session.rates[rate_key(row.record)] = flops / *row.record.best_s;
}

/// Says what the row should take, if its cost was counted and the machine measured.
template <class T>
void predict(Row<T>& row) {
  Record& r = row.record;
  const auto& roofs = row.session.roofs;
  const Traits& traits = row.variant.traits;
  const std::string device = row.variant.device();
  if (!roofs || (!device.empty() && device != roofs->gpu())) return;
  const std::string& vector = traits.vector.empty() ? row.session.step.vector : traits.vector;
  if (traits.cost)
    r.prediction = roofs->predict(traits.cost(r.shape, r.settings), r.type, vector, r.settings.threads);
  const auto peak = roofs->peak(r.type, r.settings.threads * r.ranks, vector);
  if (peak && r.gflops) r.peak_share = *r.gflops / *peak;
}

/// Freivalds' check of one more run, on digits, whose product is known exactly. The whole matrices of before
/// make room for theirs.
template <class T>
Check on_digits(Row<T>& row, bool& intact) {
  row.session.progress(row.record.variant + ": once more on digits, for Freivalds");
  row.variant.release(), row.work.problem.forget();
  Problem<T> digits = row.work.problem;
  digits.fill = Fill::digits;
  Times ignored;
  if (const std::string why = allocate(row, digits, ignored); !why.empty()) throw std::runtime_error(why);
  once(row);
  intact &= row.variant.guards_intact() && digits.guards_intact();
  const Check check = freivalds(digits, row.piece, row.world);
  row.variant.release();
  return check;
}

/// Checks the last run's C, all guards and, beyond what is compared whole, Freivalds' sums.
template <class T>
void verify(Row<T>& row) {
  const World& world = row.world;
  const Problem<T>& problem = row.work.problem;
  const bool whole = verifies_whole(row.options, problem.shape);
  const bool with_freivalds = !whole && problem.shape.k <= exact_k<T>();
  row.record.verify = whole ? "full" : with_freivalds ? "samples+freivalds" : "samples";
  row.session.progress(row.record.variant + ": verifying");
  if (!row.work.verifier) row.work.verifier.emplace(problem, whole);
  Check check = row.work.verifier->check(row.piece, world);
  bool intact = row.variant.guards_intact() && problem.guards_intact();
  if (with_freivalds) {
    const Check second = problem.exact() ? freivalds(problem, row.piece, world) : on_digits(row, intact);
    if (check.right) check.trouble = second.trouble;
    check.right &= second.right;
    check.error_share = std::max(check.error_share, second.error_share);
    check.differences = std::max(check.differences, second.differences);
  }
  std::string complaint = intact ? row.variant.complaint() : "wrote outside its matrix";
  if (!complaint.empty() && world.size() > 1) complaint = fmt::format("rank {} {}", world.rank(), complaint);
  if (complaint = world.first(complaint); !complaint.empty()) check.right = false, check.trouble = complaint;
  if (!check.right && row.options.explain)
    for (const std::string& line : diagnose(problem, row.piece)) row.explained += "  " + line + "\n";
  row.explained = world.first(row.explained);
  row.record.check = check, row.record.verdict = check.right ? "right" : "wrong";
}

/// Counts the row, prints and writes it. `thrown`: what its variant threw, or nothing.
template <class T>
void report(Row<T>& row, const std::string& thrown) {
  Session& session = row.session;
  Record& r = row.record;
  if (!thrown.empty()) {
    r.check = {.error_share = HUGE_VAL, .relative_error = HUGE_VAL, .trouble = thrown};
    r.verify = "none", r.verdict = "wrong";
  }
  const bool wrong = r.verdict == "wrong", expected = row.options.expect_wrong;
  const bool disturbed = r.quiet == "no" && !wrong;
  // A row disturbed again must not take the place of a better one that was disturbed, too.
  const bool worse = disturbed && row.disturbed_s > 0 && row.disturbed_s <= *r.median_s;
  ++session.measured, session.disturbed += disturbed;
  ++(wrong && !(expected && !thrown.empty()) ? session.wrong
                                             : session.not_wrong);  // a throw is no wrong result
  session.progress("");
  if (session.speaks()) {
    if (session.measured == 1) print_header(r);
    print_row(r);
    if (wrong && expected) fmt::print("  {}\n", r.check->trouble);
  }
  if (wrong && (!expected || !thrown.empty()))
    session.say_once("wrong: " + r.check->trouble + "; again by: " + again(row));
  if (session.speaks()) fmt::print(stderr, "{}", row.explained);
  if (!wrong && expected) session.say_once("expected wrong, found " + r.verdict + ": " + again(row));
  on_root(session.world, [&] {
    if (session.table.is_open() && !worse) session.table.append(r.row());
  });
}

}  // namespace

template <class T>
void run_row(Session& session, Variant<T>& variant, Work<T>& work, const Settings& settings) {
  Row<T> row{session, variant, work, planned(session, variant, work.problem, settings)};
  if ((row.options.resume && is_done(row)) || is_skipped(row) || takes_too_long(row)) return;
  std::string thrown = allocate(row, work.problem, row.record.times);
  const auto body = [&row] {
    measure(row);
    predict(row);
    if (row.options.verify != Verify::none) verify(row);
  };
  if (thrown.empty()) thrown = session.attempt(body);
  report(row, thrown);
  variant.release();
}

template void run_row(Session&, Variant<float>&, Work<float>&, const Settings&);
template void run_row(Session&, Variant<double>&, Work<double>&, const Settings&);
template void run_row(Session&, Variant<std::int32_t>&, Work<std::int32_t>&, const Settings&);

}  // namespace course
