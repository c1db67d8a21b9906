#include "common/prediction.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "common/record.hpp"

namespace course {
namespace {

constexpr std::array levels = {"L1", "L2", "L3", "memory"};

std::string key(const std::string& name, const std::string& type, const std::string& vector,
                const std::string& level) {
  return name + "," + type + "," + vector + "," + level;
}

}  // namespace

Roofs::Roofs(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) throw Refusal{"--machine: cannot read " + path};
  if (line != "name,type,vector,threads,level,value,unit,note")
    throw Refusal{"--machine: " + path + " is not what 00_machine writes"};
  while (std::getline(file, line)) {
    std::vector<std::string> cell;
    std::istringstream stream(line + ",");
    for (std::string text; std::getline(stream, text, ',');) cell.push_back(text);
    if (cell.size() != 8) continue;  // torn
    const std::string &name = cell[0], &type = cell[1], &vector = cell[2], &level = cell[4],
                      &number = cell[5];
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size() || !(value > 0)) continue;
    if (name == "processor") processor_ = cell[7];
    if (name == "latency" && level == "add") latency_[type] = value * 1e-9;
    if (name == "cache")
      for (std::size_t l = 0; l < capacity_.size(); ++l)
        if (level == levels[l]) capacity_[l] = value;
    if (name == "peak" || name == "bandwidth")
      rates_[key(name, type, vector, level)].push_back(
          {std::max(1, std::atoi(cell[3].c_str())), value * 1e9});
  }
}

/// The rate with so many threads: measured with one and with all; between them it grows with the threads
/// until it reaches that of all.
std::optional<double> Roofs::at(const Rates& rates, int threads) {
  std::optional<double> found;
  for (const Rate& rate : rates)
    if (rate.threads <= threads)
      found = std::max(found.value_or(0), rate.value * (rate.threads == 1 ? threads : 1));
  for (const Rate& rate : rates)
    if (found && rate.threads > 1) found = std::min(*found, rate.value);
  return found;
}

std::optional<double> Roofs::find(const std::string& wanted, int threads) const {
  const auto rates = rates_.find(wanted);
  return rates == rates_.end() ? std::nullopt : at(rates->second, threads);
}

std::optional<double> Roofs::peak(const std::string& type, int threads) const {
  std::optional<double> most;
  for (const char* vector : {"sse2", "avx2", "avx512"})
    if (const auto rate = find(key("peak", type, vector, ""), threads))
      most = std::max(most.value_or(0), *rate);
  return most ? std::optional(*most * 1e-9) : std::nullopt;
}

std::optional<Prediction> Roofs::predict(const Cost& cost, const std::string& type, const std::string& vector,
                                         int threads) const {
  Prediction prediction;
  prediction.bytes[0] = cost.loads_stores;
  for (const Reuse& reuse : cost.reuses)
    for (std::size_t l = 0; l < capacity_.size();
         ++l)  // a level that is missing has capacity 0: it loses everything
      if (reuse.distance > capacity_[l]) prediction.bytes[l + 1] += reuse.bytes;
  const auto takes = [&](const char* limit, double seconds) {
    if (seconds > prediction.seconds) prediction.seconds = seconds, prediction.limit = limit;
  };
  const auto peak = find(key("peak", type, vector, ""), threads);
  const auto latency = latency_.find(type);
  if (!peak || (cost.chain > 0 && latency == latency_.end())) return std::nullopt;
  takes("flops", cost.flops / *peak);
  if (cost.chain > 0) takes("chain", cost.chain * latency->second / threads);
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (prediction.bytes[l] <= 0 || (l > 0 && l < 3 && capacity_[l] <= 0)) continue;
    const auto rate = find(key("bandwidth", "", vector, levels[l]), threads);
    if (!rate) return std::nullopt;
    takes(levels[l], prediction.bytes[l] / *rate);
  }
  return prediction.limit.empty() ? std::nullopt : std::optional(prediction);
}

std::string Prediction::text() const {
  std::string out = "limit=" + limit;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    char text[60];
    std::string name = levels[l];
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    std::snprintf(text, sizeof text, ";bytes_%s=%.6g", name.c_str(), bytes[l]);
    out += text;
  }
  return out;
}

}  // namespace course
