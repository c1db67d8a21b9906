#include "sheet.hpp"

#include <cstdio>

#include "runner/text.hpp"

namespace machine {
namespace {

std::string count(int threads) {
  return threads == 0 ? "" : std::to_string(threads);
}

std::string key_of(const Row& row) {
  return course::joined({row.name, row.type, row.vector, count(row.threads), row.level}, ",");
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

void Sheet::open(const std::string& path) {
  if (!path.empty()) file_.open(path);
}

void Sheet::take_rows(const std::string& path, const std::string& processor) {
  for (const course::Table::Row& c : file_.read(path, "--again")) {
    if (c[0] == "processor" && c[7] != course::cell_text(processor))
      throw course::Refusal{"--again: " + path + " tells of another processor, " + c[7] + ", not of " +
                            processor + "; give another file"};
    const Row row{c[0], c[1], c[2], std::atoi(c[3].c_str()), c[4], c[5], c[6], c[7]};
    best_[key_of(row)] = row;
  }
}

bool Sheet::wants(const Row& row) const {
  if (inspection == Inspection::first) return true;
  const auto best = best_.find(key_of(row));
  return best != best_.end() &&
         (inspection == Inspection::again || best->second.note.find("disturbed") != std::string::npos);
}

void Sheet::add(const Row& row) {
  Row& best = best_[key_of(row)];
  if (inspection != Inspection::first &&
      std::atof(row.value.c_str()) <= 1.005 * std::atof(best.value.c_str()))
    return;
  best = row;
  if (row.name != group_) course::say(stdout, "{}\n", row.name);
  group_ = row.name;
  course::say(stdout, "  {:<4} {:<20} {:>7} {:<14} {:>11} {:<8} {}\n", row.type, row.vector,
              row.threads == 0 ? "" : fmt::format("{} thread{}", row.threads, row.threads == 1 ? "" : "s"),
              row.level, row.value, row.unit, row.note);
  std::fflush(stdout);
  file_.append(
      {row.name, row.type, row.vector, count(row.threads), row.level, row.value, row.unit, row.note});
}

}  // namespace machine
