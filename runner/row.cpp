// A row's way: plan, estimate, measure, verify, report. All ranks call the same functions in the same order.
// Rank 0 decides, verifies and speaks; phases are those of the slowest rank.
#include <sys/resource.h>

#include <cmath>
#include <list>

#include "common/stopwatch.hpp"
#include "runner/session.hpp"

namespace course {
namespace {

constexpr Index tells = 192;           // the shortest side of a product by whose rate others are estimated
constexpr double sample_s = 2e-3;      // seconds of a row's sample in a turn at least, by so many products
constexpr double unsettled_s = 5e-2;   // a product that takes longer does not notice where its matrices were
constexpr std::size_t tell_ratio = 3;  // turns: fewer make no ratio

/// The system's counts of this process.
Times usage() {
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  return {.page_faults = double(used.ru_minflt + used.ru_majflt),
          .context_switches = double(used.ru_nvcsw + used.ru_nivcsw)};
}

/// Each phase's seconds on its slowest rank.
Times slowest(const World& world, Times times) {
  if (world.size() == 1) return times;
  constexpr auto fields = Times::fields();
  std::array<double, fields.size()> most;
  for (std::size_t f = 0; f < fields.size(); ++f) most[f] = (times.*fields[f]).value_or(-1);
  world.max(most);
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (most[f] >= 0) times.*fields[f] = most[f];
  return times;
}

/// Seconds that runs took, allocation apart.
double spent(const std::vector<Times>& runs) {
  double seconds = 0;
  for (const Times& run : runs)
    for (const auto& phase : {run.distribute, run.copy_in, run.product, run.copy_out, run.collect})
      seconds += phase.value_or(0);
  return seconds;
}

/// A row of the results while it is made.
template <class T>
class Row {
 public:
  Row(Session& session, CheckedProblem<T>& checked, Series<T>& series, bool alternates,
      const std::string& started)
      : session_(session),
        checked_(checked),
        series_(series),
        own_(alternates ? series.variant.another() : nullptr) {
    static const Device cpu = processor();
    static const std::string host = host_name();
    const Problem<T>& problem = checked.problem;
    Record& r = record_;
    r.step = session.step.program, r.variant = info_.name, r.type = type_name<T>;
    r.shape = problem.shape, r.settings = series.settings, r.ranks = world_.size();
    r.fill = problem.fill == Fill::digits ? "digits" : "uniform", r.seed = problem.seed;
    r.device = variant_.device().is_processor() ? cpu : variant_.device();
    r.flags = session.step.flags, r.compiler = compiler, r.host = host, r.commit = commit;
    r.started = started, r.against = info_.against, r.verify = "none", r.verdict = "unverified";
  }
  ~Row() { release(); }

  /// Calls a part of a row, unless its variant has already thrown.
  void attempt(void (Row::*part)()) {
    if (thrown_.empty()) try {
        (this->*part)();
      } catch (const Refusal&) {
        throw;
      } catch (...) {
        if (world_.size() > 1) throw;  // others may wait for this rank: run ends them all
        if (thrown_ = exception_text(); thrown_ == no_memory) throw Refusal{thrown_};
      }
  }

  /// Takes memory, and warms up, unless the row is left out.
  void begin() {
    if (is_left_out = is_refused() || takes_too_long(); is_left_out) return;
    Times counted = usage();
    counted /= -1;
    counted += allocate(checked_.problem);
    warm_up();
    counted += usage();
    record_.times = slowest(world_, counted);
  }

  /// Whether another turn is due: until --repeat or the budget is spent, or a ratio has enough.
  bool has_turn() const {
    const bool more =
        spent(samples_) < options_.budget || (options_.in_turns && samples_.size() < tell_ratio);
    const bool fewer = std::ssize(samples_) < options_.repeat;
    return world_.broadcast(thrown_.empty() && !is_done_ && fewer && more) != 0;
  }

  /// Adds a run; in turns the mean of some, after one that brings its matrices into the caches again and
  /// tells how many take 2 ms, as far as all that is round them does not take ten times that.
  void take_turn() {
    if (settles_) {
      const Stopwatch watch;
      const double product = run_once().product.value_or(0), all = watch.seconds();
      const double wanted = std::ceil(sample_s / std::max({product, all / 10, 1e-7}));
      products_ = static_cast<int>(world_.broadcast(std::max(products_, static_cast<int>(wanted))));
    }
    Times mean;
    for (int product = 0; product < products_; ++product) mean += run_once();
    samples_.push_back(mean /= products_);
  }

