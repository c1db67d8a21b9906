// A process for one library, alone or in turns with ours: libraries read their settings while they are
// loaded, and one that crashes, hangs or disturbs the floating-point mode must not take the others with it.
// rivals.py starts it, as rivals_cpu (with library.cpp) or rivals_gpu (with cublas.cu):
//   check [FILE] [OPTIONS]              Are the options sound, what is the library?
//   measure FILE LABEL [OPTIONS]        The library alone: its GFLOP/s, a line a type.
//   measure FILE LABEL OURS [OPTIONS]   In turns with ours: a line a type, rows of rivals.csv.
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <thread>

#include "common/stopwatch.hpp"
#include "common/verify.hpp"
#include "compare.hpp"
#include "library.hpp"
#include "runner/machine.hpp"
#include "runner/session.hpp"

namespace {

using namespace rivals;
using course::Index, course::Options, course::Problem, course::Shape, course::Table, course::Variant,
    course::Verifier;

/// What one of the two does alone, and how far it is from the right product, in what the verifier allows.
struct Side {
  double seconds = 0, error_share = 0;  // of a product
  Gpu::State state = {};
};

struct Row {
  std::string type, device, ours, theirs;
  Shape shape;
  int threads = 1;
  Verdict verdict = {};
  Side our_side = {}, their_side = {};
};

std::string count(Index of) {
  return std::to_string(of);
}
std::string number(double of) {
  return fmt::format("{:.6g}", of);
}
/// The columns of rivals.csv with the cells of this row; rows alike in all keys are one, measured again.
course::Schema columns(const Row& r) {
  const auto rate = [&r](double seconds) { return number(r.shape.flops() / seconds * 1e-9); };
  return {{"type", r.type},
          {"m", count(r.shape.m)},
          {"n", count(r.shape.n)},
          {"k", count(r.shape.k)},
          {"threads", count(r.threads)},
          {"variant", r.ours},
          {"rival", r.theirs},
          {"pairs", count(r.verdict.pairs)},
          {"ratio", number(r.verdict.ratio)},
          {"ratio_low", number(r.verdict.low)},
          {"ratio_high", number(r.verdict.high)},
          {"ratio_min", number(r.verdict.least)},
          {"ratio_max", number(r.verdict.most)},
          {"ours_gflops", rate(r.verdict.ours)},
          {"rival_gflops", rate(r.verdict.theirs)},
          {"device", r.device},
          {"flags", COURSE_FLAGS},
          {"compiler", course::compiler},
          {"host", course::host_name()},
          {"commit", course::commit},
          {"started", course::utc_now()}};
}
/// A file beside rivals.csv: the row's key without its build, and in front of the device what each did alone.
course::Schema columns_sustained(const Row& r) {
  const auto known = [](double of) { return of > 0 ? number(of) : ""; };
  const Side &ours = r.our_side, &theirs = r.their_side;
  const course::Schema alone = {{"ratio", number(theirs.seconds / ours.seconds)},
                                {"ours_gflops", number(r.shape.flops() / ours.seconds * 1e-9)},
                                {"rival_gflops", number(r.shape.flops() / theirs.seconds * 1e-9)},
                                {"ours_mhz", known(ours.state.mhz)},
                                {"rival_mhz", known(theirs.state.mhz)},
                                {"ours_watts", known(ours.state.watts)},
                                {"rival_watts", known(theirs.state.watts)},
                                {"ours_error_share", number(ours.error_share)},
                                {"rival_error_share", number(theirs.error_share)}};
  course::Schema found;
  for (const course::Column& column : columns(r)) {
    if (column.name == "pairs") found.insert(found.end(), alone.begin(), alone.end());
    if (found.size() < 7 || column.name == "device" || column.name == "host" || column.name == "commit")
      found.push_back(column);
  }
  return found;
}

/// What one process is asked for, and what it measures.
struct Process {
  Options options = {};
  std::vector<std::string> arguments = {};
  double settle = 0;
  std::string kernel = "own", sustained_csv = {};
  Library theirs = {}, ours = {};
  std::string their_name = {}, our_name = {};
  Table table{columns({})}, of_sustained{columns_sustained({})};
  bool alone() const { return arguments.size() < 4; }
};

/// Runs the product once, which warms it up, and checks it.
template <class T>
course::Check first_run(Variant<T>& variant, const Problem<T>& problem, Verifier<T>& verifier) {
  variant.allocate(problem, {}), variant.distribute();
  variant.reset(), variant.run();
  variant.fetch();
  if (!variant.guards_intact()) return {.message = "it wrote outside its matrix"};
  return verifier.check(variant.result());
}

/// Throws if a product does not use so many threads: those of a team are there when it is done, others
/// have used so much of the processor. Not asked of a small or thin one, for which a library may take fewer.
template <class T>
void require_team(Variant<T>& variant, const Shape& shape, int threads) {
  if (!variant.device().is_processor() || std::min({shape.m, shape.n, shape.k}) < 256) return;
  double share = 0;
  for (int run = 0; run < 5; ++run) {
    std::error_code none;
    if (std::distance(std::filesystem::directory_iterator("/proc/self/task", none), {}) >= threads) return;
    const double used = course::process_seconds();
    const course::Stopwatch watch;
    variant.run();
    share = std::max(share, (course::process_seconds() - used) / watch.seconds());
    if (share > 0.6 * threads) return;
  }
  throw std::runtime_error(fmt::format("asked for {}, it uses {:.2g}", course::threads_text(threads), share));
}

/// GFLOP/s of the median time.
template <class T>
double rate_alone(Variant<T>& variant, const Shape& shape, const Options& options, double settle) {
  for (const course::Stopwatch watch; watch.seconds() < settle;) variant.run();
  std::vector<double> seconds;
  const course::Stopwatch watch;
  while (seconds.empty() || (std::ssize(seconds) < options.repeat && watch.seconds() < options.budget)) {
    variant.reset();
    seconds.push_back(*variant.run().product);
  }
  return shape.flops() / course::median(seconds) * 1e-9;
}

/// Alone for a second, after half a second in which a GPU finds the clock that its power allows.
Side sustained(const Product& product, const Gpu& gpu, double error_share) {
  constexpr int readings = 10;
  std::future<Gpu::State> reading;
  if (gpu.state != nullptr)
    reading = std::async(std::launch::async, [&gpu] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      Gpu::State mean;
      for (int one = 0; one < readings; ++one) {
        std::this_thread::sleep_for(std::chrono::milliseconds(900 / readings));
        const auto [mhz, watts] = gpu.state();
        mean.mhz += mhz / readings, mean.watts += watts / readings;
      }
      return mean;
    });
  const double seconds = rivals::sustained(product, 0.5, 1);
  return {seconds, error_share, reading.valid() ? reading.get() : Gpu::State{}};
}

