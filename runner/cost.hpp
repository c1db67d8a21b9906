// What a product costs, counted from its loops.
#pragma once

#include <vector>

#include "runner/variant.hpp"

namespace course {

// [cost]
/// Bytes that a loop touches again when `distance` bytes of other memory have been touched in between: a
/// cache smaller than that has lost them, and they travel once more; twice if the loop has changed them.
struct Reuse {
  double bytes, distance;
  bool changed = false;  // in and back: both count, as a load and a store of the triad do
};

/// What one product asks of a processor; prediction.hpp turns it into seconds.
struct Cost {
  double flops = 0;
  double chain = 0;           // additions that wait, each for the one before
  double loads_stores = 0;    // bytes between the core and the first level
  std::vector<Reuse> reuses;  // what must come from beyond the first level, if that has lost it
  bool fused = false;         // the chain is of multiply-adds, not of additions
  const char* peak = "";      // the peak's level: on a GPU's tensor cores "" is mma.sync, "wgmma" is another
};
// [/cost]

constexpr double line = 64;  // bytes of a cache line

/// A shape in floating point: m, n, k, the bytes of an element and of each matrix, and the multiply-adds.
template <class T>
struct Extents {
  explicit Extents(const Shape& s)
      : m(static_cast<double>(s.m)), n(static_cast<double>(s.n)), k(static_cast<double>(s.k)) {}
  double m, n, k;
  double size = sizeof(T), a = m * k * size, b = k * n * size, c = m * n * sizeof(Result<T>),
         madds = m * n * k;

  /// The least of any variant: the operations, and each matrix once, C in and out.
  Cost least() const { return {2 * madds, 0, 0, {{a + b, a + b + c}, {c, a + b + c, true}}}; }
};

/// `touches` steps down columns, a line each. A line is touched again after `soon` bytes, for the next
/// column; after the last of its columns, `late` bytes pass.
template <class T>
void walk_down(Cost& cost, double touches, double soon, double late, bool changed = false) {
  const double last = sizeof(T) / line;
  cost.reuses.push_back({touches * line * (1 - last), soon, changed});
  cost.reuses.push_back({touches * line * last, late, changed});
}

// [ikj]
/// ikj, of steps 02, 04 and 05: it loads along a row of B and a row of C, and stores C.
template <class T>
Cost ikj(const Shape& s, const Settings&) {
  const Extents<T> e(s);
  Cost cost = e.least();
  cost.loads_stores = 3 * e.size * e.madds;
  cost.reuses.push_back({e.size * e.madds, 2 * e.n * e.size, true});  // the row of C, for the next p
  cost.reuses.push_back({e.size * e.madds, e.b});                     // B, for the next i
  return cost;
}
// [/ikj]

}  // namespace course
