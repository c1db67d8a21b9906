#include "meeting.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "common/verify.hpp"
#include "duel.hpp"
#include "runner/machine.hpp"
#include "runner/session.hpp"

namespace rivals {
namespace {

using course::Problem, course::Shape, course::Table, course::Variant, course::Verifier;

const course::Schema& rivals_schema() {
  using course::key;
  static const course::Schema schema = {
#include "rivals.columns"
  };
  return schema;
}
const course::Schema& pairs_schema() {
  using course::key;
  static const course::Schema schema = {
#include "pairs.columns"
  };
  return schema;
}

struct Meeting {
  const Side &ours, &theirs;
  const course::Options& options;
  Rules rules;
  Table table{rivals_schema()}, of_pairs{pairs_schema()};
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

/// A row of rivals.csv; the numbers are empty where it is only looked for.
Table::Row row_of(const Meeting& meeting, const std::string& type, const Shape& shape,
                  const std::string& device, const std::vector<std::string>& numbers) {
  const std::string threads = std::to_string(meeting.options.threads[0]);
  Table::Row row = {type,    std::to_string(shape.m), std::to_string(shape.n), std::to_string(shape.k),
                    threads, meeting.ours.name,       meeting.theirs.name};
  row.insert(row.end(), numbers.begin(), numbers.end());
  for (const std::string& cell : {device.empty() ? course::processor() : device, std::string(COURSE_FLAGS),
                                  course::compiler, course::host_name(), course::commit, course::utc_now()})
    row.push_back(cell);
  return row;
}

/// Each pair, beside the key of its row.
void write_pairs(Meeting& meeting, const Table::Row& row, const std::vector<Pair>& pairs) {
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    Table::Row line(row.begin(), row.begin() + 7);
    for (const std::string& cell : {std::to_string(pair), fmt::format("{:.9g}", pairs[pair].ours),
                                    fmt::format("{:.9g}", pairs[pair].theirs), row[13], row[16], row[17]})
      line.push_back(cell);
    meeting.of_pairs.append(line);
  }
}

template <class T>
void duel(Meeting& meeting, const Shape& shape, Variant<T>* we, Variant<T>* they) {
  const course::Options& options = meeting.options;
  const std::string type = course::type_name<T>;
  const bool asked = std::find(options.types.begin(), options.types.end(), type) != options.types.end();
  if (!asked || we == nullptr || they == nullptr) return;
  const Table::Row empty = row_of(meeting, type, shape, we->device(), std::vector<std::string>(6));
  if (options.resume && meeting.table.find(empty) != nullptr) {
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
  const std::vector<Pair> pairs =
      alternate([&] { return *we->run().product; }, [&] { return *they->run().product; },
                [&] { we->reset(), they->reset(); }, meeting.rules);
  we->release(), they->release();
  const Verdict v = judge(pairs);
  const double ours = shape.flops() / v.ours * 1e-9, theirs = shape.flops() / v.theirs * 1e-9;
  fmt::print(
      "  {:<4} {:<14} {:<9} {:<14} {:6.3f} ({:.3f} to {:.3f}) x {:<20} {:6.1f} against {:6.1f} GFLOP/s, "
      "{} pairs\n",
      type, course::shape_text(shape), course::threads_text(options.threads[0]), meeting.ours.name, v.ratio,
      v.low, v.high, meeting.theirs.name, ours, theirs, pairs.size());
  std::vector<std::string> numbers = {std::to_string(pairs.size())};
  for (const double number : {v.ratio, v.low, v.high, ours, theirs})
    numbers.push_back(fmt::format("{:.6g}", number));
  if (meeting.table.is_open()) meeting.table.append(row_of(meeting, type, shape, we->device(), numbers));
  if (meeting.of_pairs.is_open()) write_pairs(meeting, empty, pairs);
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
