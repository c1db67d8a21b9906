#include <unistd.h>

#include <cmath>

#include "runner/machine.hpp"
#include "runner/session.hpp"

namespace course {
namespace {

constexpr Index probe_size = 192;       // a rank's product, small enough to estimate a large one from
constexpr double enough_served = 0.97;  // of its threads' time, for processors: a run with less was disturbed
constexpr int enough_good = 3;          // undisturbed runs that make a row quiet, however many were asked for
constexpr double clock_tells = 1e-3;    // seconds from which a run's share of them means something
constexpr double probe_beyond = 0.3e9;  // operations from which a first run is estimated before it is begun

template <class T>
class Row {
 public:
  Row(Session& session, Variant<T>& variant, Work<T>& work, const Settings& settings)
      : session_(session), variant_(variant), traits_(variant.traits), work_(work), settings_(settings) {
    static const std::string cpu = processor(), name = host_name();
    Record& r = record_;
    r.step = session.step.program, r.variant = traits_.name, r.type = type_name<T>;
    r.shape = work.problem.shape, r.settings = settings, r.ranks = world_.size();
    r.fill = fill_name(options_.fill), r.seed = options_.seed;
    r.device = variant.device().empty() ? cpu : variant.device();
    r.flags = session.step.flags, r.compiler = compiler, r.host = name, r.commit = commit;
    r.started = utc_now(), r.verify = "none", r.verdict = "unverified";
    title_ = r.variant + " " + r.type + " " + shape_text(r.shape);
    rate_key_ = fmt::format("{}{},{},{},{},{}", r.type, r.variant, settings.threads, settings.tile,
                            settings.grid.text(), settings.block.text());
  }
  ~Row() { variant_.release(); }

  void run() {
    if (left_out()) return;
    std::string trouble = allocate(work_.problem);
    const Times allocation = taken_;
    const auto body = [&] {
      take();
      record_.times += allocation;
      predict();
      if (record_.shape.flops() >= probe_beyond / 20)
        session_.rates[rate_key_] = record_.shape.flops() / *record_.best_s;
      if (options_.verify != Verify::none) judge();
    };
    if (trouble.empty()) trouble = session_.attempt(body);
    if (!trouble.empty()) {
      record_.check = {.error_share = HUGE_VAL, .relative_error = HUGE_VAL, .trouble = trouble};
      record_.verify = "none", record_.verdict = "wrong";
    }
    report(!trouble.empty());
  }

 private:
  /// True if the row is not to be run: done before, impossible here, or too long for the budget. Says why.
  bool left_out() {
    if (options_.resume && has_row()) return true;
    std::string why = lacking(traits_.needs);
    why = why.empty() ? variant_.refuses(work_.problem, settings_, world_) : "this processor lacks " + why;
    if (why = world_.first(why); !why.empty()) {
      ++session_.skipped;
      session_.say_once(traits_.name + " skipped: " + why);
      return true;
    }
    if ((traits_.baseline && !session_.step.is_level) || record_.shape.flops() < probe_beyond) return false;
    const double expected = expected_seconds();
    if (world_.root(expected <= 10 * options_.budget) != 0) return false;
    session_.say_once(fmt::format(
        "{} left out: one run takes about {}, over ten times the budget of {}; --budget {:.3g} may do",
        title_, readable_seconds(expected), readable_seconds(options_.budget), std::ceil(expected) / 10));
    return true;
  }

  /// True if the CSV has the row, verified if it is to be, and repeated as often as asked or as its budget
  /// allowed.
  bool has_row() {
    enum : std::uint64_t { no, yes, wrong } answer = no;
    const Table& table = session_.table;
    if (const Table::Row* row = table.find(record_.row()); row != nullptr) {
      const double repeat = table.number(*row, "repeat"), spent = repeat * table.number(*row, "mean_s");
      const std::string &verdict = table.cell(*row, "verdict"), &quiet = table.cell(*row, "quiet");
      const int enough = quiet == "yes" ? std::min(enough_good, options_.repeat) : options_.repeat;
      if ((verdict != "unverified" || options_.verify == Verify::none) &&
          (repeat >= enough || spent >= options_.budget)) {
        const bool done = !options_.quiet || quiet == "yes" || verdict == "wrong";
        answer = verdict == "wrong" ? wrong : done ? yes : no;
        if (!done && quiet == "no") disturbed_s_ = table.number(*row, "median_s");
      }
    }
    const std::uint64_t known = world_.root(answer);
    session_.resumed += known != no, session_.wrong += known == wrong;
    if (known == wrong) session_.say_once(options_.csv + " has this row as wrong: " + again());
    return known != no;
  }

