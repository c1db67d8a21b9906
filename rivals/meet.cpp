// One library, alone or in turns with ours, in a process of its own: libraries read their settings while they
// are loaded, and one that crashes, hangs or disturbs the floating-point mode shall not take the others with
// it. rivals.py starts it, in the environment that the library is to have.
//   meet check [FILE] [OPTIONS]           are the options sound, what is this machine, what is the library
//   meet alone FILE LABEL [OPTIONS]       the library as the only variant of a step like any other
//   meet duel OURS FILE LABEL [OPTIONS]   rows of rivals.csv
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "common/verify.hpp"
#include "duel.hpp"
#include "library.hpp"
#include "runner/machine.hpp"
#include "runner/session.hpp"
#include "starter.hpp"

namespace {

using namespace rivals;
using course::Problem, course::Shape, course::Table, course::Variant, course::Verifier;

const course::Schema& rivals_schema() {
  using course::key;
  static const course::Schema schema = course::schema_of({
#include "rivals.columns"
  });
  return schema;
}

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

// ------------------------------------------------------------------ in turns

/// One process's duels: between two libraries of files, with one number of threads.
struct Meeting {
  const Library &ours, &theirs;
  const std::string& label;
  const course::Options& options;
  Rules rules;
  Table table{rivals_schema()};
  int wrong = 0, rows = 0;
};

/// What is wrong with the product, or nothing.
template <class T>
std::string trouble(Variant<T>& variant, const Problem<T>& problem, Verifier<T>& verifier) {
  variant.allocate(problem, {}, {});
  variant.reset(), variant.run();
  course::Piece<T> piece;
  variant.fetch(piece);
  const course::Check check = verifier.check(piece, {});
  const bool inside = problem.guards_intact() && variant.guards_intact();
  variant.release();
  if (inside && check.right) return {};
  return course::shape_text(problem.shape) + ": " + (inside ? check.trouble : "it wrote outside its matrix");
}

/// A row of rivals.csv; the numbers are empty where it is only looked for.
Table::Row row_of(const Meeting& meeting, const std::string& type, const Shape& shape,
                  const std::vector<std::string>& numbers) {
  const std::string threads = std::to_string(meeting.options.threads[0]);
  Table::Row row = {type,
                    std::to_string(shape.m),
                    std::to_string(shape.n),
                    std::to_string(shape.k),
                    threads,
                    meeting.ours.kernel + (threads == "1" ? "" : "_threads"),
                    meeting.label};
  row.insert(row.end(), numbers.begin(), numbers.end());
  for (const std::string& cell : {course::processor(), std::string(COURSE_FLAGS), course::compiler,
                                  course::host_name(), course::commit, course::utc_now()})
    row.push_back(cell);
  return row;
}

template <class T>
void duel(Meeting& meeting, const Shape& shape) {
  const course::Options& options = meeting.options;
  const std::string type = course::type_name<T>;
  const auto we = meeting.ours.variant<T>(), they = meeting.theirs.variant<T>();
  const bool asked = std::find(options.types.begin(), options.types.end(), type) != options.types.end();
  if (!asked || !we || !they) return;
  const Table::Row empty = row_of(meeting, type, shape, std::vector<std::string>(6));
  if (options.resume && meeting.table.find(empty) != nullptr) {
    ++meeting.rows;
    return;
  }
  const Problem<T> problem{shape};
  Verifier<T> verifier(problem, false);
  for (const auto& [who, variant] : {std::pair(meeting.label, they), std::pair(empty[5], we)})
    if (const std::string what = trouble(*variant, problem, verifier); !what.empty()) {
      fmt::print(stderr, "rivals: {} {} is wrong: {}\n", who, type, what);
      ++meeting.wrong;
      return;
    }
  we->allocate(problem, {}, {}), they->allocate(problem, {}, {});
  const std::vector<Pair> pairs =
      alternate([&] { return *we->run().product; }, [&] { return *they->run().product; },
                [&] { we->reset(), they->reset(); }, meeting.rules);
  we->release(), they->release();
  const Verdict v = judge(pairs);
  const double ours = shape.flops() / v.ours * 1e-9, theirs = shape.flops() / v.theirs * 1e-9;
  fmt::print(
      "  {:<4} {:<14} {:<9} {:<14} {:6.3f} ({:.3f} to {:.3f}) x {:<20} {:6.1f} against {:6.1f} GFLOP/s, "
      "{} pairs\n",
      type, course::shape_text(shape), course::threads_text(options.threads[0]), empty[5], v.ratio, v.low,
      v.high, meeting.label, ours, theirs, pairs.size());
  std::vector<std::string> numbers = {std::to_string(pairs.size())};
  for (const double number : {v.ratio, v.low, v.high, ours, theirs})
    numbers.push_back(fmt::format("{:.6g}", number));
  if (meeting.table.is_open()) meeting.table.append(row_of(meeting, type, shape, numbers));
  ++meeting.rows;
}

// ------------------------------------------------------------------ the program

/// What duels and --check are given.
struct Asked {
  course::Options options{.repeat = 21};
  double unheeded = 0;

  bool parse(int argc, const char* const* argv) {
    CLI::App app("meet: ours and a library in turns (rivals.py starts it)");
    course::add_shapes(app, options), course::add_common(app, options, true);
    course::add_number(app, "--pairs", "Pairs of runs a row has at least", options.repeat, 1, 1'000'000);
    app.add_option("--unheeded", unheeded, "Seconds untimed before each sample");
    return course::parse(app, options, argc, argv);
  }
};

int run_duels(const Library& ours, const Library& theirs, const std::string& label, const Asked& asked) {
  const course::Options& options = asked.options;
  const Rules rules{.pairs = options.repeat, .budget = options.budget, .unheeded = asked.unheeded};
  course::require_cpus(options.threads);
  Meeting meeting{ours, theirs, label, options, rules};
  if (!options.csv.empty()) meeting.table.open(options.csv);
  for (const Shape& shape : options.shapes)
    duel<float>(meeting, shape), duel<double>(meeting, shape), duel<std::int32_t>(meeting, shape);
  return meeting.wrong > 0 ? 1 : meeting.rows > 0 ? 0 : 77;
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
  return run_duels(ours, theirs, words[2], asked);
}

}  // namespace

int main(int argc, char** argv) {
  end_with_starter();
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const int status = course::guarded("rivals", [&] { return run(argc, argv); });
  std::fflush(stdout);
  _exit(status);  // not exit: libraries end threads and processes there in ways of their own
}
