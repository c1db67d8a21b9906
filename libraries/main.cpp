// A library by itself, and our best variant in turns with it, as variants like any of a step:
//   libraries --library NAME|FILE [--kernel avx2] [--sustained] [OPTIONS of a step]
// A process a library and a number of threads: libraries read their settings while they are loaded, and one
// that crashes or hangs must not take the others with it. With cublas.cu this is the program cublas.
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "library.hpp"
#include "runner/text.hpp"

namespace {

int run(int argc, char** argv) {
  std::vector<const char*> words(argv, argv + argc);
  const std::string known = course::joined(libraries::names());
  course::Step step;
  step.program = COURSE_PROGRAM;
  const std::string more = "--library, a file or one of " + known + "; --kernel avx2 keeps both to AVX2; ";
  step.idea = "a library by itself, and ours in turns with it; besides the options below " +
              (known.empty() ? "" : more) + "--sustained: each for a second";
  libraries::Asked asked;
  asked.sustained = std::erase(words, std::string("--sustained")) > 0;
  if (!known.empty()) {
    asked.library = course::taken(words, "--library");
    const std::string kernel = course::taken(words, "--kernel");
    if (!kernel.empty()) course::one_of("--kernel", kernel, {"avx2"});
    asked.avx2 = !kernel.empty();
  }
  const std::string threads = course::taken(words, "--threads", "1");
  if (course::contains(threads, ',')) throw course::Refusal{"--threads: several; give one number a process"};
  words.insert(words.end(), {"--threads", threads.c_str()});
  asked.threads = std::max(1, std::atoi(threads.c_str()));
  step.options = (asked.library.empty() ? "" : " --library " + asked.library) +
                 (asked.avx2 ? " --kernel avx2" : "") + (asked.sustained ? " --sustained" : "");
  if (std::count(words.begin(), words.end(), std::string("--help")) == 0) try {
      libraries::add_variants(step, asked, argv);
    } catch (const libraries::Missing& missing) {
      course::say(stderr, "{}: {} skipped: {}\n", step.program, asked.library, missing.why);
      return 77;
    }
  return course::run(static_cast<int>(words.size()), words.data(), step);
}

}  // namespace

int main(int argc, char** argv) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // it ends with whoever started it, however that ends
#endif
  const rlimit no_core{};  // of a library that crashes, in the reader's folder
  setrlimit(RLIMIT_CORE, &no_core);
  const int status = course::exit_status(COURSE_PROGRAM, [&] { return run(argc, argv); });
  std::fflush(stdout);
  _exit(status);  // not exit: libraries end threads and processes there in ways of their own
}
