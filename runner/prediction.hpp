// From what a product costs and what 00_machine measured to the time it should take.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

#include "common/cost.hpp"
#include "runner/table.hpp"

namespace course {

/// machine.csv: one row a finding of 00_machine.
const Schema& machine_schema();

/// The time of one product if everything overlaps and the slowest part decides.
struct Prediction {
  double seconds = 0;
  std::string limit;  // what decides: flops, chain, L1, L2, L3 or memory; on a GPU, shared for L1
  std::array<double, 4> bytes = {};  // cross into the core from L1, and into L1, L2 and L3 from beyond
};

/// What machine.csv says of the processor: how fast it can be at each thing.
class Roofs {
 public:
  /// Throws Refusal if the file cannot be read or is not 00_machine's.
  explicit Roofs(const std::string& path);

  /// The processor that was measured; empty if the file does not say.
  const std::string& processor() const { return processor_; }
  /// The GPU that was measured; empty if there was none.
  const std::string& gpu() const { return gpu_; }

  /// Nothing where the file lacks a rate that is needed. `type` is f32, f64 or i32; `vector` sse2, avx2,
  /// avx512 or, on a GPU, cuda.
  std::optional<Prediction> predict(const Cost& cost, const std::string& type, const std::string& vector,
                                    int threads) const;

  /// GFLOP/s at most: of the GPU if `vector` is cuda, else of so many threads, of all ranks, on the
  /// processor, whatever the instruction set. Nothing if fewer cores were measured than they have.
  std::optional<double> peak(const std::string& type, int threads, const std::string& vector = "") const;

 private:
  std::optional<double> rate(const std::string& name, const std::string& type, const std::string& vector,
                             const std::string& level, int threads) const;

  /// What lies between the units and memory: the levels' names, and bytes of each; 0 where there is none.
  struct Levels {
    std::array<const char*, 4> names;
    std::array<double, 3> capacity = {};
  };

  std::string processor_, gpu_;
  int cpus_ = 0;                                        // of the processor; 0 if the file does not say
  std::map<std::string, std::map<int, double>> rates_;  // by name, type, vector and level; then by threads
  std::map<std::string, double> latency_;               // seconds, by operation, type and vector set
  Levels of_processor_{{"L1", "L2", "L3", "memory"}};
  Levels of_gpu_{{"shared", "L2", "", "memory"}};  // a multiprocessor's L1 is its shared memory, too
};

}  // namespace course
