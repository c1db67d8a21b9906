#include "compare.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/stopwatch.hpp"

namespace rivals {
namespace {

/// The value that a share of the values lies below, interpolated linearly.
double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1), below = std::floor(place);
  const auto at = [&](double whole) { return values[static_cast<std::size_t>(whole)]; };
  return std::lerp(at(below), at(std::ceil(place)), place - below);
}

/// Warms the product up; returns how many runs make a sample.
int runs_of_a_sample(const Product& product, const Rules& rules) {
  int runs = 1;  // few say more of the clock and of a first run than of the product
  for (int round = 0; round < 4; ++round) {
    const double seconds = product(runs);
    if (seconds >= rules.sample) break;
    runs = static_cast<int>(std::min(1e6, std::ceil(runs * rules.sample / std::max(seconds, 1e-9))));
  }
  return runs;
}

}  // namespace

Verdict alternate(const Product& ours, const Product& theirs, const std::function<void()>& reset,
                  const Rules& rules) {
  const auto sample = [&](const Product& product, int runs) {
    for (const course::Stopwatch watch; watch.seconds() < rules.settle;) product(1);
    return product(runs) / runs;
  };
  const int our_runs = runs_of_a_sample(ours, rules), their_runs = runs_of_a_sample(theirs, rules);
  std::vector<double> our_seconds, their_seconds, ratios;
  const course::Stopwatch watch;
  for (int pair = 0; pair < rules.pairs || watch.seconds() < rules.budget; ++pair) {
    if (pair % rules.between_reset == 0) reset();
    if (pair % 2 == 0) our_seconds.push_back(sample(ours, our_runs));
    their_seconds.push_back(sample(theirs, their_runs));
    if (pair % 2 != 0) our_seconds.push_back(sample(ours, our_runs));
    ratios.push_back(their_seconds.back() / our_seconds.back());
  }
  return {static_cast<int>(ratios.size()), quantile(ratios, 0.5),       quantile(ratios, 0.25),
          quantile(ratios, 0.75),          quantile(ratios, 0),         quantile(ratios, 1),
          quantile(our_seconds, 0.5),      quantile(their_seconds, 0.5)};
}

double sustained(const Product& product, double before, double timed) {
  const auto mean = [&product](double limit) {
    double seconds = 0;
    int runs = 0;
    for (const course::Stopwatch watch; runs == 0 || watch.seconds() < limit; ++runs) seconds += product(1);
    return seconds / runs;
  };
  mean(before);
  return mean(timed);
}

}  // namespace rivals
