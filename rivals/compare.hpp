// Paired comparison: two products in turns. Other programs slow both of a pair, and their ratio stays.
#pragma once

#include <functional>

namespace rivals {

using Product = std::function<double(int runs)>;  // between two readings of the clock; returns the seconds

/// What pairs of samples say; a ratio is theirs / ours of one pair, above 1 where ours is faster.
struct Verdict {
  int pairs = 0;
  double ratio = 0, low = 0, high = 0, least = 0, most = 0;  // median, quartiles, extremes
  double ours = 0, theirs = 0;                               // median seconds of a product
};

struct Rules {
  int pairs;              // at least
  double budget = 0;      // more pairs while seconds are left
  double sample = 1e-3;   // seconds a sample takes at least: as many runs as last so long
  double settle = 0;      // seconds a product runs untimed before each of its samples
  int between_reset = 8;  // pairs after which C is reset: it grows with every run
};
/// Warms both up, then times them pair by pair: ours first in one, theirs in the next.
Verdict alternate(const Product& ours, const Product& theirs, const std::function<void()>& reset,
                  const Rules& rules);

/// The product alone, untimed for `before` seconds, then for `timed`: the mean of its seconds in these.
double sustained(const Product& product, double before, double timed);

}  // namespace rivals
