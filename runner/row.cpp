#include <cmath>
#include <limits>

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
  r.shape = shape, r.settings = settings, r.ranks = session.world.size();
  r.fill = fill_name(session.options.fill), r.seed = session.options.seed;
  r.device = variant.device().empty() ? cpu : variant.device();
  r.flags = session.step.flags, r.compiler = compiler(), r.host = name, r.commit = commit();
  r.started = utc_now(), r.verify = "none", r.verdict = "unverified";
  return r;
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
/// low rather than too high, since larger sizes are seldom faster. 0 if it throws: the row will say so.
template <class T>
double expected_seconds(const Session& session, Variant<T>& variant, const Work<T>& work,
                        const Record& record) {
  const Shape& s = record.shape;
  if (const auto known = session.rates.find(rate_key(record)); known != session.rates.end())
    return s.flops() / known->second;
  session.progress(variant.traits.name + ": a small product, to estimate the time");
  const auto small = [](Index size) { return std::min(size, probe_size); };
  Problem<T> problem = work.problem;
  problem.forget(), problem.shape = {small(s.m), small(s.n), small(s.k)};
  const Allocated<T> allocated(session, variant, problem, record.settings);
  if (!allocated.trouble.empty()) return 0;
  double seconds = 0;
  session.attempt([&] {
    Piece<T> piece;
    if (record.settings.threads > 1) allocated.run(piece);  // the first run also starts the threads
    seconds = allocated.run(piece).product.value_or(0) * s.flops() / problem.shape.flops();
  });
  return seconds;
}

/// True if the CSV has the row, verified if it is to be, and repeated as often as asked or as its budget
/// allowed.
bool has_row(Session& session, const Record& record, const Traits& traits) {
  enum : std::uint64_t { no, yes, wrong } answer = no;
  const Options& options = session.options;
  if (const Table::Row* known = session.table.find(record.row()); known != nullptr) {
    const double repeat = session.table.number(*known, "repeat");
    const double spent = repeat * session.table.number(*known, "mean_s");
    const std::string& verdict = session.table.cell(*known, "verdict");
    if ((verdict != "unverified" || options.verify == Verify::none) &&
        (repeat >= options.repeat || spent >= options.budget))
      answer = verdict == "wrong" ? wrong : yes;
  }
  const std::uint64_t known = session.world.root(answer);
  session.resumed += known != no, session.wrong += known == wrong;
  if (known == wrong)
    session.say_once(options.csv + " has this row as wrong: " + reproduction(session, record, traits));
  return known != no;
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
std::vector<Times> measure(const Session& session, const Allocated<T>& allocated, Piece<T>& piece,
                           const std::string& what) {
  const Options& options = session.options;
  double spent = 0;
  const auto once = [&](const char* kind, int number, int of) {
    session.progress(fmt::format("{}: {} {} of {}", what, kind, number, of));
    const Times times = allocated.run(piece);
    for (const auto part :
         {&Times::distribute, &Times::copy_in, &Times::product, &Times::copy_out, &Times::collect})
      spent += (times.*part).value_or(0);
    return times;
  };
  for (int w = 1; w <= options.warmup; ++w) {
    spent = 0;
    const Times times = once("warm-up", w, options.warmup);
    if (session.world.root(spent >= options.budget) != 0) return {times};
  }
  spent = 0;
  std::vector<Times> runs;
  do runs.push_back(once("run", static_cast<int>(runs.size()) + 1, options.repeat));
  while (session.world.root(std::ssize(runs) < options.repeat && spent < options.budget) != 0);
  return runs;
}

/// Says what the row should take, if its cost was counted and the machine measured.
template <class T>
void predict(const Session& session, const Variant<T>& variant, Record& record) {
  if (!session.roofs || !variant.device().empty()) return;
  const Traits& traits = variant.traits;
  const int threads = record.settings.threads;
  const std::string& vector = traits.vector.empty() ? session.step.vector : traits.vector;
  if (traits.cost)
    record.prediction =
        session.roofs->predict(traits.cost(record.shape, record.settings), record.type, vector, threads);
  if (const auto peak = session.roofs->peak(record.type, threads); peak && record.gflops)
    record.peak_share = *record.gflops / *peak;
}

/// Counts the row, prints and writes it.
void report(Session& session, const Record& record, const Traits& traits, bool threw) {
  const bool wrong = record.verdict == "wrong", expected = session.options.expect_wrong;
  ++session.measured;
  ++(wrong && !(threw && expected) ? session.wrong : session.not_wrong);  // a throw is no wrong result
  session.progress("");
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
void run_row(Session& session, Variant<T>& variant, Work<T>& work, const Settings& settings) {
  Record record = identity(session, variant, work.problem.shape, settings);
  if (left_out(session, variant, work, record)) return;
  const Allocated<T> allocated(session, variant, work.problem, settings);
  std::string trouble = allocated.trouble;
  if (trouble.empty())
    trouble = session.attempt([&] {
      Piece<T> piece;
      record.summarise(measure(session, allocated, piece, title(record)));
      record.times += allocated.times;
      predict(session, variant, record);
      if (record.shape.flops() >= probe_beyond / 20)
        session.rates[rate_key(record)] = record.shape.flops() / *record.best_s;
      if (session.options.verify == Verify::none) return;
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

template void run_row(Session&, Variant<float>&, Work<float>&, const Settings&);
template void run_row(Session&, Variant<double>&, Work<double>&, const Settings&);
template void run_row(Session&, Variant<std::int32_t>&, Work<std::int32_t>&, const Settings&);

}  // namespace course