/// Verifies the library and ours, then times the one alone, or both in turns. 0: there is a row; 1: a product
/// is wrong; 77: not of this type.
template <class T>
int measure(Process& of, const Shape& shape, std::shared_ptr<Variant<T>> Library::*type) {
  const Options& options = of.options;
  const std::string name = course::type_name<T>;
  Variant<T>*const theirs = (of.theirs.*type).get(), *const ours = (of.ours.*type).get();
  if (!course::contains(options.types, name) || !theirs || (!of.alone() && !ours)) return 77;
  const std::string device =
      theirs->device().is_processor() ? course::processor().text() : theirs->device().name;
  Row row{name, device, of.our_name, of.their_name, shape, options.threads[0]};
  const Problem<T> problem{shape}, digits{.shape = shape, .fill = course::Fill::digits};
  const Problem<T>& verified = of.theirs.rounds ? digits : problem;
  Verifier<T> verifier(verified, false);
  for (const bool is_ours : {false, true}) {
    Variant<T>* const variant = is_ours ? ours : theirs;
    if (variant == nullptr) continue;
    if (const std::string why = variant->refuses(problem, {}); !why.empty()) throw std::runtime_error(why);
    const course::Check found = first_run(*variant, verified, verifier);
    (is_ours ? row.our_side : row.their_side).error_share = found.error_share;
    if (!found.message.empty()) {
      course::say(stderr, "rivals: {} {} is wrong: {}: {}\n", is_ours ? of.our_name : of.their_name, name,
                  course::shape_text(shape), found.message);
      return 1;
    }
    require_team(*variant, shape, row.threads);
    // Timed on other numbers: a GPU's clock depends on them.
    if (of.theirs.rounds) variant->release(), variant->allocate(problem, {}), variant->distribute();
  }
  if (of.alone()) {
    course::say(stdout, "{}\t{:.6g}\n", name, rate_alone(*theirs, shape, options, of.settle));
    return 0;
  }
  Gpu none;
  Gpu& gpu = of.theirs.gpu != nullptr ? *of.theirs.gpu : none;
  int queued = 1;  // for each run that is asked for
  const auto product_of = [&queued](Variant<T>* variant) {
    return [&queued, variant](int runs) {
      at_once = runs * queued;
      return *variant->run().product / queued;
    };
  };
  const Product our_product = product_of(ours), their_product = product_of(theirs);
  // On a GPU so many of both that the shorter takes so long.
  const auto queue = [&](double seconds) {
    queued = 1;
    if (of.theirs.gpu != nullptr)
      queued = static_cast<int>(std::clamp(seconds / std::min(our_product(1), their_product(1)), 1., 1e4));
  };
  queue(2e-3);
  const Verdict& v = row.verdict =
      alternate(our_product, their_product, [&] { ours->reset(), theirs->reset(); },
                {.pairs = options.repeat,
                 .budget = options.budget,
                 .sample = of.theirs.gpu != nullptr ? 0 : Rules{}.sample,
                 .settle = of.settle});
  std::string alone;
  if (of.of_sustained.is_open()) {
    queue(50e-3);
    Side &our_side = row.our_side, &their_side = row.their_side;
    our_side = sustained(our_product, gpu, our_side.error_share);
    their_side = sustained(their_product, gpu, their_side.error_share);
    of.of_sustained.append(course::cells_of(columns_sustained(row)));
    alone = fmt::format("; sustained {:.3f} x", their_side.seconds / our_side.seconds);
  }
  at_once = 1;
  ours->release(), theirs->release();
  course::say(
      stdout,
      "  {:<4} {:<14} {:<9} {:<14} {:6.3f} ({:.3f} to {:.3f}) x {:<20} {:6.1f} against {:6.1f} GFLOP/s, "
      "{} pairs{}\n",
      name, course::shape_text(shape), course::threads_text(row.threads), row.ours, v.ratio, v.low, v.high,
      row.theirs, shape.flops() / v.ours * 1e-9, shape.flops() / v.theirs * 1e-9, v.pairs, alone);
  if (of.table.is_open()) of.table.append(course::cells_of(columns(row)));
  return 0;
}

