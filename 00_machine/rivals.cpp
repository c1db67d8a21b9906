#include "rivals.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <functional>
#include <iostream>
#include <set>
#include <sstream>

#include "common/fill.hpp"
#include "common/record.hpp"
#include "common/stopwatch.hpp"
#include "common/table.hpp"
#include "common/verify.hpp"

namespace machine {
namespace {

using course::Matrix, course::Shape;

constexpr int findings = 3;                  // the child's end of the pipe
constexpr Shape screened = {512, 512, 512};  // where the settings of a library compete
constexpr double clearly = 1.03;  // a setting must be better than the library's choice by more than noise
constexpr Shape ragged[] = {{67, 45, 129},
                            {301, 257, 190}};  // the second is large enough for several threads

/// A product to be timed.
struct Job {
  std::string type;
  Shape shape;
};

// ---------------------------------------------------------------- the child

/// One line to the parent, its cells between tabs.
void tell(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (line.empty() ? "" : "\t") + cell;
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t now = write(findings, line.data() + sent, line.size() - sent);
    if (now <= 0) _exit(2);  // the parent is gone
    sent += static_cast<std::size_t>(now);
  }
}

template <class T>
struct Inputs {
  explicit Inputs(const Shape& s) : a(s.m, s.k), b(s.k, s.n), c(s.m, s.n) {
    fill_matrix(a.view(), course::Fill::uniform, 987654, 'A');
    fill_matrix(b.view(), course::Fill::uniform, 987654, 'B');
    fill_matrix(c.view(), course::Fill::uniform, 987654, 'C');
  }
  void multiply(const Library& library) { library.gemm<T>(a.view(), b.view(), c.view()); }
  bool guards_intact() const { return a.guards_intact() && b.guards_intact() && c.guards_intact(); }

