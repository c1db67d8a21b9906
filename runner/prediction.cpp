#include "runner/prediction.hpp"

#include <algorithm>

#include "runner/text.hpp"

namespace course {
namespace {

/// The measured rate of so many threads. Without one, the rate is in proportion to the next lower number of
/// threads, but not above that of the next higher number.
std::optional<double> rate(const std::map<int, double>* by_threads, int threads) {
  if (by_threads == nullptr) return std::nullopt;
  const auto above = by_threads->lower_bound(threads);
  if (above != by_threads->end() && above->first == threads) return above->second;
  if (above == by_threads->begin()) return std::nullopt;
  const auto [count, below] = *std::prev(above);
  return above == by_threads->end() ? below : std::min(below * threads / count, above->second);
}

}  // namespace

MachineModel::MachineModel(const std::string& path) {
  auto rows = Table(machine_schema).read(path, "--machine");
  std::stable_partition(rows.begin(), rows.end(), [](auto& r) { return r[7].find("disturbed") + 1 != 0; });
  for (const Table::Row& row : rows) {  // the last of a kind counts, undisturbed if there is one
    const std::string &name = row.at(0), &note = row.at(7);
    const double value = std::atof(row.at(5).c_str());
    if (!(value > 0)) continue;
    if (name == "processor") processor_ = note, cpus_ = static_cast<int>(value);
    if (name == "gpu") gpu_ = note.substr(0, note.find(';'));
    const int threads = std::max(1, std::atoi(row.at(3).c_str()));
    measured_[{name, row.at(1), row.at(2), row.at(4)}][threads] = value;
  }
}

const MachineModel::ByThreads* MachineModel::find(const std::string& name, const std::string& type,
                                                  const std::string& vector, const std::string& level) const {
  const auto found = measured_.find({name, type, vector, level});
  return found == measured_.end() ? nullptr : &found->second;
}

std::optional<double> MachineModel::peak(const std::string& type, int threads,
                                         const std::string& vector) const {
  std::optional<double> most;
  if (vector == "cuda") {
    for (const char* level : {"", "wgmma", "wgmma_shared"})
      most = std::max(most, rate(find("peak", type, vector, level), threads));
    return most;
  }
  for (const char* set : {"sse2", "avx2", "avx512", "neon"})
    if (const ByThreads* found = find("peak", type, set, "");
        found != nullptr && std::min(threads, cpus_) <= found->rbegin()->first)
      most = std::max(most, rate(found, threads));
  return most;
}

std::optional<Prediction> MachineModel::predict(const Cost& cost, const std::string& type,
                                                const std::string& vector, int threads) const {
  constexpr std::array<const char*, 4> levels = {"L1", "L2", "L3", "memory"};
  const bool gpu = vector == "cuda";
  const auto capacity = [&](std::size_t level) {  // 0 if there is no such level
    const ByThreads* const found = find("cache", "", gpu ? vector : "", levels[level]);
    return found == nullptr ? 0 : found->begin()->second;
  };
  Prediction prediction;
  auto& bytes = prediction.bytes;
  bytes[0] = cost.loads_stores;
  double holds = 0;  // a level, with those before it where it is missing
  for (std::size_t l = 0; l < 3; ++l) {
    holds = std::max(holds, capacity(l));
    for (const Reuse& reuse : cost.reuses)
      if (reuse.distance > holds) bytes[l + 1] += reuse.bytes * (reuse.changed ? 2 : 1);
  }
  const auto takes = [&](const char* limit, double seconds) {
    if (seconds > prediction.seconds) prediction.seconds = seconds, prediction.limit = limit;
  };
  const ByThreads* const peaks = find("peak", type, vector, cost.peak);
  const auto peak = rate(peaks, threads);
  if (!peak) return std::nullopt;
  takes("flops", cost.flops / (*peak * 1e9));
  if (cost.chain > 0) {
    const ByThreads* latency =
        cost.fused ? find("latency", type, vector, "fma") : find("latency", type, "", "add");
    if (latency == nullptr) return std::nullopt;
    const int cores = std::min(threads, peaks->rbegin()->first);  // more threads share the cores
    takes("chain", cost.chain * latency->begin()->second * 1e-9 / cores);
  }
  for (std::size_t l = 0; l < bytes.size(); ++l) {
    if (bytes[l] <= 0 || ((l == 1 || l == 2) && capacity(l) == 0)) continue;
    const char* const level = gpu && l == 0 ? "shared" : levels[l];  // a GPU's L1 is its shared memory
    const auto bandwidth = rate(find("bandwidth", "", vector, level), threads);
    if (!bandwidth) return std::nullopt;
    takes(level, bytes[l] / (*bandwidth * 1e9));
  }
  return prediction.limit.empty() ? std::nullopt : std::optional(prediction);
}

}  // namespace course
