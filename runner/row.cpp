#include <cmath>
#include <stdexcept>
#include <utility>

#include "runner/machine.hpp"
#include "runner/session.hpp"

namespace course {
namespace {

constexpr Index probe_size = 192;       // a product small enough to estimate a large one from
constexpr double probe_beyond = 0.3e9;  // operations from which a first run is estimated before it is begun

template <class T>
Record identity(const Session& session, const Variant<T>& variant, const Shape& shape,
                const Settings& settings) {
  static const std::string cpu = processor(), name = host_name();
  Record r;
  r.step = session.step.program, r.variant = variant.traits.name, r.type = type_name<T>;
  r.shape = shape, r.settings = settings;
  r.fill = fill_name(session.options.fill), r.seed = session.options.seed;
  r.ranks = session.world.size();
  r.device = variant.device().empty() ? cpu : variant.device();
  r.flags = session.step.flags, r.compiler = compiler(), r.host = name, r.commit = commit();
  r.started = utc_now(), r.verify = "none", r.verdict = "unverified";
  return r;
}

/// Each phase as the slowest rank had it.
Times slowest(const World& world, Times times) {
  if (world.size() == 1) return times;
  double sum = times.product.value_or(0);
  world.sum({&sum, 1});
  std::array<double, Times::parts().size()> most{};
  for (std::size_t p = 0; p < most.size(); ++p) most[p] = (times.*Times::parts()[p]).value_or(-1);
  world.max(most);
  for (std::size_t p = 0; p < most.size(); ++p)
    if (most[p] >= 0) times.*Times::parts()[p] = most[p];
  if (sum > 0) times.imbalance = *times.product * world.size() / sum;
  return times;
}

/// What the row is called while it runs.
std::string title(const Record& r) {
  return r.variant + " " + r.type + " " + shape_text(r.shape);
}

/// The command line that runs one row again.
std::string reproduction(const Session& session, const Record& r, const Traits& traits) {
  std::string line =
      fmt::format("{} --variant {} --type {} --shape {} --fill {} --seed {} --repeat 1 --verify full", r.step,
                  r.variant, r.type, shape_text(r.shape), r.fill, r.seed);
  if (traits.threads) line += fmt::format(" --threads {}", r.settings.threads);
  if (traits.tiles) line += fmt::format(" --tile {}", r.settings.tile);
  if (session.options.pad > 0) line += fmt::format(" --pad {}", session.options.pad);
  return line;
}

/// Under what the rate of a row is remembered.
std::string rate_key(const Record& r) {
  return fmt::format("{}{},{},{},{},{}", r.type, r.variant, r.settings.threads, r.settings.tile,
                     r.settings.grid, r.settings.block);
}

/// Seconds one run will take, from the rate of the last row of the same variant, else of a small product; too
/// low rather than too high, since larger sizes are seldom faster.
template <class T>
double expected_seconds(Session& session, Variant<T>& variant, const Work<T>& work, const Record& record) {
  const Shape& s = record.shape;
  if (const auto known = session.rates.find(rate_key(record)); known != session.rates.end())
    return s.flops() / known->second;
  session.progress(variant.traits.name + ": a small product, to estimate the time");
  const auto small = [](Index size) { return std::min(size, probe_size); };
  Problem<T> problem = work.problem;
  problem.forget(), problem.shape = {small(s.m), small(s.n), small(s.k)};
  Times times;
  if (!allocate(session, variant, problem, record.settings, times).empty()) return 0;  // the row will say so
  double seconds = 0;
  session.attempt([&] {
    Piece<T> piece;
    if (record.settings.threads > 1) once(session, variant, piece);  // the first run also starts the threads
    seconds = once(session, variant, piece).product.value_or(0) * s.flops() / problem.shape.flops();
  });
  variant.release();
  return seconds;
}

/// True if the CSV has the row, verified if it is to be, and repeated as often as asked or as its budget
/// allowed.
bool has_row(Session& session, const Record& record, const Traits& traits) {
  enum : std::uint64_t { no, yes, wrong };
  const Options& options = session.options;
  std::uint64_t answer = no;
  if (const Table::Row* known = session.table.find(record.row()); known != nullptr) {
    const double repeat = session.table.number(*known, "repeat");
    const std::string& verdict = session.table.cell(*known, "verdict");
    const bool done =
        (verdict != "unverified" || options.verify == Verify::none) &&
        (repeat >= options.repeat || repeat * session.table.number(*known, "mean_s") >= options.budget);
    answer = !done ? no : verdict == "wrong" ? wrong : yes;
  }
  answer = session.world.root(answer);
  if (answer == no) return false;
  ++session.resumed;
  if (answer == wrong) {
    ++session.wrong;
    session.say_once(options.csv + " has this row as wrong: " + reproduction(session, record, traits));
  }
  return true;
}

/// True if the row is not to be run: done before, impossible here, or too long for the budget. Says why.
template <class T>
bool left_out(Session& session, Variant<T>& variant, const Work<T>& work, const Record& record) {
  const Options& options = session.options;
  const Traits& traits = variant.traits;
  if (options.resume && has_row(session, record, traits)) return true;
  std::string why = lacking(traits.needs);
  why = why.empty() ? variant.refuses(work.problem, record.settings, session.world)
                    : "this processor lacks " + why;
  if (why = session.world.first(why); !why.empty()) {
    ++session.skipped;
    session.say_once(traits.name + " skipped: " + why);
    return true;
  }
  if ((traits.baseline && !session.step.is_level) || record.shape.flops() < probe_beyond) return false;
  const double expected = expected_seconds(session, variant, work, record);
  if (session.world.root(expected <= 10 * options.budget) != 0) return false;
  session.say_once(fmt::format(
      "{} left out: one run takes about {}, over ten times the budget of {}; --budget {:.3g} may do",
      title(record), readable_seconds(expected), readable_seconds(options.budget), std::ceil(expected) / 10));
  return true;
}

/// Warm-up, then timed runs until --repeat or the budget is spent, at least one. A warm-up longer than the
/// budget is kept as the only run: what it pays for cold caches is lost in it.
template <class T>
std::vector<Times> measure(Session& session, Variant<T>& variant, Piece<T>& piece, const std::string& what) {
  const Options& options = session.options;
  const auto spent_by = [](const Times& times) {
    double seconds = 0;
    for (const auto part :
         {&Times::distribute, &Times::copy_in, &Times::product, &Times::copy_out, &Times::collect})
      seconds += (times.*part).value_or(0);
    return seconds;
  };
  for (int w = 1; w <= options.warmup; ++w) {
    session.progress(fmt::format("{}: warm-up {} of {}", what, w, options.warmup));
    const Times times = once(session, variant, piece);
    if (session.world.root(spent_by(times) >= options.budget) != 0) return {times};
  }
  std::vector<Times> runs;
  double spent = 0;
  bool more = true;
  while (more) {
    session.progress(fmt::format("{}: run {} of {}", what, runs.size() + 1, options.repeat));
    runs.push_back(once(session, variant, piece));
    spent += spent_by(runs.back());
    more = session.world.root(std::ssize(runs) < options.repeat && spent < options.budget) != 0;
  }
  return runs;
}

/// Says what the row should take, if its cost was counted and the machine measured.
template <class T>
void predict(const Session& session, const Variant<T>& variant, Record& record) {
  if (!session.roofs || !variant.device().empty()) return;
  const Traits& traits = variant.traits;
  if (traits.cost)
    record.prediction = session.roofs->predict(traits.cost(record.shape, record.settings), record.type,
                                               traits.vector.empty() ? session.step.vector : traits.vector,
                                               record.settings.threads);
  if (const auto peak = session.roofs->peak(record.type, record.settings.threads); peak && record.gflops)
    record.peak_share = *record.gflops / *peak;
}

/// Counts the row, prints and writes it.
void report(Session& session, const Record& record, const Traits& traits, bool threw) {
  const bool wrong = record.verdict == "wrong", expected = session.options.expect_wrong;
  ++session.measured;
  ++(wrong && !(threw && expected) ? session.wrong
                                   : session.not_wrong);  // a kernel that throws shows nothing
  session.clear_progress();
  if (session.speaks()) {
    if (session.measured == 1) print_header(record);
    print_row(record);
    if (wrong && expected) fmt::print("  {}\n", record.check->trouble);
  }
  if (wrong && (threw || !expected))
    session.say_once("wrong: " + record.check->trouble +
                     "; again by: " + reproduction(session, record, traits));
  if (!wrong && expected)
    session.say_once("expected wrong, found " + record.verdict + ": " +
                     reproduction(session, record, traits));
  session.on_root([&] {
    if (session.table.is_open()) session.table.append(record.row());
  });
}

}  // namespace

template <class T>
std::string allocate(Session& session, Variant<T>& variant, const Problem<T>& problem,
                     const Settings& settings, Times& times) {
  static const std::string no_memory = "out of memory; give a smaller size";
  std::string why;
  try {
    times = variant.allocate(problem, settings, session.world);
  } catch (const std::bad_alloc&) {
    why = no_memory;
  } catch (const std::exception& error) {
    why = std::string("it threw: ") + error.what();
  } catch (...) {
    why = "it threw";
  }
  why = session.world.first(why);
  if (!why.empty()) variant.release();
  if (why == no_memory) throw Refusal{why};
  times = slowest(session.world, times);
  return why;
}

template <class T>
Times once(Session& session, Variant<T>& variant, Piece<T>& piece) {
  Times times = variant.distribute();
  variant.reset();
  times += variant.run();
  times += variant.fetch(piece);
  return slowest(session.world, times);
}

template <class T>
void run_row(Session& session, Variant<T>& variant, Work<T>& work, const Settings& settings) {
  struct Release {
    Variant<T>& variant;
    ~Release() { variant.release(); }
  } const release{variant};
  const Options& options = session.options;
  Record record = identity(session, variant, work.problem.shape, settings);
  if (left_out(session, variant, work, record)) return;
  Times allocation;
  std::string trouble = allocate(session, variant, work.problem, settings, allocation);
  if (trouble.empty())
    trouble = session.attempt([&] {
      Piece<T> piece;
      record.summarise(measure(session, variant, piece, title(record)));
      record.times += allocation;
      predict(session, variant, record);
      if (record.shape.flops() >= probe_beyond / 20)
        session.rates[rate_key(record)] = record.shape.flops() / *record.best_s;
      if (options.verify == Verify::none) return;
      record.check = judge(session, variant, work, settings, piece, record.verify);
      record.verdict = record.check->right ? "right" : "wrong";
    });
  if (!trouble.empty()) {
    constexpr double without_end = std::numeric_limits<double>::infinity();
    record.check = {.error_share = without_end, .relative_error = without_end, .trouble = trouble};
    record.verify = "none", record.verdict = "wrong";
  }
  report(session, record, variant.traits, !trouble.empty());
}

#define COURSE_ROW(T)                                                                               \
  template std::string allocate(Session&, Variant<T>&, const Problem<T>&, const Settings&, Times&); \
  template Times once(Session&, Variant<T>&, Piece<T>&);                                            \
  template void run_row(Session&, Variant<T>&, Work<T>&, const Settings&);
COURSE_ROW(float)
COURSE_ROW(double)
COURSE_ROW(std::int32_t)

}  // namespace course
