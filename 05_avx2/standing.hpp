// rivals.csv: one row a duel, written as soon as it is over; and how ours stand in all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/problem.hpp"
#include "runner/table.hpp"

namespace duel {

struct Row {
  std::string type;
  course::Shape shape;
  int threads = 1;
  std::string variant, rival;
  std::string numbers[6];  // pairs, ratio, its quartiles, our GFLOP/s, theirs
};

constexpr double target = 0.98;  // of the best library, in every cell

class Standing {
 public:
  /// An empty `path`: the terminal only. With `resume`, rows that the file has are not wanted again. Throws
  /// Refusal as Table does.
  Standing(const std::string& path, bool resume, const std::string& flags);

  /// False if the file has this row: then it counts in the summary.
  bool wants(Row row);
  /// The rival that a rung of ours met by the file: this library (a label is its name, or that and a
  /// setting), at its best.
  std::optional<std::string> met(const std::string& rung, const std::string& library) const;
  /// Prints the row and appends it to the file.
  void add(const Row& row);
  /// Of each type, number of threads and variant: ours against the best library in each cell.
  void print_summary() const;

  int added = 0, left_out = 0;

 private:
  course::Table::Row cells(const Row& row) const;

  course::Table file_;
  std::string flags_;
  bool resume_;
  std::vector<Row> rows_;
};

}  // namespace duel
