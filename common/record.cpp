#include "common/record.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

namespace course {
namespace {

std::string text(std::optional<double> value) {
  if (!value) return {};
  char out[40];
  std::snprintf(out, sizeof out, "%.9g", *value);
  return out;
}

std::string text(const std::string& value) {
  std::string out = value;  // the schema has no quoting
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == ',' || c == '"' || c == '\n' || c == '\r'; }, ' ');
  return out;
}

std::string text_or_empty(Index value) {
  return value == 0 ? "" : std::to_string(value);
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line + ",");
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> Record::fields() const {
  return {{"step", text(step)},
          {"variant", text(variant)},
          {"type", type},
          {"m", std::to_string(shape.m)},
          {"n", std::to_string(shape.n)},
          {"k", std::to_string(shape.k)},
          {"fill", fill},
          {"seed", std::to_string(seed)},
          {"threads", std::to_string(settings.threads)},
          {"ranks", std::to_string(ranks)},
          {"grid", settings.grid},
          {"block", settings.block},
          {"tile", text_or_empty(settings.tile)},
          {"device", text(device)},
          {"repeat", std::to_string(repeat)},
          {"best_s", text(best_s)},
          {"median_s", text(median_s)},
          {"mean_s", text(mean_s)},
          {"stddev_s", text(stddev_s)},
          {"alloc_s", text(seconds.alloc)},
          {"copy_in_s", text(seconds.copy_in)},
          {"copy_out_s", text(seconds.copy_out)},
          {"distribute_s", text(seconds.distribute)},
          {"collect_s", text(seconds.collect)},
          {"imbalance", text(seconds.imbalance)},
          {"words_received", text(seconds.words_received)},
          {"gflops", text(gflops)},
          {"predicted_s", text(predicted_s)},
          {"verify", verify},
          {"error_share", text(error_share)},
          {"relative_error", text(relative_error)},
          {"differences", differences ? std::to_string(*differences) : ""},
          {"verdict", verdict},
          {"counters", text(counters)},
          {"flags", text(flags)},
          {"compiler", text(compiler)},
          {"host", text(host)},
          {"commit", text(commit)},
          {"started", started}};
}

std::string Record::header() const {
  std::string out;
  for (const auto& [name, value] : fields()) out += (out.empty() ? "" : ",") + name;
  return out;
}

std::string Record::line() const {
  std::string out;
  for (const auto& [name, value] : fields()) out += (name == "step" ? "" : ",") + value;
  return out;
}

std::string key_of(const std::vector<std::pair<std::string, std::string>>& fields) {
  static constexpr std::array identity = {"step", "variant", "type",    "m",        "n",    "k",
                                          "fill", "seed",    "threads", "ranks",    "grid", "block",
                                          "tile", "device",  "flags",   "compiler", "host", "commit"};
  std::string key;
  for (const auto& [name, value] : fields)
    if (std::find(identity.begin(), identity.end(), name) != identity.end()) key += value + ",";
  return key;
}

Csv::Csv(const std::string& path) : path_(path) {
  const std::string header = Record{}.header();
  struct stat before {};
  const bool exists = stat(path.c_str(), &before) == 0;
  std::string content;
  if (exists && S_ISREG(before.st_mode)) {
    std::ifstream reader(path, std::ios::binary);
    content.assign(std::istreambuf_iterator<char>(reader), {});
    if (!reader || content.size() < static_cast<std::size_t>(before.st_size))
      throw Refusal{"--csv: cannot read " + path + ", so that the rows it has are unknown"};
    const bool torn_header = content.find('\n') == std::string::npos && header.starts_with(content);
    if (!torn_header && content.substr(0, content.find('\n')) != header)
      throw Refusal{"--csv: " + path + " has other columns than this course writes; it was left as it was"};
  }
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) throw Refusal{"--csv: cannot write " + path + ": " + std::strerror(errno)};
  const std::size_t whole = content.rfind('\n') + 1;  // npos + 1 is 0: no whole line
  if (whole < content.size()) {
    std::cerr << "--csv: the last line of " << path << " was torn; it is cut off\n";
    if (ftruncate(file_, static_cast<off_t>(whole)) != 0)
      throw Refusal{"--csv: cannot mend " + path + ": " + std::strerror(errno)};
  }
  content.resize(whole);
  if (content.empty()) write_whole(header + "\n");
  read_rows(content);
}

Csv::~Csv() {
  if (file_ >= 0) close(file_);
}

void Csv::read_rows(const std::string& content) {
  std::istringstream lines(content);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> names = split(line);
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = split(line);
    if (cells.size() != names.size()) continue;
    std::vector<std::pair<std::string, std::string>> fields;
    std::map<std::string, std::string> cell;
    for (std::size_t c = 0; c < names.size(); ++c)
      fields.emplace_back(names[c], cells[c]), cell[names[c]] = cells[c];
    const int repeat = std::atoi(cell["repeat"].c_str());
    rows_[key_of(fields)] = {cell["verdict"], repeat, repeat * std::atof(cell["mean_s"].c_str())};
  }
}

void Csv::append(const Record& record) {
  write_whole(record.line() + "\n");
  rows_[key_of(record.fields())] = {record.verdict, record.repeat, record.repeat * record.mean_s.value_or(0)};
}

std::optional<Csv::Known> Csv::known(const Record& record) const {
  const auto found = rows_.find(key_of(record.fields()));
  return found == rows_.end() ? std::nullopt : std::optional(found->second);
}

void Csv::write_whole(const std::string& text) {
  struct stat before {};
  fstat(file_, &before);
  const ssize_t written = write(file_, text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return;
  const std::string why = written < 0 ? std::strerror(errno) : "no space left";
  const bool whole = written <= 0 || !S_ISREG(before.st_mode) || ftruncate(file_, before.st_size) == 0;
  throw Refusal{"--csv: cannot write " + path_ + ": " + why + (whole ? "" : "; its last line is torn")};
}

}  // namespace course