  /// Sums up its turns, and verifies the last one's C: all of it or, beyond 2048, samples.
  void conclude() {
    Record& r = record_;
    r.summarise(samples_);
    if (options_.in_turns)
      for (const Times& sample : samples_)
        r.turns += fmt::format("{}{:.6g}", r.turns.empty() ? "" : " ", sample.product.value_or(0));
    if (std::min({r.shape.m, r.shape.n, r.shape.k}) >= tells && r.best_s)
      series_.rate = r.shape.flops() / *r.best_s;
    predict();
    if (options_.verify != "none") {
      const Problem<T>& problem = checked_.problem;
      r.check = verified(problem);
      r.verify = verifies_whole(options_, problem.shape) ? "full" : "samples";
      if (is_checked_more()) r.verify = problem.exact() ? "freivalds" : "samples+freivalds";
    }
    release();
  }

  /// Runs the product once more, on digits, for which Freivalds' check is exact.
  void check_on_digits() {
    if (!is_checked_more() || checked_.problem.exact()) return;
    digits_ = checked_.problem, digits_.fill = Fill::digits;
    allocate(digits_);
    run_once();
    if (const Check of_digits = verified(digits_); record_.check->right && !of_digits.right)
      *record_.check = of_digits;
    release();
  }

  /// Counts, prints and writes the row.
  void report() {
    Record& r = record_;
    const bool expected = options_.expect_wrong, threw = !thrown_.empty();
    if (threw) {
      r.check = {.error_share = HUGE_VAL, .relative_error = HUGE_VAL, .message = thrown_};
      r.verify = "none";
    }
    if (r.check) r.verdict = r.check->right ? "right" : "wrong";
    const bool wrong = r.verdict == "wrong";
    const bool counts_as_wrong = wrong && !(expected && threw);  // --expect-wrong: a throw is no wrong result
    ++session_.measured;
    if (counts_as_wrong != expected) session_.refused.status = 1;
    if (!world_.is_root()) return;
    if (session_.measured == 1) print_header(r);
    print_row(r);
    const std::string again = r.command_line(info_, options_.pad, options_.emulate) + session_.step.options;
    if (wrong && expected) say(stdout, "  {}\n", r.check->message);
    if (wrong && (!expected || threw))
      session_.warn_once("wrong: " + r.check->message + "; again by: " + again);
    if (!wrong && expected) session_.warn_once("expected wrong, found " + r.verdict + ": " + again);
    session_.table.append(texts(r.columns(), [](const Column& column) { return column.cell; }));
  }

  bool is_left_out = false;

 private:
  Times allocate(const Problem<T>& problem) {
    has_memory_ = true;
    return variant_.allocate(problem, record_.settings);
  }
  void release() {
    if (std::exchange(has_memory_, false)) variant_.release();
  }

  /// True, with a warning, if the row cannot run here.
  bool is_refused() {
    const std::string why = refusal_of(variant_, checked_.problem, record_.settings);
    if (world_.broadcast(why.empty()) != 0) return false;
    ++session_.skipped;
    session_.warn_once(record_.variant + " skipped: " + why);
    return true;
  }

  /// True, with a warning, if one run of other than the baseline would take over ten times the budget.
  bool takes_too_long() {
    const double budget = options_.budget;
    const double expected = series_.rate > 0 ? record_.shape.flops() / series_.rate : 0;
    if (expected <= 10 * budget || (info_.baseline && !session_.step.is_level)) return false;
    session_.warn_once(fmt::format(  // twice as much as it seems to need: the next estimate is another
        "{} {} {} left out: one run takes about {}, over ten times the budget of {}; --budget {:.3g} will do",
        record_.variant, record_.type, shape_text(record_.shape), readable_seconds(expected),
        readable_seconds(budget), expected / 5));
    return true;
  }

  /// Distributes, multiplies and collects once.
  Times run_once() {
    Times times = variant_.distribute();
    variant_.reset();
    times += variant_.run();
    times += variant_.fetch();
    return slowest(world_, times);
  }

  /// Runs it untimed. A run longer than the budget, in turns than twice that, is the only one. What may
  /// alternate settles before each sample; on a GPU a product is timed alone, for its copies take longer.
  void warm_up() {
    const bool alternates = options_.in_turns && series_.variant.another();
    for (int w = 1; w <= options_.warmup; ++w) {
      const Times times = run_once();
      is_done_ = world_.broadcast(spent({times}) < (options_.in_turns ? 2 : 1) * options_.budget) == 0;
      if (is_done_) return samples_.push_back(times);
      settles_ = alternates && world_.broadcast(times.product.value_or(0) < unsettled_s) != 0;
    }
  }

