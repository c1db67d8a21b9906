// From what a product costs and what 00_machine measured to the time it should take.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

#include "runner/cost.hpp"
#include "runner/table.hpp"

namespace course {

/// machine.csv: one row a finding of 00_machine.
inline const Schema machine_schema = {{"name"},  {"type"},  {"vector"}, {"threads"},
                                      {"level"}, {"value"}, {"unit"},   {"note"}};

/// The time of one product if everything overlaps and the slowest part decides.
struct Prediction {
  double seconds = 0;
  std::string limit;  // what decides: flops, chain, L1, L2, L3 or memory; on a GPU, shared for L1
  std::array<double, 4> bytes = {};  // cross into the core from L1, and into L1, L2 and L3 from beyond
};

/// The rates in machine.csv, of the processor and of the GPU.
class MachineModel {
 public:
  /// Throws Refusal if the file cannot be read or is not 00_machine's.
  explicit MachineModel(const std::string& path);

  /// The processor that was measured, and the GPU; empty if the file has none.
  const std::string& processor() const { return processor_; }
  const std::string& gpu() const { return gpu_; }

  /// Nothing where a rate is missing. `vector`: sse2, avx2, avx512, neon or, on a GPU, cuda.
  std::optional<Prediction> predict(const Cost& cost, const std::string& type, const std::string& vector,
                                    int threads) const;

  /// The highest peak in GFLOP/s: of the GPU if `vector` is cuda, else of any instruction set with so many
  /// threads of all ranks. Nothing if fewer cores were measured than they have.
  std::optional<double> peak(const std::string& type, int threads, const std::string& vector = "") const;

 private:
  using ByThreads = std::map<int, double>;
  const ByThreads* find(const std::string& name, const std::string& type, const std::string& vector,
                        const std::string& level) const;

  std::string processor_, gpu_;
  int cpus_ = 0;                                              // of the processor; 0 if the file has none
  std::map<std::array<std::string, 4>, ByThreads> measured_;  // by name, type, vector and level
};

}  // namespace course
