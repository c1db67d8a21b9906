// What is known of a step: its variants, each behind one interface, CPU, MPI and CUDA alike. The CPU's are
// made by cpu.hpp.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/problem.hpp"
#include "common/world.hpp"

namespace course {

/// The two numbers of a grid or a block; 0 and 0 where there is no such choice.
struct Sides {
  Index x = 0, y = 0;

  bool operator==(const Sides&) const = default;
  /// "2x3"; empty where there is no such choice.
  std::string text() const { return x == 0 ? "" : std::to_string(x) + "x" + std::to_string(y); }
};

/// What a row of the results fixes besides variant, type and shape; 0 where there is no such choice.
struct Settings {
  int threads = 1;
  Index tile = 0;
  Sides grid = {}, block = {};  // MPI: P x Q processes, MB x NB elements; on a GPU: X x Y threads
  bool verify_copies = false;   // on a GPU: read back what was sent; nothing in the results tells of it
};

/// Seconds by phase, the imbalance (slowest rank's product over the mean) and the words that the rank
/// received; what a variant does not have stays empty.
struct Times {
  using Part = std::optional<double>;
  Part alloc = {}, distribute = {}, copy_in = {}, product = {}, copy_out = {}, collect = {}, imbalance = {},
       words_received = {};

  /// Pointers to the members: a list of them, to loop over.
  static constexpr std::array<Part Times::*, 8> parts() {
    return {&Times::alloc,    &Times::distribute, &Times::copy_in,   &Times::product,
            &Times::copy_out, &Times::collect,    &Times::imbalance, &Times::words_received};
  }
  /// Adds what another phase of the same run took.
  Times& operator+=(const Times& other) {
    for (const auto part : parts())
      if (other.*part) this->*part = (this->*part).value_or(0) + *(other.*part);
    return *this;
  }
};

struct Cost;  // common/cost.hpp: what a product asks of a processor
using CostOf = std::function<Cost(const Shape& shape, const Settings& settings)>;
inline const CostOf uncounted;  // no prediction

/// What does not change from row to row.
struct Traits {
  std::string name, idea;
  CostOf cost = {};
  std::string vector = {};  // the instruction set of its kernel, if not its program's: sse2, avx2, avx512
  std::string needs = {};   // features the processor must have: "avx2,fma"
  bool threads = false, tiles = false, blocks = false, grids = false;  // swept over: has rows for each of
                                                                       // --threads, …
  bool baseline = false;        // measured at every size whatever the budget: all speedups need it
  bool broken = false;          // wrong on purpose: hidden, run by --expect-wrong only
  bool touched_by_one = false;  // one thread writes its matrices first, not each thread its rows
};

/// One way to compute C += A·B. For each row: allocate; then distribute, reset, run, fetch, as often as it is
/// repeated; then release. Every rank makes the same calls. refuses, bytes and allocate do not communicate;
/// one that throws afterwards, while others may wait for it, ends the program.
template <class T>
class Variant {
 public:
  explicit Variant(Traits traits_) : traits(std::move(traits_)) {}
  virtual ~Variant() = default;

  Traits traits;

  /// The GPU's name; empty for the processor.
  virtual std::string device() const { return {}; }
  /// Why this row cannot run here, such as "needs 4 ranks"; or nothing.
  virtual std::string refuses(const Problem<T>&, const Settings&, const World&) const { return {}; }
  /// Bytes of this process's memory at most, inputs and workspace included.
  virtual double bytes(const Problem<T>& problem, const Settings& settings) const = 0;
  /// Bytes of the GPU's memory that are needed at most, and how many are free.
  virtual std::pair<double, double> device_memory(const Problem<T>&, const Settings&) const { return {}; }
  /// Takes memory. `problem` and `world` outlive release().
  virtual Times allocate(const Problem<T>& problem, const Settings& settings, const World& world) = 0;
  /// Brings the inputs to where they are multiplied.
  virtual Times distribute() { return {}; }
  /// Puts C back to what it was before the product, where it lies; not timed.
  virtual void reset() = 0;
  virtual Times run() = 0;
  /// This rank's piece of C in host memory, valid until the next call: a CPU's own C, or a copy made into
  /// poisoned memory.
  virtual Times fetch(Piece<T>& piece) = 0;
  /// False if something was written outside a buffer, on a GPU too.
  virtual bool guards_intact() const = 0;
  /// What else the variant itself found wrong with its runs; or nothing.
  virtual std::string complaint() const { return {}; }
  /// Gives back what allocate took: rows follow one another, their memory must not add up.
  virtual void release() = 0;
};

template <class T>
using Variants = std::vector<std::shared_ptr<Variant<T>>>;

/// Marks a variant with one of its traits: broken(cpu<T>(…)).
struct Mark {
  using Flag = bool Traits::*;  // nvcc puts parentheses round the bare type, and warns of them
  Flag trait;
  template <class T>
  auto operator()(std::shared_ptr<Variant<T>> variant) const {
    variant->traits.*trait = true;
    return variant;
  }
};
inline constexpr Mark baseline{&Traits::baseline}, broken{&Traits::broken},
    touched_by_one{&Traits::touched_by_one}, with_tiles{&Traits::tiles}, with_blocks{&Traits::blocks};

/// Marks a variant: its kernel uses these registers and needs a processor with these features.
template <class T>
auto on(const char* vector, const char* features, std::shared_ptr<Variant<T>> variant) {
  variant->traits.vector = vector, variant->traits.needs = features;
  return variant;
}

}  // namespace course
