#include "compare.hpp"

#include <algorithm>
#include <cmath>

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
  double least = product();
  if (least < rules.sample) least = std::min(least, product());
  return std::max(1, static_cast<int>(std::ceil(rules.sample / std::max(least, 1e-8))));
}

}  // namespace

Verdict judge(const std::vector<Pair>& pairs) {
  std::vector<double> ratios, ours, theirs;
  for (const Pair& pair : pairs) {
    ratios.push_back(pair.theirs / pair.ours);
    ours.push_back(pair.ours), theirs.push_back(pair.theirs);
  }
  return {quantile(ratios, 0.5), quantile(ratios, 0.25), quantile(ratios, 0.75), quantile(ours, 0.5),
          quantile(theirs, 0.5)};
}

std::vector<Pair> alternate(const Product& ours, const Product& theirs, const std::function<void()>& reset,
                            const Rules& rules) {
  const auto sample = [&](const Product& product, int runs) {
    for (const course::Stopwatch watch; watch.seconds() < rules.settle;) product();
    double seconds = 0;
    for (int run = 0; run < runs; ++run) seconds += product();
    return seconds / runs;
  };
  const int our_runs = runs_of_a_sample(ours, rules), their_runs = runs_of_a_sample(theirs, rules);
  std::vector<Pair> pairs;
  const course::Stopwatch watch;
  for (int pair = 0; pair < rules.pairs || watch.seconds() < rules.budget; ++pair) {
    if (pair % rules.between_reset == 0) reset();
    Pair times{};
    if (pair % 2 == 0) times.ours = sample(ours, our_runs);
    times.theirs = sample(theirs, their_runs);
    if (pair % 2 != 0) times.ours = sample(ours, our_runs);
    pairs.push_back(times);
  }
  return pairs;
}

double sustained(const Product& product, double before, double timed) {
  const auto mean = [&product](double limit) {
    double seconds = 0;
    int runs = 0;
    for (const course::Stopwatch watch; runs == 0 || watch.seconds() < limit; ++runs) seconds += product();
    return seconds / runs;
  };
  mean(before);
  return mean(timed);
}

}  // namespace rivals
