// A library and our last rung, each alone and in turns, as variants like any of a step:
//   libraries --library NAME|FILE [--kernel avx2] [--sustained] [OPTIONS of a step]
// A process a library and a number of threads: libraries read their settings while they are loaded, and one
// that crashes or disturbs the floating-point mode must not take the others with it.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <map>

#include "library.hpp"
#include "runner/run.hpp"

namespace {

using course::Refusal;

/// What is this program's own of the command line, taken out of it.
struct Own {
  std::string library = {}, kernel = {}, threads = "1";
  bool sustained = false, help = false;
  std::vector<const char*> rest = {};
};
Own own_of(int argc, char** argv) {
  Own own;
  for (int at = 0; at < argc; ++at) {
    const std::string word = argv[at];
    const auto value = [&] {
      if (at + 1 == argc) throw Refusal{word + ": a value is missing"};
      return argv[++at];
    };
    if (word == "--library") {
      own.library = value();
    } else if (word == "--kernel") {
      own.kernel = course::one_of(word, value(), {"avx2"});
    } else if (word == "--sustained") {
      own.sustained = true;
    } else {
      own.rest.push_back(argv[at]);
      own.help |= word == "--help";
      if (word == "--threads" && at + 1 < argc) own.threads = argv[at + 1];
    }
  }
  return own;
}

/// Makes any library use so many threads, one a core as long as there are cores. OpenMP reads where its
/// threads go before main(), so the program begins anew where its environment is another.
void set_threads(const std::string& threads, bool openmp, char** argv) {
  const bool one = threads == "1";
  std::map<std::string, std::string> wanted = {
      {"OMP_NUM_THREADS", threads},
      {"OPENBLAS_NUM_THREADS", threads},
      {"BLIS_NUM_THREADS", threads},
      {"MKL_NUM_THREADS", threads},
      {"MKL_DYNAMIC", "FALSE"},
      {"OMP_DYNAMIC", "FALSE"},
      // One thread alone goes where the system finds room. Our own OpenMP would bind the first thread to one
      // core, and threads that are not OpenMP's would be born there, all of them.
      {"OMP_PROC_BIND", !one && openmp ? "true" : "false"},
      {"OMP_PLACES", std::atoi(threads.c_str()) > course::allowed_cpus() ? "threads" : "cores"}};
  // Our threads wait for more work at full speed, and would disturb its own.
  if (!one && !openmp) wanted["GOMP_SPINCOUNT"] = "10000";
  bool as_wanted = true;
  for (const auto& [name, value] : wanted) {
    const char* const there = std::getenv(name.c_str());
    as_wanted &= there != nullptr && value == there;
    setenv(name.c_str(), value.c_str(), 1);
  }
  if (!as_wanted) execv("/proc/self/exe", argv);
}

int run(int argc, char** argv) {
  const Own own = own_of(argc, argv);
  const std::string known = course::joined(libraries::names());
  course::Step step;
  step.program = "libraries", step.flags = COURSE_FLAGS;
  step.idea =
      "our last rung and a library, each alone and in turns; besides the options below --library, a file or "
      "one of " +
      known + "; --kernel avx2 keeps both to AVX2; --sustained: each for a second";
  const auto run_it = [&] { return course::run(static_cast<int>(own.rest.size()), own.rest.data(), step); };
  if (own.help) return run_it();
  if (own.library.empty()) throw Refusal{"--library: which one? give a file, or one of " + known};
  if (own.threads.find(',') != std::string::npos)
    throw Refusal{"--threads: '" + own.threads + "' are several; give one number a process"};
  step.options = " --library " + own.library + (own.kernel.empty() ? "" : " --kernel " + own.kernel) +
                 (own.sustained ? " --sustained" : "");
  if (!own.kernel.empty()) setenv("COURSE_RUNG", "tuned", 1);
  const auto skipped = [&](const std::string& why) {
    fmt::print(stderr, "libraries: {} skipped: {}\n", own.library, why);
    return 77;
  };
  libraries::Library theirs;
  try {
    theirs = libraries::load(own.library, !own.kernel.empty());
  } catch (const Refusal& refusal) {
    if (!course::contains(libraries::names(), own.library)) throw;
    return skipped(refusal.message);
  }
  if (const std::string missing = course::lacking(theirs.needs); !missing.empty())
    return skipped("this processor lacks " + missing);
  set_threads(own.threads, theirs.openmp, argv);
  const libraries::Library ours = libraries::load(COURSE_OURS, false);
  const bool one = own.threads == "1";
  const std::string our_name = ours.kernel + (one ? "" : "_threads");
  const libraries::Timing timing{
      .own_team = !theirs.openmp, .settle = one || theirs.openmp ? 0 : 5e-3, .sustained = own.sustained};
  add(step.f32, our_name, ours.f32, theirs.name, theirs.f32, timing, theirs.about);
  add(step.f64, our_name, ours.f64, theirs.name, theirs.f64, timing, theirs.about);
  add(step.i32, our_name, ours.i32, theirs.name, theirs.i32, timing, theirs.about);
  return run_it();
}

}  // namespace

int main(int argc, char** argv) {
  const rlimit no_core{};
  setrlimit(RLIMIT_CORE, &no_core);
  const int status = course::exit_status("libraries", [&] { return run(argc, argv); });
  std::fflush(stdout);
  _exit(status);  // not exit: libraries end threads and processes there in ways of their own
}
