// One library, alone or in turns with ours, in a process of its own: libraries read their settings while they
// are loaded, and one that crashes, hangs or disturbs the floating-point mode shall not take the others with
// it. rivals.py starts it, in the environment that the library is to have.
//   meet check [FILE] [OPTIONS]           are the options sound, what is this machine, what is the library
//   meet alone FILE LABEL [OPTIONS]       the library as the only variant of a step like any other
//   meet duel OURS FILE LABEL [OPTIONS]   rows of rivals.csv
#include <sys/resource.h>
#include <unistd.h>

#include "common/verify.hpp"
#include "library.hpp"
#include "meeting.hpp"
#include "runner/machine.hpp"
#include "runner/session.hpp"
#include "starter.hpp"

namespace {

using namespace rivals;
using course::Problem, course::Shape, course::Table, course::Variant, course::Verifier;

// ------------------------------------------------------------------ alone

template <class T>
course::Variants<T> variants(const Library& library, const std::string& label) {
  const auto variant = library.variant<T>();
  if (variant) variant->traits.name = label;
  return variant ? course::Variants<T>{variant} : course::Variants<T>{};
}

int run_alone(const std::string& file, const std::string& label, int argc, const char* const* argv) {
  const Library library(file);
  return course::run(argc, argv,
                     {"rivals", "a library", COURSE_FLAGS, library.needs, variants<float>(library, label),
                      variants<double>(library, label), variants<std::int32_t>(library, label)});
}

// ------------------------------------------------------------------ the program

Side side(const Library& library, const std::string& name) {
  return {name, library.variant<float>(), library.variant<double>(), library.variant<std::int32_t>()};
}

/// Throws Refusal if an option cannot be served here; else says what rivals.py wants to know, a line each.
int check(const std::string& file, const course::Options& options) {
  course::require_cpus(options.threads);
  for (const Shape& s : options.shapes) {
    if (s.flops() == 0) throw course::Refusal{course::shape_text(s) + ": an empty product takes no time"};
    const double c = static_cast<double>(s.m) * static_cast<double>(s.n);
    course::require_memory(course::shape_text(s) + ": needs",
                           8 * (s.elements() + 3 * c) + Verifier<double>::bytes(s, false));
  }
  std::string has;
  for (const char* const feature : {"avx", "avx2", "fma", "bmi", "bmi2", "avx512f", "avx512cd", "avx512dq",
                                    "avx512bw", "avx512vl", "avx512bf16"})
    if (course::lacking(feature).empty()) has.append(" ").append(feature);
  fmt::print("processor\t{}\nfeatures\t{}\ncpus\t{}\n", course::processor(), has, course::usable_cpus());
  if (file.empty()) return 0;
  const Library library(file);
  std::string about = library.version;
  for (const std::string& part : {library.config, library.path}) about += (part.empty() ? "" : "; ") + part;
  const std::string types = std::string(library.variant<float>() ? "f32 " : "") +
                            (library.variant<double>() ? "f64 " : "") +
                            (library.variant<std::int32_t>() ? "i32" : "");
  fmt::print("types\t{}\nkernel\t{}\nkernels\t{}\nneeds\t{}\nopenmp\t{}\nabout\t{}\n", types, library.kernel,
             library.kernels, library.needs, library.openmp ? "yes" : "", about);
  return 0;
}

int run(int argc, const char* const* argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  std::vector<std::string> words;  // what stands before the options
  while (words.size() + 2 < static_cast<std::size_t>(argc) && argv[words.size() + 2][0] != '-')
    words.emplace_back(argv[words.size() + 2]);
  const int used = static_cast<int>(words.size()) + 1;
  argc -= used, argv += used;
  if (what == "alone" && words.size() == 2) return run_alone(words[0], words[1], argc, argv);
  Asked asked;
  if (what == "check")
    return asked.parse(argc, argv) ? check(words.empty() ? "" : words[0], asked.options) : 0;
  if (what != "duel" || words.size() != 3) throw course::Refusal{"meet is for rivals.py; call that"};
  if (!asked.parse(argc, argv)) return 0;
  const Library ours(words[0]), theirs(words[1]);
  const bool alone = asked.options.threads == std::vector<int>{1};
  return run_duels(side(ours, ours.kernel + (alone ? "" : "_threads")), side(theirs, words[2]), asked);
}

}  // namespace

int main(int argc, char** argv) {
  end_with_starter();
  const rlimit no_core{};
  setrlimit(RLIMIT_CORE, &no_core);
  const int status = course::guarded("rivals", [&] { return run(argc, argv); });
  std::fflush(stdout);
  _exit(status);  // not exit: libraries end threads and processes there in ways of their own
}
