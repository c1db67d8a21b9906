#include "meeting.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "common/verify.hpp"
#include "duel.hpp"
#include "runner/machine.hpp"
#include "runner/session.hpp"

namespace rivals {
namespace {

using course::Index, course::Problem, course::Shape, course::Table, course::Variant, course::Verifier;

/// A row of rivals.csv, and which of its pairs is looked at.
struct Met {
  std::string type, device, ours, theirs;
  Shape shape;
  int threads = 1;
  std::vector<Pair> pairs = {};
  Verdict verdict = {};
  Index pair = 0;
};

std::string count(Index of) {
  return std::to_string(of);
}
std::string number(double of) {
  return fmt::format("{:.6g}", of);
}
/// The columns of rivals.csv, with the cells of this row; and of the file of its pairs.
course::Schema columns(const Met& r) {
  using course::key, course::value;
  const auto rate = [&r](double seconds) { return number(r.shape.flops() / seconds * 1e-9); };
  return {
#include "rivals.columns"
  };
}
course::Schema columns_of_pair(const Met& r) {
  using course::key, course::value;
  const auto seconds = [&r](double Pair::*side) {
    return r.pairs.empty() ? "" : fmt::format("{:.9g}", r.pairs[static_cast<std::size_t>(r.pair)].*side);
  };
  return {
#include "pairs.columns"
  };
}

struct Meeting {
  const Side &ours, &theirs;
  const course::Options& options;
  Rules rules;
  Table table{columns({})}, of_pairs{columns_of_pair({})};
  int wrong = 0, rows = 0;
};

/// What is wrong with the product, or nothing.
template <class T>
std::string trouble(Variant<T>& variant, const Problem<T>& problem, Verifier<T>& verifier) {
  variant.reset(), variant.run();
  course::Piece<T> piece;
  variant.fetch(piece);
  const course::Check check = verifier.check(piece, {});
  const bool inside = problem.guards_intact() && variant.guards_intact();
  if (inside && check.right) return {};
  return course::shape_text(problem.shape) + ": " + (inside ? check.trouble : "it wrote outside its matrix");
}

template <class T>
void duel(Meeting& meeting, const Shape& shape, Variant<T>* we, Variant<T>* they) {
  const course::Options& options = meeting.options;
  const std::string type = course::type_name<T>;
  const bool asked = std::find(options.types.begin(), options.types.end(), type) != options.types.end();
  if (!asked || we == nullptr || they == nullptr) return;
  Met met{type,
          we->device().empty() ? course::processor() : we->device(),
          meeting.ours.name,
          meeting.theirs.name,
          shape,
          options.threads[0]};
  if (options.resume && meeting.table.find(course::cells_of(columns(met))) != nullptr) {
    ++meeting.rows;
    return;
  }
  const Problem<T> problem{shape};
  Verifier<T> verifier(problem, false);
  for (Variant<T>* const variant : {we, they}) variant->allocate(problem, {}, {}), variant->distribute();
  for (const auto& [who, variant] : {std::pair(meeting.theirs.name, they), std::pair(meeting.ours.name, we)})
    if (const std::string what = trouble(*variant, problem, verifier); !what.empty()) {
      fmt::print(stderr, "rivals: {} {} is wrong: {}\n", who, type, what);
      ++meeting.wrong;
      return;
    }
  met.pairs = alternate([&] { return *we->run().product; }, [&] { return *they->run().product; },
                        [&] { we->reset(), they->reset(); }, meeting.rules);
  we->release(), they->release();
  const Verdict& v = met.verdict = judge(met.pairs);
  fmt::print(
      "  {:<4} {:<14} {:<9} {:<14} {:6.3f} ({:.3f} to {:.3f}) x {:<20} {:6.1f} against {:6.1f} GFLOP/s, "
      "{} pairs\n",
      type, course::shape_text(shape), course::threads_text(met.threads), met.ours, v.ratio, v.low, v.high,
      met.theirs, shape.flops() / v.ours * 1e-9, shape.flops() / v.theirs * 1e-9, met.pairs.size());
  if (meeting.table.is_open()) meeting.table.append(course::cells_of(columns(met)));
  for (; meeting.of_pairs.is_open() && met.pair < std::ssize(met.pairs); ++met.pair)
    meeting.of_pairs.append(course::cells_of(columns_of_pair(met)));
  ++meeting.rows;
}

}  // namespace

bool Asked::parse(int argc, const char* const* argv) {
  CLI::App app("meet: ours and a library in turns (rivals.py starts it)");
  course::add_shapes(app, options), course::add_common(app, options, true);
  course::add_number(app, "--pairs", "Pairs of runs a row has at least", options.repeat, 1, 1'000'000);
  app.add_option("--unheeded", unheeded, "Seconds untimed before each sample");
  app.add_option("--pairs-csv", pairs_csv, "Append a line a pair to this file");
  return course::parse(app, options, argc, argv);
}

int run_duels(const Side& ours, const Side& theirs, const Asked& asked) {
  const course::Options& options = asked.options;
  const Rules rules{.pairs = options.repeat, .budget = options.budget, .unheeded = asked.unheeded};
  Meeting meeting{ours, theirs, options, rules};
  if (!options.csv.empty()) meeting.table.open(options.csv);
  if (!asked.pairs_csv.empty()) meeting.of_pairs.open(asked.pairs_csv);
  for (const Shape& shape : options.shapes) {
    duel(meeting, shape, ours.f32.get(), theirs.f32.get());
    duel(meeting, shape, ours.f64.get(), theirs.f64.get());
    duel(meeting, shape, ours.i32.get(), theirs.i32.get());
  }
  return meeting.wrong > 0 ? 1 : meeting.rows > 0 ? 0 : 77;
}

}  // namespace rivals
