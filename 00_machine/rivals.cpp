#include "rivals.hpp"

#include <algorithm>
#include <functional>
#include <iostream>
#include <set>
#include <sstream>

#include "child.hpp"
#include "common/stopwatch.hpp"
#include "inputs.hpp"
#include "runner/text.hpp"

namespace machine {
namespace {

using course::Shape;

constexpr Shape screened = {512, 512, 512};  // where the settings of a library compete

/// A product to be timed.
struct Job {
  std::string type;
  Shape shape;
};

// ---------------------------------------------------------------- the child

/// Times one product as the course's loop does: a warm-up, then runs until `repeat` or the budget is spent; a
/// warm-up over the budget stays the only run. C grows with every run, which takes no longer. Returns the
/// best, in seconds.
template <class T>
double time(const Library& library, const Shape& shape, int repeat, double budget) {
  const course::Problem<T> problem{shape};
  const course::Inputs<T>& inputs = problem.whole();
  course::Matrix<T> c(shape.m, shape.n);
  course::copy<T>(inputs.c.view(), c.view());
  const auto once = [&] {
    const course::Stopwatch watch;
    library.gemm<T>(inputs.a.view(), inputs.b.view(), c.view());
    return watch.seconds();
  };
  std::vector<double> runs = {once()};
  if (runs[0] < budget) {
    runs.clear();
    double spent = 0;
    do spent += runs.emplace_back(once());
    while (static_cast<int>(runs.size()) < repeat && spent < budget);
  }
  const double least = *std::min_element(runs.begin(), runs.end());
  std::ostringstream median, best;
  median << course::median(runs), best << least;
  tell({"time", course::shape_text(shape), median.str(), best.str()});
  return least;
}

template <class T>
void time_all(const Library& library, const std::string& type, const std::vector<Job>& jobs, int repeat,
              double budget) {
  if (!library.has<T>() ||
      std::none_of(jobs.begin(), jobs.end(), [&](auto& job) { return job.type == type; }))
    return;
  tell({"type", type});
  const auto multiply = [&](View<const T> a, View<const T> b, View<T> c) { library.gemm<T>(a, b, c); };
  if (const std::string what = trouble<T>(multiply); !what.empty()) return tell({"wrong", what});
  double rate = 0;  // of the last shape
  for (const Job& job : jobs) {
    if (job.type != type) continue;
    if (const double expected = rate > 0 ? job.shape.flops() / rate : 0; expected > 10 * budget) {
      tell({"long", course::shape_text(job.shape), course::readable_seconds(expected)});
      continue;
    }
    rate = job.shape.flops() / time<T>(library, job.shape, repeat, budget);
  }
}

/// "f32:512x512x512".
Job job_of(const std::string& text) {
  Job job{text.substr(0, 3), {}};
  std::sscanf(text.c_str() + 3, ":%ldx%ldx%ld", &job.shape.m, &job.shape.n, &job.shape.k);
  return job;
}

std::string text_of(const Job& job) {
  return job.type + ":" + course::shape_text(job.shape);
}

// --------------------------------------------------------------- the parent

struct Time {
  double median, best;
};

/// What a child found out.
struct Findings {
  std::string about;  // version, configuration and file
  std::string kernel;
  std::vector<std::string> troubles;  // crashed, hung, wrong: a line each
  std::set<std::string> wrong;        // types
  std::optional<double> best;         // seconds of the last product timed
};

using OnTime = std::function<void(const Findings&, const Job&, const Time&)>;

/// Takes one line of the child.
void take(const std::vector<std::string>& cells, const Candidate& candidate, Findings& found,
          std::string& type, const OnTime& on_time) {
  if (cells[0] == "about") {
    found.kernel = cells[2];
    for (const std::string& part : {cells[1], cells[3], cells[4]})
      if (!part.empty()) found.about += (found.about.empty() ? "" : "; ") + part;
  } else if (cells[0] == "type") {
    type = cells[1];
  } else if (cells[0] == "wrong") {
    found.wrong.insert(type);
    found.troubles.push_back(candidate.label() + " " + type + " is wrong: " + cells[1]);
  } else if (cells[0] == "failed") {
    found.troubles.push_back(candidate.label() + ": " + cells[1]);
  } else if (cells[0] == "long") {
    found.troubles.push_back(candidate.label() + " " + type + " " + cells[1] +
                             " left out: one run takes about " + cells[2] + ", over ten times the budget");
  } else if (cells[0] == "time") {
    const Time time{std::atof(cells[2].c_str()), std::atof(cells[3].c_str())};
    found.best = time.best;
    on_time(found, job_of(type + ":" + cells[1]), time);
  }
}

/// Runs the jobs in a process of its own; `on_time` is called as each is done.
Findings run(const Session& session, const Candidate& candidate, int threads, const std::vector<Job>& jobs,
             double budget, const OnTime& on_time) {
  std::ostringstream seconds;
  seconds << budget;
  std::vector<std::string> arguments = {candidate.file, std::to_string(session.options.repeat),
                                        seconds.str()};
  for (const Job& job : jobs) arguments.push_back(text_of(job));
  Environment environment = candidate.environment;
  for (auto& variable : thread_environment(threads, session.machine.cores, candidate.openmp))
    environment.push_back(std::move(variable));
  // Any line comes within this time: the longest product twice, on a busy machine, or a start and a
  // verification.
  const double limit = 10 + 40 * budget;
  Findings found;
  std::string type;
  const std::string end = run_apart(arguments, environment, limit,
                                    [&](const auto& cells) { take(cells, candidate, found, type, on_time); });
  if (!end.empty())
    found.troubles.push_back(candidate.label() + (type.empty() ? "" : " " + type) + " with " +
                             course::threads_text(threads) + " left out: " + end);
  return found;
}

/// Troubles on stderr, each once.
void say(Session& session, const Findings& found) {
  static std::set<std::string> said;
  for (const std::string& trouble : found.troubles)
    if (said.insert(trouble).second) std::cerr << "00_machine: " << trouble << "\n";
  session.wrong |= !found.wrong.empty();
}

/// What a product in one thread says of the settings of one library.
Choice choose(Session& session, const std::vector<Candidate>& settings) {
  const std::string& first = session.options.types[0];
  const Job job = {first == "i32" ? "f32" : first, screened};
  const double budget = std::min(0.1, session.options.budget);
  return choose(settings, text_of(job), [&](const Candidate& setting) -> Look {
    const Findings found = run(session, setting, 1, {job}, budget, [](auto&&...) {});
    if (!knows(setting, found.kernel)) return {};
    say(session, found);
    if (!found.best) return {};
    return {found.kernel, job.shape.flops() / *found.best * 1e-9};
  });
}

}  // namespace

bool add_library(Session& session, const std::vector<Candidate>& settings) {
  Choice choice = remembered(settings, session.sheet.best(settings[0].name));
  if (choice.best == nullptr) choice = choose(session, settings);
  bool any = false;
  std::vector<const Candidate*> both = {choice.chosen};
  if (choice.best != choice.chosen) both.push_back(choice.best);
  for (const Candidate* const setting : both) {
    if (setting == nullptr) continue;
    const std::string why = setting != choice.best     ? "as chosen"
                            : setting == choice.chosen ? "as chosen and best"
                                                       : "best";
    for (const int threads : session.options.threads) {
      const auto row_of = [&](const Job& job) {
        return Row{"library", job.type, setting->label(), threads, course::shape_text(job.shape), "",
                   "GFLOP/s", ""};
      };
      std::vector<Job> jobs;
      for (const std::string& type : session.options.types)
        for (const Shape& shape : session.options.shapes)
          if (shape.flops() > 0 && session.sheet.wants(row_of({type, shape})))
            jobs.push_back({type, shape});
          else
            ++session.sheet.left_out, any = true;
      if (jobs.empty()) continue;
      say(session, run(session, *setting, threads, jobs, session.options.budget,
                       [&](const Findings& found, const Job& job, const Time& time) {
                         Row row = row_of(job);
                         row.value = rounded(job.shape.flops() / time.median * 1e-9);
                         row.note = why + "; " + found.about;
                         session.sheet.add(row);
                         any = true;
                       }));
    }
  }
  return any;
}

int run_child(int argc, const char* const* argv) {
  if (argc < 6) return 2;
  return serve([&] {
    const Library library = load({argv[2], "", "", argv[2], false, {}});
    const int repeat = std::atoi(argv[3]);
    const double budget = std::atof(argv[4]);
    std::vector<Job> jobs;
    for (int a = 5; a < argc; ++a) jobs.push_back(job_of(argv[a]));
    tell_about(library);
    time_all<float>(library, "f32", jobs, repeat, budget);
    time_all<double>(library, "f64", jobs, repeat, budget);
    time_all<std::int32_t>(library, "i32", jobs, repeat, budget);
  });
}

}  // namespace machine
