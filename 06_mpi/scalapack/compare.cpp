// Compares summa with ScaLAPACK's p?gemm in alternating pairs of runs, on the same grid and blocks: noise
// slows both runs of a pair, and their ratio stays. On one rank each of them is also compared with the kernel
// that it multiplies with. Refusals and the exit status of a wrong result are those of every step.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "common/verify.hpp"
#include "pgemm.hpp"
#include "rivals/compare.hpp"
#include "runner/cpu.hpp"
#include "runner/machine.hpp"
#include "runner/mpi_world.hpp"
#include "runner/options.hpp"
#include "runner/run.hpp"
#include "runner/session.hpp"

namespace {

using namespace mpi;
using course::Options;

/// One product, as long as the slowest rank's: the same seconds on every rank, which then all do the same.
template <class T>
rivals::Product product_of(course::Variant<T>& variant, const course::World& world) {
  return [&](int) {  // once: a sample of 0 seconds
    variant.reset();
    return *course::slowest(world, variant.run()).product;
  };
}

/// What rank 0 finds of C, on all ranks.
template <class T>
bool is_right(course::Variant<T>& variant, const Problem<T>& problem, const course::World& world,
              const Options& options) {
  const View<const T> c = variant.result();
  course::Check check;
  if (world.is_root()) {
    course::Verifier<T> verifier(problem, course::verifies_whole(options, problem.shape));
    if (check = verifier.check(c); !check.right)
      course::say(stderr, "06_mpi_compare: wrong: {}: {}\n", variant.traits.name, check.message);
  }
  return world.root(check.right) != 0;
}

/// A row: the medians of both, and of the ratios of a pair the least, the median and the most.
struct Row {
  std::string type = {}, variant = {}, rival = {};
  Shape shape = {};
  int ranks = 1;
  Settings settings = {};
  rivals::Verdict verdict = {};
};
course::Schema columns(const Row& r) {
  const auto cell = [](auto of) { return fmt::format("{}", of); };
  const auto rate = [&r](double seconds) { return fmt::format("{:.1f}", r.shape.flops() / seconds * 1e-9); };
  const auto ratio = [](double of) { return fmt::format("{:.3f}", of); };
  return {{"type", r.type},
          {"m", cell(r.shape.m)},
          {"n", cell(r.shape.n)},
          {"k", cell(r.shape.k)},
          {"ranks", cell(r.ranks)},
          {"threads", cell(r.settings.threads)},
          {"grid", r.settings.grid.text()},
          {"block", r.settings.block.text()},
          {"variant", r.variant},
          {"rival", r.rival},
          {"pairs", cell(r.verdict.pairs)},
          {"ours_gflops", rate(r.verdict.ours)},
          {"rival_gflops", rate(r.verdict.theirs)},
          {"ratio_low", ratio(r.verdict.least)},
          {"ratio", ratio(r.verdict.ratio)},
          {"ratio_high", ratio(r.verdict.most)},
          {"device", course::processor().text()},
          {"host", course::host_name()},
          {"commit", course::commit}};
}

struct Comparison {
  const Options& options;
  const course::World& world;
  int pairs;
  std::vector<std::string> rivals;
  course::Table table{columns({})};  // rank 0's alone
  bool all_right = true;
};

/// What came out of the pairs: to the terminal, and if it is right to the file.
void report(Comparison& comparison, const Row& row, bool right) {
  const course::Schema schema = columns(row);
  if (right && comparison.table.is_open()) comparison.table.append(course::cells_of(schema));
  const Settings& s = row.settings;
  course::say(stdout, "{:<4} {:<17} {:>5} {:>7} {:>7} {:>9} {:<7} {:<14}", row.type,
              course::shape_text(row.shape), row.ranks, s.threads, s.grid.text(), s.block.text(), row.variant,
              row.rival);
  for (std::size_t at = 11; at <= 15; ++at) course::say(stdout, " {:>9}", schema[at].cell);
  course::say(stdout, "  {}\n", right ? "right" : "wrong");
  std::fflush(stdout);
}

/// One against another: first in one pair, second in the next. Both are verified, on every rank.
template <class T>
void compare(Comparison& comparison, const Problem<T>& problem, const Settings& settings,
             course::Variant<T>& variant, course::Variant<T>& rival) {
  const Shape& s = problem.shape;
  const bool whole = course::verifies_whole(comparison.options, s);
  course::require_memory(
      fmt::format("{}: {}", course::shape_text(s), course::type_name<T>),
      2 * course::bytes_of_row<T>(s, variant.traits.dealt, whole, comparison.world),  // of both
      comparison.world);
  course::Variant<T>* const both[] = {&variant, &rival};
  for (course::Variant<T>* const one : both) one->allocate(problem, settings), one->distribute();
  const rivals::Verdict verdict =
      rivals::alternate(product_of<T>(variant, comparison.world), product_of<T>(rival, comparison.world),
                        [] {}, {.pairs = comparison.pairs, .sample = 0});
  bool right = true;
  for (course::Variant<T>* const one : both)
    right &= is_right(*one, problem, comparison.world, comparison.options);
  comparison.all_right &= right;
  for (course::Variant<T>* const one : both) one->release();
  if (!comparison.world.is_root()) return;
  report(comparison,
         {course::type_name<T>, variant.traits.name, rival.traits.name, s, comparison.world.size(), settings,
          verdict},
         right);
}

constexpr const char *pgemm = "p?gemm", *idle = "idle";  // which leaves C as it was, for tests
/// Other versions of summa that it may be compared with.
template <class T>
const std::map<std::string, typename Summa<T>::Kernel> other_summas = {{"summa_blocking", summa_blocking<T>},
                                                                       {"summa_unaided", summa_unaided<T>},
                                                                       {"summa_ring", summa_ring<T>}};

template <class T>
std::shared_ptr<course::Variant<T>> rival_called(const std::string& name) {
  if (name == pgemm) return on_ranks<Scalapack<T>>(name, "a rival");
  if (name == idle)
    return on_ranks<Summa<T>>(name, "a rival", [](const Panels<T>&, const Grid&, Multiply<T>, int) {});
  return on_ranks<Summa<T>>(name, "a rival", other_summas<T>.at(name));
}

/// All comparisons of one shape on one grid.
template <class T>
void compare_all(Comparison& comparison, const Shape& shape, const Settings& settings) {
  const Problem<T> problem{.shape = shape};
  const auto ours = on_ranks<Summa<T>>("summa", "ours", summa<T>);
  for (const std::string& name : comparison.rivals)
    compare<T>(comparison, problem, settings, *ours, *rival_called<T>(name));
  if (comparison.world.size() > 1) return;
  using course::Call, course::cpu;
  compare<T>(comparison, problem, settings, *ours, *cpu<T>("05_avx2", "summa's kernel", [](const Call<T>& x) {
               avx2::best<T>(x.a, x.b, x.c, x.threads);
             }));
  compare<T>(comparison, problem, settings, *rival_called<T>(pgemm),
             *cpu<T>("BLAS", "p?gemm's kernel", [](const Call<T>& x) { blas<T>(x.a, x.b, x.c, x.threads); }));
}

int run(int argc, char** argv, const course::World& world, course::Refused& refused) {
  Options options;
  options.types = {"f32", "f64"}, options.shapes = {{1000, 1000, 1000}};
  options.grids = {squarest(world.size())}, options.blocks = {{256, 256}};
  int pairs = 21;
  std::vector<std::string> rivals = {pgemm}, known = {pgemm, idle};
  for (const auto& [name, kernel] : other_summas<float>) known.push_back(name);
  CLI::App app("06_mpi_compare: summa and ScaLAPACK's p?gemm in turns");
  course::add_shapes(app, options), course::add_ranks(app, options, world.size());
  course::add_sweep(app, options);
  app.add_option("--rival", rivals, "Default p?gemm")->delimiter(',')->check(CLI::IsMember(known));
  app.add_option("--pairs", pairs, "Pairs of a row (default 21)")->transform(course::whole(1, 1'000'000));
  if (!course::parse(app, options, argc, argv, world.is_root())) return 0;
  for (const Shape& s : options.shapes)
    if (s.flops() == 0) throw course::Refusal{course::shape_text(s) + ": an empty product takes no time"};
  const std::string missing = course::lacking(avx2::best_needs());
  if (world.root(missing.empty()) == 0) {
    if (world.is_root()) course::say(stderr, "06_mpi_compare: skipped: this processor lacks {}\n", missing);
    return 77;
  }
  course::require_threads(options.threads, world);
  Comparison comparison{options, world, pairs, rivals};
  refused.alone = true;
  if (world.is_root() && !options.csv.empty()) comparison.table.open(options.csv);
  if (world.is_root())
    course::say(stdout, "{:<4} {:<17} {:>5} {:>7} {:>7} {:>9} {:<7} {:<14} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
                "type", "m x n x k", "ranks", "threads", "grid", "block", "variant", "rival", "GFLOP/s",
                "rival's", "least", "ratio", "most");
  const auto each = [&]<class T>(T) {
    for (const Shape& shape : options.shapes)
      for (const int threads : options.threads)
        for (const course::Sides& grid : options.grids)
          for (const course::Sides& block : options.blocks)
            compare_all<T>(comparison, shape, {.threads = threads, .grid = grid, .block = block});
  };
  for (const std::string& type : options.types) type == "f32" ? each(0.F) : each(0.);
  return comparison.all_right ? 0 : 1;
}

/// OpenBLAS chooses its kernel while it is loaded, and badly on processors newer than itself.
void choose_blas(char** argv) {
  if (std::getenv("OPENBLAS_CORETYPE")) return;
  const bool wide = std::string(avx2::best_vector()) == "avx512";
  setenv("OPENBLAS_CORETYPE", wide ? "SkylakeX" : "Haswell", 1);
  execv("/proc/self/exe", argv);
}

}  // namespace

int main(int argc, char** argv) {
  choose_blas(argv);
  const course::MpiWorld world(&argc, &argv);
  course::Refused refused;
  course::prepare_streams();
  try {
    return course::written(run(argc, argv, world, refused));
  } catch (...) {
    return course::status_of_exception("06_mpi_compare", world, refused);
  }
}
