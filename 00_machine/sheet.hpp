// machine.csv: one row a finding, written as soon as it is found.
#pragma once

#include <string>

#include "runner/prediction.hpp"

namespace machine {

struct Row {
  std::string name, type, vector;
  int threads;  // 0: has nothing to do with threads
  std::string level, value, unit, note;
};

/// "118.2": four digits are more than any of these measurements holds.
std::string rounded(double value);
std::string whole(double value);       // bytes and counts
std::string bytes_text(double bytes);  // "256 MiB"

class Sheet {
 public:
  /// An empty `path`: the terminal only. With `resume`, rows that the file has are not wanted again. Throws
  /// Refusal as Table does, and if the file tells of another processor.
  Sheet(const std::string& path, bool resume, const std::string& processor);

  enum class Look { first, again, at_disturbed };  // again: roofs only gain by another

  /// False if the file has a row with this one's key, which is counted; at another look, if this run has not,
  /// or, at_disturbed, if its best was measured undisturbed.
  bool wants(const Row& row);
  /// Prints the row and appends it to the file; at another look only one that is better than those before.
  void add(const Row& row);
  /// Takes the rows that the file has for measured: looks are at them.
  void take_file();

  int left_out = 0;
  Look look = Look::first;

 private:
  course::Table file_{course::machine_schema()};      // with --resume, what it had counts
  course::Table measured_{course::machine_schema()};  // in this run
  bool resume_;
  std::string group_;
};

}  // namespace machine