  /// Fills in the prediction and the share of the peak, if the cost was counted and the machine measured.
  void predict() {
    Record& r = record_;
    const auto& roofs = session_.roofs;
    if (!roofs || (!r.device.is_processor() && r.device.name != roofs->gpu())) return;
    const std::string& vector = info_.vector.empty() ? session_.step.vector : info_.vector;
    if (info_.cost)
      r.prediction = roofs->predict(info_.cost(r.shape, r.settings), r.type, vector, r.settings.threads);
    const auto peak = roofs->peak(r.type, r.settings.threads * r.ranks, vector);
    if (peak && r.gflops) r.peak_share = *r.gflops / *peak;
  }

  /// Whether C beyond 2048 is verified by Freivalds' check, too, as far as that is exact.
  bool is_checked_more() const {
    const Shape& shape = checked_.problem.shape;
    return options_.verify != "none" && !verifies_whole(options_, shape) && shape.k <= exact_k<T>();
  }

  /// Why the last run is wrong whatever C holds: what a rank wrote outside its matrices, what the variant
  /// itself found; else empty.
  std::string fault() {
    const int ranks = world_.size();
    double behind = variant_.guards_intact() ? 0 : ranks - world_.rank();  // the most: of the first such rank
    world_.max({&behind, 1});
    if (behind == 0) return variant_.run_error();
    const std::string rank = ranks > 1 ? fmt::format("rank {} ", ranks - static_cast<int>(behind)) : "";
    return rank + "wrote outside its matrix";
  }

  /// Verifies the last run; rank 0 alone sees C. Beyond 2048 what is exact by Freivalds' check.
  Check verified(const Problem<T>& problem) {
    std::string error = fault();
    const View<const Result<T>> c = variant_.result();  // all ranks give what they have
    if (!world_.is_root()) return {};
    auto& verifier = checked_.verifier;
    const bool by_freivalds = is_checked_more() && problem.exact();
    if (!by_freivalds && !verifier) verifier.emplace(problem, verifies_whole(options_, problem.shape));
    Check check = by_freivalds ? freivalds(problem, c) : verifier->check(c);
    if (!error.empty()) check.right = false, check.message = std::move(error);
    return check;
  }

  Session& session_;
  CheckedProblem<T>& checked_;
  Series<T>& series_;
  const std::shared_ptr<Variant<T>> own_;  // in turns: for each row its own matrices
  Variant<T>& variant_ = own_ ? *own_ : series_.variant;
  const Options& options_ = session_.options;
  const World& world_ = session_.world;
  const VariantInfo& info_ = variant_.info;
  Record record_ = {};
  std::string thrown_ = {};  // by its variant
  bool is_done_ = false, has_memory_ = false;
  int products_ = 1;            // of a sample
  bool settles_ = false;        // a sample begins with an untimed product
  std::vector<Times> samples_;  // of each turn, the mean of its products
  Problem<T> digits_ = {};      // for check_on_digits
};

}  // namespace

template <class T>
void run_rows(Session& session, CheckedProblem<T>& checked, const std::vector<Series<T>*>& in_turns) {
  const std::string started = utc_now();
  std::list<Row<T>> rows;
  for (Series<T>* const series : in_turns) {
    Row<T>& row = rows.emplace_back(session, checked, *series, in_turns.size() > 1, started);
    if (row.attempt(&Row<T>::begin); row.is_left_out) rows.pop_back();
  }
  std::list<Row<T>*> turn;
  for (Row<T>& row : rows) turn.push_back(&row);
  for (bool more = true; more; turn.reverse()) {  // the first is the last of the next turn
    more = false;
    for (Row<T>* const row : turn)
      if (row->has_turn()) row->attempt(&Row<T>::take_turn), more = true;
  }
  for (Row<T>& row : rows) row.attempt(&Row<T>::conclude);
  for (Row<T>& row : rows) row.attempt(&Row<T>::check_on_digits);
  for (Row<T>& row : rows) row.report();
}

template void run_rows(Session&, CheckedProblem<bf16>&, const std::vector<Series<bf16>*>&);
template void run_rows(Session&, CheckedProblem<tf32>&, const std::vector<Series<tf32>*>&);
template void run_rows(Session&, CheckedProblem<float>&, const std::vector<Series<float>*>&);
template void run_rows(Session&, CheckedProblem<double>&, const std::vector<Series<double>*>&);
template void run_rows(Session&, CheckedProblem<std::int32_t>&, const std::vector<Series<std::int32_t>*>&);

}  // namespace course
