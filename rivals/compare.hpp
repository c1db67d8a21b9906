// Paired comparison: two products in turns. Other programs slow both of a pair, and their ratio stays.
#pragma once

#include <functional>
#include <vector>

namespace rivals {

using Product = std::function<double()>;  // runs once; returns its seconds

struct Pair {
  double ours, theirs;  // seconds of one product each
};

struct Verdict {
  double ratio, low, high;  // median and quartiles of theirs / ours: above 1 ours is faster
  double ours, theirs;      // median seconds
};
Verdict judge(const std::vector<Pair>& pairs);  // of one at least

struct Rules {
  int pairs;              // at least
  double budget = 0;      // more pairs while seconds are left
  double sample = 1e-3;   // seconds a sample takes at least: short products are repeated in it
  double settle = 0;      // seconds a product runs untimed before each of its samples
  int between_reset = 8;  // pairs after which C is reset: it grows with every run
};
/// Warms both up, then times them pair by pair: ours first in one, theirs in the next.
std::vector<Pair> alternate(const Product& ours, const Product& theirs, const std::function<void()>& reset,
                            const Rules& rules);

/// The product alone, untimed for `before` seconds, then for `timed`: the mean of its seconds in these.
double sustained(const Product& product, double before, double timed);

}  // namespace rivals