  Matrix<T> a, b, c;
};

/// What is wrong with the library's product of this shape, or nothing.
template <class T>
std::string trouble(const Library& library, const Shape& shape) {
  Inputs<T> inputs(shape);
  Matrix<T> before(shape.m, shape.n);
  course::copy<T>(inputs.c.view(), before.view());
  inputs.multiply(library);
  course::Problem<T> problem;
  problem.shape = shape;
  problem.a = inputs.a.view(), problem.b = inputs.b.view(), problem.c = before.view();
  const course::Check check =
      course::Reference<T>::sampled(problem, std::is_integral_v<T>, 987654).compare(inputs.c.view());
  if (!inputs.guards_intact()) return course::shape_text(shape) + ": it wrote outside its matrix";
  return check.right ? "" : course::shape_text(shape) + ": " + check.trouble;
}

/// Times one product as the course's loop does: a warm-up, then runs until `repeat` or the budget is spent; a
/// warm-up over the budget stays the only run. C grows with every run, which takes no longer. Returns the
/// best, in seconds.
template <class T>
double time(const Library& library, const Shape& shape, int repeat, double budget) {
  Inputs<T> inputs(shape);
  const auto once = [&] {
    const course::Stopwatch watch;
    inputs.multiply(library);
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
void serve(const Library& library, const std::string& type, const std::vector<Job>& jobs, int repeat,
           double budget) {
  if (!library.has<T>() ||
      std::none_of(jobs.begin(), jobs.end(), [&](auto& job) { return job.type == type; }))
    return;
  tell({"type", type});
  for (const Shape& shape : ragged)
    if (const std::string what = trouble<T>(library, shape); !what.empty()) return tell({"wrong", what});
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
void take(const std::string& line, const Candidate& candidate, Findings& found, std::string& type,
          const OnTime& on_time) {
  std::vector<std::string> cells(1);
  for (const char c : line)
    if (c == '\t')
      cells.emplace_back();
    else
      cells.back() += c;
  cells.resize(5);
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

/// Starts the child and returns its pid and the pipe's end.
std::pair<pid_t, int> start(const Candidate& candidate, int threads, int cores, const std::vector<Job>& jobs,
                            int repeat, double budget) {
  std::ostringstream seconds;
  seconds << budget;
  std::vector<std::string> words = {"00_machine", child_mark, candidate.file, std::to_string(repeat),
                                    seconds.str()};
  for (const Job& job : jobs) words.push_back(text_of(job));
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw course::Refusal{std::string("cannot make a pipe: ") + std::strerror(errno)};
  const pid_t parent = getpid(), child = fork();
  if (child < 0) throw course::Refusal{std::string("cannot start a process: ") + std::strerror(errno)};
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // Ctrl-C ends all at once, however the parent dies
    if (getppid() != parent) _exit(2);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    set(candidate.environment);
    set(thread_environment(threads, cores, candidate.openmp));
    const int nowhere = ::open("/dev/null", O_RDWR);  // what a library prints is not ours
    for (const int stream : {0, 1, 2}) dup2(nowhere, stream);
    if (ends[1] == findings)
      fcntl(findings, F_SETFD, 0);
    else
      dup2(ends[1], findings);
    execv("/proc/self/exe", argv.data());
    _exit(2);
  }
  close(ends[1]);
  return {child, ends[0]};
}

/// Runs the jobs in a process of its own; `on_time` is called as each is done.
Findings run(const Session& session, const Candidate& candidate, int threads, const std::vector<Job>& jobs,
             double budget, const OnTime& on_time) {
  Findings found;
  const auto [child, pipe] =
      start(candidate, threads, session.machine.cores, jobs, session.options.repeat, budget);
  struct Reap {
    pid_t child;
    int pipe;
    ~Reap() {
      if (pipe >= 0) close(pipe);
      if (child > 0) kill(child, SIGKILL), waitpid(child, nullptr, 0);
    }
  } reap{child, pipe};
  // Any line comes within this time: the longest product twice, on a busy machine, or a start and a
  // verification.
  const double limit = 10 + 40 * budget;
  std::string unread, type;
  bool hung = false, finished = false;
  while (true) {
    pollfd wait{pipe, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(std::min(limit * 1000, 1e9)));
    if (ready < 0 && errno == EINTR) continue;
    if ((hung = ready == 0)) break;
    char part[4096];
    const ssize_t size = read(pipe, part, sizeof part);
    if (size <= 0) break;
    unread.append(part, static_cast<std::size_t>(size));
    for (std::size_t end; (end = unread.find('\n')) != std::string::npos; unread.erase(0, end + 1)) {
      const std::string line = unread.substr(0, end);
      finished |= line == "end";
      take(line, candidate, found, type, on_time);
    }
  }
  if (hung) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  reap.child = 0;
  const std::string where = candidate.label() + (type.empty() ? "" : " " + type) + " with " +
                            std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  if (hung)
    found.troubles.push_back(where + " left out: nothing came for " + course::readable_seconds(limit));
  else if (!finished)
    found.troubles.push_back(where + " left out: it ended by " +
                             (WIFSIGNALED(status) ? std::string(strsignal(WTERMSIG(status)))
                                                  : "itself with " + std::to_string(WEXITSTATUS(status))));
  return found;
}

bool same_kernel(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// Troubles on stderr, each once.
void say(Session& session, const Findings& found) {
  static std::set<std::string> said;
  for (const std::string& trouble : found.troubles)
    if (said.insert(trouble).second) std::cerr << "00_machine: " << trouble << "\n";
  session.wrong |= !found.wrong.empty();
}

/// The settings that a product in one thread calls best; `candidates` are of one library. Settings that this
/// library does not know (it then chooses itself) are left out.
struct Choice {
  const Candidate *chosen = nullptr, *best = nullptr;
};
Choice choose(Session& session, const std::vector<Candidate>& settings) {
  const std::string& first = session.options.types[0];
  const Job job = {first == "i32" ? "f32" : first, screened};
  const double budget = std::min(0.1, session.options.budget);
  Choice choice;
  double least = 0, as_chosen = 0;
  std::printf("library %s, %s on 1 thread:", settings[0].name.c_str(), text_of(job).c_str());
  for (const Candidate& setting : settings) {
    const Findings found = run(session, setting, 1, {job}, budget, [](auto&&...) {});
    const bool own = setting.setting.empty();
    if (!own && !found.kernel.empty() && !same_kernel(setting.setting, found.kernel)) continue;
    say(session, found);
    if (!found.best) continue;
    std::printf(" %s %s", own ? ("(" + found.kernel + ")").c_str() : setting.setting.c_str(),
                rounded(job.shape.flops() / *found.best * 1e-9).c_str());
    std::fflush(stdout);
    if (own) choice.chosen = &setting, as_chosen = *found.best;
    if (choice.best == nullptr || *found.best < least) choice.best = &setting, least = *found.best;
  }
  std::printf(" GFLOP/s\n");
  if (choice.chosen != nullptr && as_chosen < clearly * least) choice.best = choice.chosen;
  return choice;
}

/// As `choose`, from what the file knew.
Choice remembered(const Session& session, const std::vector<Candidate>& settings) {
  Choice choice;
  if (const auto label = session.sheet.best(settings[0].name))
    for (const Candidate& setting : settings)
      if (setting.label() == *label) choice = {&settings[0], &setting};
  return choice;
}

}  // namespace

bool add_library(Session& session, const std::vector<Candidate>& settings) {
  Choice choice = {&settings[0], &settings[0]};
  if (settings.size() > 1) choice = remembered(session, settings);
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
  if (argc < 6 || fcntl(findings, F_GETFD) < 0) return 2;
  fcntl(findings, F_SETFD, FD_CLOEXEC);
  try {
    const Library library = load({argv[2], "", "", argv[2], false, {}});
    const int repeat = std::atoi(argv[3]);
    const double budget = std::atof(argv[4]);
    std::vector<Job> jobs;
    for (int a = 5; a < argc; ++a) jobs.push_back(job_of(argv[a]));
    tell({"about", library.version, library.kernel, library.config, library.path});
    serve<float>(library, "f32", jobs, repeat, budget);
    serve<double>(library, "f64", jobs, repeat, budget);
    serve<std::int32_t>(library, "i32", jobs, repeat, budget);
  } catch (const course::Refusal& refused) {
    tell({"failed", refused.message});
  } catch (const std::exception& error) {
    tell({"failed", error.what()});
  }
  tell({"end"});
  _exit(0);  // not exit: libraries end threads and processes there in ways of their own
}

}  // namespace machine
