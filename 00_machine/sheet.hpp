// machine.csv: one row a finding, written as soon as it is found.
#pragma once

#include <map>
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
  /// Rows go to this file, too; an empty `path`: to the terminal only. Throws Refusal as Table does.
  void open(const std::string& path);
  /// Takes the rows of that file for measured: inspections are of them. Throws Refusal if they are of another
  /// processor.
  void take_rows(const std::string& path, const std::string& processor);

  enum class Inspection { first, again, of_disturbed };  // again: roofs only gain by another

  /// At another inspection, whether this row was measured before and, of_disturbed, its best was disturbed.
  bool wants(const Row& row) const;
  /// Prints the row and appends it to the file; at another inspection only one that is better than those
  /// before.
  void add(const Row& row);

  Inspection inspection = Inspection::first;

 private:
  course::Table file_{course::machine_schema};
  std::map<std::string, Row> best_;  // by what tells rows apart
  std::string group_;
};

}  // namespace machine
