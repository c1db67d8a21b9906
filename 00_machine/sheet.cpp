#include "sheet.hpp"

#include <cstdio>

#include "common/record.hpp"
#include "libraries.hpp"

namespace machine {
namespace {

const std::string header = "name,type,vector,threads,level,value,unit,note";

std::string count(int threads) {
  return threads == 0 ? "" : std::to_string(threads);
}

/// What fits on a terminal: a library's version and how it was built are for the file.
std::string brief(const std::string& note) {
  const auto third = note.find(';', note.find(';') + 1);
  return third == std::string::npos || note.find('/') > note.size() ? note : note.substr(0, third);
}

}  // namespace

std::string Row::key() const {
  return name + "," + type + "," + course::csv_text(vector) + "," + count(threads) + "," + level;
}

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string whole(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", value);
  return text;
}

Sheet::Sheet(const std::string& path, bool resume, const std::string& processor) {
  if (path.empty()) return;
  file_.emplace(path, header);
  if (!resume) return;
  for (const auto& cells : file_->rows()) {
    const Row row{cells[0], cells[1], cells[2], std::atoi(cells[3].c_str()),
                  cells[4], cells[5], cells[6], cells[7]};
    if (row.name == "processor" && row.note != course::csv_text(processor))
      throw course::Refusal{"--resume: " + path + " tells of another processor, " + row.note + ", not of " +
                            processor + "; give another file"};
    known_[row.key()] = row;
  }
}

bool Sheet::wants(const Row& row) const {
  return second_look ? measured_.contains(row.key()) : !known_.contains(row.key());
}

std::optional<std::string> Sheet::best(const std::string& library) const {
  for (const auto& [key, row] : known_)
    if (row.name == "library" && is_best(library, row.vector, row.note)) return row.vector;
  return std::nullopt;
}

void Sheet::add(const Row& row) {
  const double value = std::atof(row.value.c_str());
  if (second_look && value <= 1.005 * measured_[row.key()]) return;
  measured_[row.key()] = value;
  if (row.name != group_) std::printf("%s\n", row.name.c_str());
  group_ = row.name;
  std::printf(
      "  %-4s %-20s %7s %-14s %11s %-8s %s\n", row.type.c_str(), row.vector.c_str(),
      row.threads == 0 ? "" : (count(row.threads) + (row.threads == 1 ? " thread " : " threads")).c_str(),
      row.level.c_str(), row.value.c_str(), row.unit.c_str(), brief(row.note).c_str());
  std::fflush(stdout);
  if (file_) file_->append(row.key() + "," + row.value + "," + row.unit + "," + course::csv_text(row.note));
  ++added;
}

}  // namespace machine
