#include "runner/prediction.hpp"

#include <algorithm>

#include "runner/text.hpp"

namespace course {
namespace {

constexpr const char* on_gpu = "cuda";  // what stands for a vector set there

}  // namespace

const Schema& machine_schema() {
  static const Schema schema = {
#include "runner/machine.columns"
  };
  return schema;
}

Roofs::Roofs(const std::string& path) {
  Table table(machine_schema());
  table.read(path, "--machine");
  for (const auto& [key, row] : table.rows()) {
    const std::string &name = row.at(0), &type = row.at(1), &vector = row.at(2), &level = row.at(4);
    const double value = table.number(row, "value");
    if (!(value > 0)) continue;
    if (name == "processor") processor_ = row.at(7), cpus_ = static_cast<int>(value);
    if (name == "gpu") gpu_ = row.at(7).substr(0, row.at(7).find(';'));
    if (name == "latency") latency_[listed({level, type, vector}, ",")] = value * 1e-9;
    if (name == "cache") {
      const char* const of[] = {"L1", "L2", "L3"};
      auto& capacity = (vector == on_gpu ? of_gpu_ : of_processor_).capacity;
      if (const auto found = std::find(std::begin(of), std::end(of), level); found != std::end(of))
        capacity[static_cast<std::size_t>(found - of)] = value;
    }
    if (name == "peak" || name == "bandwidth")
      rates_[listed({name, type, vector, level}, ",")][std::max(1, std::atoi(row.at(3).c_str()))] =
          value * 1e9;
  }
}

/// Measured with one thread, with all, perhaps between; elsewhere it grows with the threads from the next
/// lower number until it reaches what the next higher one gives.
std::optional<double> Roofs::rate(const std::string& name, const std::string& type, const std::string& vector,
                                  const std::string& level, int threads) const {
  const auto found = rates_.find(listed({name, type, vector, level}, ","));
  if (found == rates_.end()) return std::nullopt;
  const auto above = found->second.lower_bound(threads);
  if (above != found->second.end() && above->first == threads) return above->second;
  if (above == found->second.begin()) return std::nullopt;
  const auto [count, below] = *std::prev(above);
  return above == found->second.end() ? below : std::min(below * threads / count, above->second);
}

std::optional<double> Roofs::peak(const std::string& type, int threads, const std::string& vector) const {
  std::optional<double> most;
  for (const char* set : {"sse2", "avx2", "avx512", on_gpu})
    if (const auto found = rate("peak", type, set, "", threads);
        found && (std::string(set) == on_gpu) == (vector == on_gpu)) {
      const int measured = rates_.at(listed({"peak", type, set, ""}, ",")).rbegin()->first;
      if (vector == on_gpu || std::min(threads, cpus_) <= measured)  // else it is of fewer cores than work
        most = std::max(most, std::optional(*found * 1e-9));
    }
  return most;
}

std::optional<Prediction> Roofs::predict(const Cost& cost, const std::string& type, const std::string& vector,
                                         int threads) const {
  const auto& [names, capacity] = vector == on_gpu ? of_gpu_ : of_processor_;
  Prediction prediction;
  prediction.bytes[0] = cost.loads_stores;
  double holds = 0;  // a level with those before it: what they still have is not asked of one that is missing
  for (std::size_t l = 0; l < capacity.size(); ++l) {
    holds = std::max(holds, capacity[l]);
    for (const Reuse& reuse : cost.reuses)
      if (reuse.distance > holds) prediction.bytes[l + 1] += reuse.bytes;
  }
  const auto takes = [&](const char* limit, double seconds) {
    if (seconds > prediction.seconds) prediction.seconds = seconds, prediction.limit = limit;
  };
  const auto peak = rate("peak", type, vector, "", threads);
  const auto latency =
      latency_.find(cost.fused ? listed({"fma", type, vector}, ",") : listed({"add", type, ""}, ","));
  if (!peak || (cost.chain > 0 && latency == latency_.end())) return std::nullopt;
  takes("flops", cost.flops / *peak);
  // More threads than 00_machine measured with share the cores, chains and all.
  const int cores = rates_.at(listed({"peak", type, vector, ""}, ",")).rbegin()->first;
  if (cost.chain > 0) takes("chain", cost.chain * latency->second / std::min(threads, cores));
  for (std::size_t l = 0; l < names.size(); ++l) {
    if (prediction.bytes[l] <= 0 || (l > 0 && l < 3 && capacity[l] <= 0)) continue;
    const auto bandwidth = rate("bandwidth", "", vector, names[l], threads);
    if (!bandwidth) return std::nullopt;
    takes(names[l], prediction.bytes[l] / *bandwidth);
  }
  return prediction.limit.empty() ? std::nullopt : std::optional(prediction);
}

}  // namespace course
