#include "child.hpp"

#include <fcntl.h>
#include <omp.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "runner/text.hpp"

namespace machine {
namespace {

constexpr int findings = 3;  // the child's end of the pipe

struct Child {
  pid_t process;
  int pipe;

  ~Child() {
    close(pipe);
    if (process > 0) kill(process, SIGKILL), waitpid(process, nullptr, 0);
  }
};

/// The hardware threads that this process may use, even where OpenMP has bound the calling one to a core.
cpu_set_t usable_set() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, ids.data());
    for (const int id : ids) CPU_SET(static_cast<std::size_t>(id), &all);
  }
  if (CPU_COUNT(&all) == 0) sched_getaffinity(0, sizeof all, &all);
  return all;
}

Child start(std::vector<std::string> words, const Environment& environment) {
  words.insert(words.begin(), {program_invocation_short_name, child_mark});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw course::Refusal{std::string("cannot make a pipe: ") + std::strerror(errno)};
  const cpu_set_t all = usable_set();  // a bound thread would hand down its one core
  const pid_t parent = getpid(), child = fork();
  if (child < 0) throw course::Refusal{std::string("cannot start a process: ") + std::strerror(errno)};
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // Ctrl-C ends all at once, however the parent dies
    if (getppid() != parent) _exit(2);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    sched_setaffinity(0, sizeof all, &all);
    set(environment);
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

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line)
    if (c == '\t')
      cells.emplace_back();
    else
      cells.back() += c;
  cells.resize(std::max<std::size_t>(cells.size(), 5));
  return cells;
}

}  // namespace

std::string run_apart(const std::vector<std::string>& arguments, const Environment& environment, double limit,
                      const OnLine& on_line) {
  Child child = start(arguments, environment);
  std::string unread;
  bool hung = false, finished = false;
  while (true) {
    pollfd wait{child.pipe, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(std::min(limit * 1000, 1e9)));
    if (ready < 0 && errno == EINTR) continue;
    if ((hung = ready == 0)) break;
    char part[4096];
    const ssize_t size = read(child.pipe, part, sizeof part);
    if (size <= 0) break;
    unread.append(part, static_cast<std::size_t>(size));
    for (std::size_t end; (end = unread.find('\n')) != std::string::npos; unread.erase(0, end + 1)) {
      const std::string line = unread.substr(0, end);
      finished |= line == "end";
      on_line(cells_of(line));
    }
  }
  if (hung) kill(child.process, SIGKILL);
  int status = 0;
  waitpid(child.process, &status, 0);
  child.process = 0;
  if (hung) return "nothing came for " + course::readable_seconds(limit);
  if (finished) return {};
  return "it ended by " + (WIFSIGNALED(status) ? std::string(strsignal(WTERMSIG(status)))
                                               : "itself with " + std::to_string(WEXITSTATUS(status)));
}

int serve(const std::function<void()>& body) {
  if (fcntl(findings, F_GETFD) < 0) return 2;
  fcntl(findings, F_SETFD, FD_CLOEXEC);
  try {
    body();
  } catch (const course::Refusal& refused) {
    tell({"failed", refused.message});
  } catch (const std::exception& error) {
    tell({"failed", error.what()});
  }
  tell({"end"});
  _exit(0);  // not exit: libraries end threads and processes there in ways of their own
}

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

void tell_about(const Library& library) {
  tell({"about", library.version, library.kernel, library.config, library.path});
}

}  // namespace machine
