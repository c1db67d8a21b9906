#include "sheet.hpp"

#include <cstdio>

#include "runner/text.hpp"

namespace machine {
namespace {

std::string count(int threads) {
  return threads == 0 ? "" : std::to_string(threads);
}

course::Table::Row cells(const Row& row) {
  return {row.name, row.type, row.vector, count(row.threads), row.level, row.value, row.unit, row.note};
}

}  // namespace

std::string rounded(double value) {
  if (value >= 1e4) return whole(value);  // not 6.525e+04
  return fmt::format("{:.4g}", value);
}

std::string whole(double value) {
  return fmt::format("{:.0f}", value);
}

std::string bytes_text(double bytes) {
  return course::readable_bytes(bytes);
}

Sheet::Sheet(const std::string& path, bool resume, const std::string& processor) : resume_(resume) {
  if (path.empty()) return;
  file_.open(path);
  if (!resume) return;
  for (const auto& [key, row] : file_.rows())
    if (file_.cell(row, "name") == "processor" && file_.cell(row, "note") != course::cell_text(processor))
      throw course::Refusal{"--resume: " + path + " tells of another processor, " + file_.cell(row, "note") +
                            ", not of " + processor + "; give another file"};
}

bool Sheet::wants(const Row& row) {
  if (look != Look::first) {
    const course::Table::Row* const before = measured_.find(cells(row));
    return before != nullptr &&
           (look == Look::again || measured_.cell(*before, "note").find("disturbed") != std::string::npos);
  }
  const bool known = resume_ && file_.find(cells(row)) != nullptr;
  left_out += known;
  return !known;
}

void Sheet::take_file() {
  for (const auto& [key, row] : file_.rows()) measured_.append(row);
}

void Sheet::add(const Row& row) {
  const course::Table::Row* const before = measured_.find(cells(row));
  if (look != Look::first && before != nullptr &&
      std::atof(row.value.c_str()) <= 1.005 * measured_.number(*before, "value"))
    return;
  measured_.append(cells(row));
  if (row.name != group_) fmt::print("{}\n", row.name);
  group_ = row.name;
  fmt::print("  {:<4} {:<20} {:>7} {:<14} {:>11} {:<8} {}\n", row.type, row.vector,
             row.threads == 0 ? "" : course::threads_text(row.threads), row.level, row.value, row.unit,
             row.note);
  std::fflush(stdout);
  if (file_.is_open()) file_.append(cells(row));
}

}  // namespace machine
