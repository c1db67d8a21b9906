// summa and ScaLAPACK's p?gemm in turns, on the same grid and blocks: noise slows both of a pair, and their
// ratio stays. What is refused and what a wrong result ends with is as in every step.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "common/mpi_world.hpp"
#include "common/verify.hpp"
#include "runner/machine.hpp"
#include "runner/options.hpp"
#include "runner/run.hpp"
#include "runner/session.hpp"
#include "scalapack.hpp"

namespace {

using namespace mpi;
using course::Options;

/// One of the two, and its seconds.
template <class T>
struct Contender {
  course::Variant<T>& variant;
  std::vector<double> seconds = {};

  /// One product, as long as the slowest rank's.
  double run(const course::World& world) {
    variant.reset();
    return *course::slowest(world, variant.run()).product;
  }
  void timed(const course::World& world) { seconds.push_back(run(world)); }
  bool right(const Problem<T>& problem, const course::World& world, const Options& options) {
    Piece<T> piece;
    variant.fetch(piece);
    course::Verifier<T> verifier(problem, course::verifies_whole(options, problem.shape));
    const course::Check check = verifier.check(piece, world);
    if (!check.right && world.rank() == 0)
      fmt::print(stderr, "06_mpi_duel: wrong: {}: {}\n", variant.traits.name, check.trouble);
    return check.right;
  }
};

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// A row: so many pairs, ours first in one and theirs in the next. False if one of them was wrong.
template <class T>
bool meet(const Options& options, const course::World& world, const Problem<T>& problem,
          const Settings& settings, int pairs) {
  Summa<T> our_variant(course::Traits{.name = "summa", .idea = "ours"}, summa<T>);
  Scalapack<T> their_variant(course::Traits{.name = "p?gemm", .idea = "theirs"});
  const std::string what = fmt::format("{} {}:", course::shape_text(problem.shape), course::type_name<T>);
  course::require_memory(what + " needs",
                         our_variant.bytes(problem, settings) + their_variant.bytes(problem, settings) +
                             course::Verifier<T>::bytes(
                                 problem.shape, course::verifies_whole(options, problem.shape), world.size()),
                         "", world);
  Contender<T> ours{our_variant}, theirs{their_variant};
  for (auto* const contender : {&ours, &theirs}) {
    contender->variant.allocate(problem, settings, world);
    contender->variant.distribute();
    contender->run(world);  // warms it up
  }
  for (int pair = 0; pair < pairs; ++pair) {
    (pair % 2 == 0 ? ours : theirs).timed(world);
    (pair % 2 == 0 ? theirs : ours).timed(world);
  }
  const bool we = ours.right(problem, world, options), they = theirs.right(problem, world, options);
  for (auto* const contender : {&ours, &theirs}) contender->variant.release();
  if (world.rank() > 0) return we && they;
  std::vector<double> ratios;
  for (std::size_t pair = 0; pair < ours.seconds.size(); ++pair)
    ratios.push_back(theirs.seconds[pair] / ours.seconds[pair]);
  const auto gflops = [&](const Contender<T>& contender) {
    return problem.shape.flops() / course::median(contender.seconds) * 1e-9;
  };
  fmt::print("{:<4} {:<17} {:>5} {:>7} {:>7} {:>9} {:>9.1f} {:>9.1f} {:>7.3f} {:>6.3f} {:>6.3f}  {}\n",
             course::type_name<T>, course::shape_text(problem.shape), world.size(), settings.threads,
             settings.grid, settings.block, gflops(ours), gflops(theirs), course::median(ratios),
             quantile(ratios, 0.25), quantile(ratios, 0.75), we && they ? "right" : "wrong");
  std::fflush(stdout);
  return we && they;
}

int duel(int argc, char** argv, const course::World& world) {
  Options options;
  options.types = {"f32", "f64"};
  options.grids = {squarest(world.size())}, options.blocks = {"128x128"};
  int pairs = 21;
  CLI::App app("06_mpi_duel: summa and ScaLAPACK's p?gemm in turns");
  course::add_shapes(app, options), course::add_common(app, options, true);
  course::add_ranks(app, options, world.size());
  course::add_number(app, "--pairs", "Pairs of a row (default 21)", pairs, 1, 1'000'000);
  if (!course::parse(app, options, argc, argv, world.rank() == 0)) return 0;
  if (const std::string missing = world.first(course::lacking(avx2::best_needs())); !missing.empty()) {
    if (world.rank() == 0) fmt::print(stderr, "06_mpi_duel: skipped: this processor lacks {}\n", missing);
    return 77;
  }
  if (world.rank() == 0)
    fmt::print("{:<4} {:<17} {:>5} {:>7} {:>7} {:>9} {:>9} {:>9} {:>7} {:>6} {:>6}\n", "type", "m x n x k",
               "ranks", "threads", "grid", "block", "ours", "theirs", "ratio", "25 %", "75 %");
  bool right = true;
  const auto each = [&]<class T>(T) {
    for (const Shape& shape : options.shapes)
      for (const int threads : options.threads)
        for (const std::string& grid : options.grids)
          for (const std::string& block : options.blocks)
            right &= meet<T>(options, world, Problem<T>{.shape = shape},
                             {.threads = threads, .grid = grid, .block = block}, pairs);
  };
  for (const std::string& type : options.types) type == "f32" ? each(0.F) : each(0.);
  return right ? 0 : 1;
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
  return course::guarded(
      "06_mpi_duel", [&] { return duel(argc, argv, world); }, world);
}