  /// Seconds one run will take, from the rate of the last row of the same variant, else of a small product;
  /// too low rather than too high, since larger sizes are seldom faster. 0 if it throws: the row will say so.
  double expected_seconds() {
    const Shape& s = record_.shape;
    if (const auto known = session_.rates.find(rate_key_); known != session_.rates.end())
      return s.flops() / known->second;
    session_.progress(traits_.name + ": a small product, to estimate the time");
    const auto side = static_cast<Index>(std::ceil(std::sqrt(world_.size())));  // of a grid of all ranks
    const auto small = [side](Index size) { return std::min(size, probe_size * side); };
    Problem<T> problem = work_.problem;
    problem.forget(), problem.shape = {small(s.m), small(s.n), small(s.k)};
    double seconds = 0;
    if (allocate(problem).empty())
      session_.attempt([&] {
        if (settings_.threads > 1 || world_.size() > 1 || !variant_.device().empty())
          once();  // which also starts threads, loads kernels, finds other ranks
        seconds = once().product.value_or(0) * s.flops() / problem.shape.flops();
      });
    variant_.release();
    return seconds;
  }

  /// The variant's memory, on every rank or on none: what one of them throws is returned, the same to all;
  /// out of memory is a Refusal of all.
  std::string allocate(const Problem<T>& problem) {
    std::string why;
    try {
      taken_ = variant_.allocate(problem, settings_, world_);
    } catch (...) {
      why = caught();
    }
    if (why = world_.first(why); why == no_memory) throw Refusal{why};
    taken_ = slowest(world_, taken_);
    return why;
  }

  /// One distribution, product and collection.
  Times once() {
    Times times = variant_.distribute();
    variant_.reset();
    const double before = processor_seconds();
    const Times product = variant_.run();
    const double used = processor_seconds() - before;
    times += product;
    times += variant_.fetch(piece_);
    if (options_.quiet) disturbed_ = was_disturbed(used, product.product.value_or(0));
    return slowest(world_, times);
  }

  /// Whether a run had to leave processors to others, on any rank. Not on a GPU; nor have more threads than
  /// processors one each. A rank that is bound to a core sees that one only: all ranks share the host's.
  bool was_disturbed(double used, double lasted) const {
    const bool one_each = settings_.threads <= usable_cpus() &&
                          settings_.threads * world_.size() <= sysconf(_SC_NPROCESSORS_ONLN);
    const bool told = variant_.device().empty() && one_each && lasted >= clock_tells;
    double missing = told ? 1 - used / (settings_.threads * lasted) : 0;
    world_.max({&missing, 1});
    return missing > 1 - enough_served;
  }

  struct Runs {
    void add(const Times& run) {
      times.push_back(run);
      for (const auto part :
           {&Times::distribute, &Times::copy_in, &Times::product, &Times::copy_out, &Times::collect})
        spent += (run.*part).value_or(0);
    }
    std::vector<Times> times = {};
    double spent = 0;  // seconds
  };

  /// Warm-up, then timed runs until --repeat or the budget is spent, at least one. A warm-up longer than the
  /// budget is kept as the only run: what it pays for cold caches is lost in it. With --quiet a disturbed run
  /// does not count, unless all are: as long as the runs together are at most thrice as many and as long.
  void take() {
    Runs good, all;
    const auto timed = [&](const char* kind, std::size_t number, int of) {
      session_.progress(fmt::format("{}: {} {} of {}", title_, kind, number, of));
      all.add(once());
      if (!disturbed_) good.add(all.times.back());
    };
    const auto within = [this](const Runs& runs, int times) {
      return std::ssize(runs.times) < times * std::ptrdiff_t{options_.repeat} &&
             runs.spent < times * options_.budget;
    };
    for (int w = 1; w <= options_.warmup; ++w) {
      timed("warm-up", static_cast<std::size_t>(w), options_.warmup);
      if (world_.root(all.spent >= options_.budget) != 0) break;
      good = all = {};
    }
    while (world_.root(within(good, 1) && within(all, 3)) != 0)
      timed("run", good.times.size() + 1, options_.repeat);
    record_.summarise(good.times.empty() ? all.times : good.times);
    if (!options_.quiet) return;
    const bool enough = std::ssize(good.times) >= std::min(enough_good, options_.repeat) ||
                        good.spent >= options_.budget;  // or as many as it allows
    record_.quiet = enough ? "yes" : "no";
  }

