// One interface for the variants of all steps, on the CPU, with MPI and on a GPU; cpu.hpp makes those on the
// CPU.
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

/// The sides of a grid or a block, "2x3"; 0 and 0 where there is no such choice.
struct Sides {
  Index x = 0, y = 0;
  bool operator==(const Sides&) const = default;
  std::string text() const { return x == 0 ? "" : std::to_string(x) + "x" + std::to_string(y); }
};

/// What a row of the results fixes besides variant, type and shape; 0 where there is no such choice.
/// grid: P x Q processes of MPI. block: with MPI MB x NB elements, on a GPU X x Y threads.
struct Settings {
  int threads = 1;
  Index tile = 0;
  Sides grid = {}, block = {};
  bool verify_copies = false;  // on a GPU: read back what was sent
};

/// Seconds by phase, imbalance (slowest rank's product over the mean), elements received; empty where not
/// applicable.
struct Times {
  using Field = std::optional<double>;
  Field alloc = {}, distribute = {}, copy_in = {}, product = {}, copy_out = {}, collect = {}, imbalance = {},
        words_received = {};

  /// Pointers to the members, to loop over.
  static constexpr std::array<Field Times::*, 8> fields() {
    return {&Times::alloc,    &Times::distribute, &Times::copy_in,   &Times::product,
            &Times::copy_out, &Times::collect,    &Times::imbalance, &Times::words_received};
  }
  /// Adds what another phase of the same run took.
  Times& operator+=(const Times& other) {
    for (const auto part : fields())
      if (other.*part) this->*part = (this->*part).value_or(0) + *(other.*part);
    return *this;
  }
};

struct Cost;  // common/cost.hpp: what a product asks of a processor
using CostOf = std::function<Cost(const Shape& shape, const Settings& settings)>;
inline const CostOf uncounted;  // no prediction

/// What is known of a variant before it runs.
struct Traits {
  std::string name, idea;
  CostOf cost = {};
  std::string vector = {};  // the instruction set of its kernel, if not its program's: sse2, avx2, avx512
  std::string needs = {};   // features the processor must have: "avx2,fma"
  bool threads = false, tiles = false, blocks = false, grids = false;  // a row for each of --threads, …
  bool baseline = false;        // measured at every size whatever the budget: all speedups need it
  bool broken = false;          // wrong on purpose: hidden, run by --expect-wrong only
  bool touched_by_one = false;  // one thread writes its matrices first, not each thread its rows
  bool dealt = false;           // with MPI: each rank has its share of A, B and C, and nobody more
};

/// One way to compute C += A·B. For each row: allocate; distribute, reset, run and fetch for each repeat;
/// release. Every rank makes the same calls; skip_reason and allocate do not communicate.
template <class T>
class Variant {
 public:
  explicit Variant(Traits traits_) : traits(std::move(traits_)) {}
  virtual ~Variant() = default;

  Traits traits;

  /// The GPU's name; empty for the processor.
  virtual std::string device() const { return {}; }
  /// Why this row cannot run here, such as "needs 4 ranks"; else empty.
  virtual std::string skip_reason(const Problem<T>&, const Settings&, const World&) const { return {}; }
  /// Takes memory. `problem` and `world` outlive release().
  virtual Times allocate(const Problem<T>& problem, const Settings& settings, const World& world) = 0;
  /// Brings the inputs to where they are multiplied.
  virtual Times distribute() { return {}; }
  /// Puts C back to what it was before the product, where it lies; not timed.
  virtual void reset() = 0;
  virtual Times run() = 0;
  /// This rank's piece of C in host memory, valid until the next call; a copy goes into poisoned memory.
  virtual Times fetch(Piece<T>& piece) = 0;
  /// False if something was written outside a buffer, on a GPU too.
  virtual bool guards_intact() const = 0;
  /// What else the variant itself found wrong with its runs; else empty.
  virtual std::string run_error() const { return {}; }
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
