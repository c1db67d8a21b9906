// One row of the results, and how it is printed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/verify.hpp"
#include "runner/prediction.hpp"
#include "runner/table.hpp"
#include "runner/variant.hpp"

namespace course {

struct Record {
  std::string step, variant, against, type;
  Shape shape;
  std::string fill;
  std::uint64_t seed = 0;
  Settings settings;
  int ranks = 1;
  Device device;
  int repeat = 0;
  std::optional<double> best_s, median_s, mean_s, stddev_s;  // of the product
  std::string turns;  // --in-turns: seconds of a product in each turn, blanks between
  Times times;        // medians; `product` is not used
  std::optional<double> gflops;
  std::vector<double> ratios;  // of all turns
  std::optional<Prediction> prediction;
  std::optional<double> peak_share;  // of the processor's peak; the CSV has no column for it
  std::string verify, verdict;
  std::optional<Check> check;
  std::string flags, compiler, host, commit, started;

  /// Fills in repeats, rate and, by their medians, times: what no run has stays empty.
  void summarise(const std::vector<Times>& runs);
  /// The command line that runs this row again.
  std::string command_line(const VariantInfo& info, Index pad, const std::string& emulate) const;
  /// The columns of results.csv, with this row's cells.
  Schema columns() const;
};

/// Prints the two lines above the rows; prints a row.
void print_header(const Record& record);
void print_row(const Record& record);

}  // namespace course