  /// Says what the row should take, if its cost was counted and the machine measured.
  void predict() {
    if (!session_.roofs) return;
    if (const std::string device = variant_.device(); !device.empty() && device != session_.roofs->gpu())
      return;
    const std::string& vector = traits_.vector.empty() ? session_.step.vector : traits_.vector;
    if (traits_.cost)
      record_.prediction = session_.roofs->predict(traits_.cost(record_.shape, settings_), record_.type,
                                                   vector, settings_.threads);
    const auto peak = session_.roofs->peak(record_.type, settings_.threads * world_.size(), vector);
    if (peak && record_.gflops) record_.peak_share = *record_.gflops / *peak;
  }

  /// Checks the last run's C, all guards and, beyond what is compared whole, one more run on digits.
  void judge() {
    const Problem<T>& problem = work_.problem;
    const bool whole = verifies_whole(options_, problem.shape);
    const bool with_freivalds = !whole && problem.shape.k <= exact_k<T>();
    record_.verify = whole ? "full" : with_freivalds ? "samples+freivalds" : "samples";
    session_.progress(traits_.name + ": verifying");
    if (!work_.verifier) work_.verifier.emplace(problem, whole);
    Check check = work_.verifier->check(piece_, world_);
    bool intact = variant_.guards_intact() && problem.guards_intact();
    if (with_freivalds) {
      const Check second = problem.exact() ? freivalds(problem, piece_, world_) : on_digits(intact);
      if (check.right) check.trouble = second.trouble;
      check.right &= second.right;
      check.error_share = std::max(check.error_share, second.error_share);
      check.differences = std::max(check.differences, second.differences);
    }
    const std::string who = world_.size() > 1 ? fmt::format("rank {} ", world_.rank()) : "";
    std::string complaint = intact ? variant_.complaint() : "wrote outside its matrix";
    complaint = world_.first(complaint.empty() ? "" : who + complaint);
    if (!complaint.empty()) check.right = false, check.trouble = complaint;
    record_.check = check, record_.verdict = check.right ? "right" : "wrong";
  }

  /// Digits' product is known exactly. The whole matrices of before make room for theirs.
  Check on_digits(bool& intact) {
    session_.progress(traits_.name + ": once more on digits, for Freivalds");
    variant_.release(), work_.problem.forget();
    Problem<T> digits = work_.problem;
    digits.fill = Fill::digits;
    if (const std::string why = allocate(digits); !why.empty()) throw std::runtime_error(why);
    once();
    intact &= variant_.guards_intact() && digits.guards_intact();
    const Check check = freivalds(digits, piece_, world_);
    variant_.release();
    return check;
  }

  std::string again() const {
    return record_.again(traits_, options_.pad) +
           (options_.emulate.empty() ? "" : " --emulate " + options_.emulate);
  }

  /// Counts the row, prints and writes it.
  void report(bool threw) {
    const bool wrong = record_.verdict == "wrong", expected = options_.expect_wrong;
    // A row disturbed again must not take the place of a better one that was disturbed, too.
    const bool worse =
        record_.quiet == "no" && !wrong && disturbed_s_ > 0 && disturbed_s_ <= *record_.median_s;
    ++session_.measured, session_.disturbed += record_.quiet == "no" && !wrong;
    ++(wrong && !(threw && expected) ? session_.wrong : session_.not_wrong);  // a throw is no wrong result
    session_.progress("");
    if (session_.speaks()) {
      if (session_.measured == 1) print_header(record_);
      print_row(record_);
      if (wrong && expected) fmt::print("  {}\n", record_.check->trouble);
    }
    if (wrong && (threw || !expected))
      session_.say_once("wrong: " + record_.check->trouble + "; again by: " + again());
    if (!wrong && expected) session_.say_once("expected wrong, found " + record_.verdict + ": " + again());
    on_root(session_.world, [&] {
      if (session_.table.is_open() && !worse) session_.table.append(record_.row());
    });
  }

  Session& session_;
  const Options& options_ = session_.options;
  const World& world_ = session_.world;
  Variant<T>& variant_;
  const Traits& traits_;
  Work<T>& work_;
  const Settings& settings_;
  Record record_;
  Piece<T> piece_;          // of the last run
  Times taken_;             // by the last allocation
  bool disturbed_ = false;  // the last run, with --quiet
  double disturbed_s_ = 0;  // median of the row that the CSV has, if that was disturbed
  std::string title_, rate_key_;
};

}  // namespace

template <class T>
void run_row(Session& session, Variant<T>& variant, Work<T>& work, const Settings& settings) {
  Row<T>(session, variant, work, settings).run();
}

template void run_row(Session&, Variant<float>&, Work<float>&, const Settings&);
template void run_row(Session&, Variant<double>&, Work<double>&, const Settings&);
template void run_row(Session&, Variant<std::int32_t>&, Work<std::int32_t>&, const Settings&);

}  // namespace course
