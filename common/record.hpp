// One row: what was run and what came out, as the course's one CSV schema.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/variant.hpp"

namespace course {

/// Something of the user's cannot be served: its text goes to stderr as one line, the exit status is 2.
struct Refusal {
  std::string message;
};

struct Record {
  std::string step, variant, type;
  Shape shape;
  std::string fill;
  std::uint64_t seed = 0;
  Settings settings;
  int ranks = 1;
  std::string device;
  int repeat = 0;
  std::optional<double> best_s, median_s, mean_s, stddev_s;
  Seconds seconds;  // medians by phase; `product` is not used
  std::optional<double> gflops, predicted_s;
  std::optional<double>
      peak_share;     // of the processor's peak; for the terminal, the CSV has no column for it
  std::string limit;  // what the prediction says decides; in the CSV it is among the counters
  std::string verify;
  std::optional<double> error_share, relative_error;
  std::optional<Index> differences;
  std::string verdict, counters, flags, compiler, host, commit, started;

  /// Column names and their texts, in the schema's order: header and line both come from here.
  std::vector<std::pair<std::string, std::string>> fields() const;
  std::string header() const;
  std::string line() const;
};

/// What tells one row from another: every column that a user chose or that names program and machine.
std::string key_of(const std::vector<std::pair<std::string, std::string>>& fields);

/// An append-only CSV file. Each row is one write, so that a killed program leaves whole rows.
class Csv {
 public:
  Csv() = default;
  /// Opens or creates `path`; a torn last line (a crash of the machine) is cut off. Throws Refusal if it
  /// cannot be written or has other columns, and then leaves it as it was.
  explicit Csv(const std::string& path);
  ~Csv();
  Csv(const Csv&) = delete;
  Csv& operator=(const Csv&) = delete;

  bool open() const { return file_ >= 0; }
  /// Throws Refusal when the disk is full; what was there before stays whole.
  void append(const Record& record);

  /// What the file knows of a row: its verdict, how often it was run and for how long in all.
  struct Known {
    std::string verdict;
    int repeat;
    double seconds;
  };
  /// The last row with the same key as this one, or nothing.
  std::optional<Known> known(const Record& record) const;

 private:
  void write_whole(const std::string& text);
  void read_rows(const std::string& content);

  std::string path_;
  int file_ = -1;
  std::map<std::string, Known> rows_;  // by key
};

}  // namespace course
