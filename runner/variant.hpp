// One interface for the variants of all steps, on the CPU (cpu.hpp), with MPI and on a GPU.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/problem.hpp"
#include "runner/machine.hpp"

namespace course {

/// The sides of a grid or a block, "2x3"; 0 and 0 where there is no such choice.
struct Dim2 {
  Index x = 0, y = 0;
  bool operator==(const Dim2&) const = default;
  std::string text() const { return x == 0 ? "" : std::to_string(x) + "x" + std::to_string(y); }
};

/// What a row of the results fixes besides variant, type and shape; 0 where there is no such choice.
/// grid: P x Q processes of MPI. block: with MPI MB x NB elements, on a GPU X x Y threads.
struct Settings {
  int threads = 1;
  Index tile = 0;
  Dim2 grid = {}, block = {};
};

/// Seconds by phase, elements received; a GPU's clock and power; of the product in turns with this one its
/// seconds, its error share, clock and power; page faults and context switches; what an emulator counts of a
/// warp's accesses. Empty where not applicable.
struct Times {
  using Field = std::optional<double>;
  Field alloc = {}, distribute = {}, copy_in = {}, product = {}, copy_out = {}, collect = {},
        words_received = {}, mhz = {}, watts = {}, against = {}, against_error = {}, against_mhz = {},
        against_watts = {}, page_faults = {}, context_switches = {}, accesses = {}, sectors = {},
        shared_accesses = {}, wavefronts = {};

  /// Pointers to the members, to loop over.
  static constexpr std::array<Field Times::*, 19> fields() {
    return {&Times::alloc,         &Times::distribute,      &Times::copy_in,          &Times::product,
            &Times::copy_out,      &Times::collect,         &Times::words_received,   &Times::mhz,
            &Times::watts,         &Times::against,         &Times::against_error,    &Times::against_mhz,
            &Times::against_watts, &Times::page_faults,     &Times::context_switches, &Times::accesses,
            &Times::sectors,       &Times::shared_accesses, &Times::wavefronts};
  }
  /// Adds the seconds of another phase of the same run.
  Times& operator+=(const Times& other) {
    for (const auto part : fields())
      if (other.*part) this->*part = (this->*part).value_or(0) + *(other.*part);
    return *this;
  }
  Times& operator/=(double count) {
    for (const auto part : fields())
      if (this->*part) *(this->*part) /= count;
    return *this;
  }
};

struct Cost;  // runner/cost.hpp: what a product asks of a processor
using CostOf = std::function<Cost(const Shape& shape, const Settings& settings)>;
inline const CostOf uncounted;  // no prediction

/// The properties of a variant that are known before it runs.
struct VariantInfo {
  std::string name = {}, idea = {};
  CostOf cost = {};
  bool threads = false, tiles = false, blocks = false, grids = false;  // a row for each of --threads, …
  bool baseline = false;        // measured at every size whatever the budget: all speedups need it
  bool broken = false;          // wrong on purpose: hidden, run by --expect-wrong only
  bool transposed_b = false;    // it is given a workspace of n × k
  bool touched_by_one = false;  // one thread writes its matrices first, not each thread its rows
  bool distributed = false;     // with MPI: each rank has its share of A, B and C, and nobody more
  std::string vector = {};      // the instruction set of its kernel, if not its program's: sse2, avx2, avx512
  std::string needs = {};       // features the processor must have: "avx2,fma"
  std::string against = {};     // the library that it is, or that it is measured in turns with
  int copies = 1;               // how often it takes the matrices: of two sides each its own
};

/// One way to compute C += A·B. For each row: allocate; distribute, reset, run and fetch for each repeat;
/// result; release. Every rank makes the same calls; refuses and allocate do not communicate.
template <class T>
class Variant {
 public:
  explicit Variant(VariantInfo info_) : info(std::move(info_)) {}
  virtual ~Variant() = default;

  VariantInfo info;

  /// The same without memory, for another row at the same time; none of a variant whose rows run alone.
  virtual std::shared_ptr<Variant> another() const { return {}; }
  /// Where it runs; the processor's name may be left out.
  virtual Device device() const { return {}; }
  /// Why this row cannot run here, such as "needs 4 ranks"; else empty. Rank 0's answer counts.
  virtual std::string refuses(const Problem<T>&, const Settings&) const { return {}; }
  /// Takes memory, for its inputs too. `problem` outlives release().
  virtual Times allocate(const Problem<T>& problem, const Settings& settings) = 0;
  /// Brings the inputs to where they are multiplied.
  virtual Times distribute() { return {}; }
  /// Puts C back to what it was before the product, where it lies; not timed.
  virtual void reset() = 0;
  virtual Times run() = 0;
  /// Brings C to rank 0's host memory, which was poisoned, if that is a phase that counts.
  virtual Times fetch() { return {}; }
  /// C of the last run, on rank 0, valid until the next call; elsewhere empty. It may gather C first.
  virtual View<const Result<T>> result() = 0;
  /// False if something was written outside a buffer, on a GPU too.
  virtual bool guards_intact() const = 0;
  /// Another fault that the variant found in its runs, on any rank; else empty. All ranks ask.
  virtual std::string run_error() const { return {}; }
  /// Frees what allocate took, so that the memory of successive rows does not add up.
  virtual void release() = 0;
};

template <class T>
using Variants = std::vector<std::shared_ptr<Variant<T>>>;

/// Marks a variant that is wrong on purpose.
template <class T>
std::shared_ptr<Variant<T>> broken(std::shared_ptr<Variant<T>> variant) {
  variant->info.broken = true;
  return variant;
}

}  // namespace course