int measure_all(Process& of) {
  const Options& options = of.options;
  of.theirs = load(of.arguments[1], of.kernel), of.their_name = of.arguments[2];
  if (!of.alone()) {
    of.ours = load(of.arguments[3], "own");
    of.our_name = of.ours.kernel + (options.threads == std::vector{1} ? "" : "_threads");
  }
  if (!options.csv.empty()) of.table.open(options.csv);
  if (!of.sustained_csv.empty()) of.of_sustained.open(of.sustained_csv);
  bool wrong = false, found = false;
  const auto count_status = [&](int status) { wrong |= status == 1, found |= status == 0; };
  for (const Shape& shape : options.shapes) try {
      count_status(measure(of, shape, &Library::bf16));
      count_status(measure(of, shape, &Library::f32));
      count_status(measure(of, shape, &Library::f64));
      count_status(measure(of, shape, &Library::i32));
    } catch (const std::exception& error) {
      course::say(stderr, "rivals: {} left out: {}: {}\n", of.their_name, course::shape_text(shape),
                  error.what());
    }
  return wrong ? 1 : found ? 0 : 77;
}

/// Throws Refusal if an option cannot be served here; else says what rivals.py wants to know, a line each.
int check(const std::string& file, const std::string& kernel, const Options& options) {
  course::require_cpus(options.threads);
  for (const Shape& s : options.shapes) {
    if (s.flops() == 0) throw course::Refusal{course::shape_text(s) + ": an empty product takes no time"};
    course::require_memory(course::shape_text(s), 2 * course::bytes_of_row<double>(s, false, false, {}));
  }
  if (file.empty()) return 0;
  const Library library = load(file, kernel);
  const std::string why = library.f32 ? library.f32->refuses({}, {}) : "";
  if (!why.empty()) throw course::Refusal{why};
  if (const std::string missing = course::lacking(library.needs); !missing.empty())
    throw course::Refusal{"this processor lacks " + missing};
  course::say(stdout, "types\t{}{}{}{}\nkernel\t{}\nopenmp\t{}\nabout\t{}\n", library.bf16 ? "bf16 " : "",
              library.f32 ? "f32 " : "", library.f64 ? "f64 " : "", library.i32 ? "i32" : "", library.kernel,
              library.openmp ? "yes" : "", library.about);
  return 0;
}

int run(int argc, const char* const* argv) {
  CLI::App app("a process for one library; rivals.py starts it");
  Process process;
  Options& options = process.options;
  app.add_option("arguments", process.arguments, "check [FILE], or measure FILE LABEL [OURS]");
  options.types.emplace_back("bf16");
  course::add_shapes(app, options), course::add_common(app, options);
  app.add_option("--pairs", options.repeat, "Pairs of runs, at least; alone: runs, at most")
      ->transform(course::whole(1, 1'000'000));
  app.add_option("--settle", process.settle, "Seconds untimed before each sample");
  app.add_option("--kernel", process.kernel, "Which of OpenBLAS's and BLIS's (default: its own choice)")
      ->check(CLI::IsMember({"avx512", "avx2", "own"}));
  app.add_option("--sustained-csv", process.sustained_csv,
                 "Each alone for 1.5 s, too: append a line a row to this file");
  if (!course::parse(app, options, argc, argv)) return 0;
  std::vector<std::string>& arguments = process.arguments;
  if (arguments.size() == 1) arguments.emplace_back();
  if (arguments.size() == 2 && arguments[0] == "check") return check(arguments[1], process.kernel, options);
  if ((arguments.size() == 3 || arguments.size() == 4) && arguments[0] == "measure")
    return measure_all(process);
  throw course::Refusal{"this process is for rivals.py; call build/rivals/rivals"};
}

}  // namespace

int main(int argc, char** argv) {
  // It ends with whoever started it, however that ends; it may have ended already.
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  const char* const parent = std::getenv("COURSE_STARTER");
  if (parent != nullptr && std::atoi(parent) != getppid()) _exit(1);
  const rlimit no_core{};
  setrlimit(RLIMIT_CORE, &no_core);
  course::prepare_streams();
  int status = 0;
  try {
    status = course::written(run(argc, argv));
  } catch (...) {
    status = course::status_of_exception("rivals");
  }
  std::fflush(stdout);
  _exit(status);  // not exit: libraries end threads and processes there in ways of their own
}
