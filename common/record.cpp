#include "common/record.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace course {
namespace {

std::string text(std::optional<double> value) {
  if (!value) return {};
  char out[40];
  std::snprintf(out, sizeof out, "%.9g", *value);
  return out;
}

std::string text(const std::string& value) {
  return csv_text(value);
}

std::string text_or_empty(Index value) {
  return value == 0 ? "" : std::to_string(value);
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

Csv::Csv(const std::string& path) : file_(path, Record{}.header()) {
  const std::vector<std::string> names = split_cells(Record{}.header());
  for (const std::vector<std::string>& cells : file_.rows()) {
    std::vector<std::pair<std::string, std::string>> fields;
    std::map<std::string, std::string> cell;
    for (std::size_t c = 0; c < names.size(); ++c)
      fields.emplace_back(names[c], cells[c]), cell[names[c]] = cells[c];
    const int repeat = std::atoi(cell["repeat"].c_str());
    rows_[key_of(fields)] = {cell["verdict"], repeat, repeat * std::atof(cell["mean_s"].c_str())};
  }
}

void Csv::append(const Record& record) {
  file_.append(record.line());
  rows_[key_of(record.fields())] = {record.verdict, record.repeat, record.repeat * record.mean_s.value_or(0)};
}

std::optional<Csv::Known> Csv::known(const Record& record) const {
  const auto found = rows_.find(key_of(record.fields()));
  return found == rows_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace course
