#include "duel.hpp"

#include <algorithm>
#include <cmath>

#include "common/stopwatch.hpp"
#include "runner/text.hpp"

namespace rivals {
namespace {

/// The value that a share of the values lies below, between two of them in proportion.
double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1), below = std::floor(place);
  const auto at = [&](double whole) { return values[static_cast<std::size_t>(whole)]; };
  return std::lerp(at(below), at(std::ceil(place)), place - below);
}

class Contender {
 public:
  /// Runs it, which warms it up, and sees how often it fits a sample.
  Contender(const Product& product, const Rules& rules) : product_(product), rules_(rules) {
    double least = timed(1);
    if (least < rules.sample) least = std::min(least, timed(1));
    runs_ = std::max(1, static_cast<int>(std::ceil(rules.sample / std::max(least, 1e-8))));
  }
  double sample() const {
    for (const course::Stopwatch watch; watch.seconds() < rules_.unheeded;) product_();
    return timed(runs_);
  }

 private:
  double timed(int runs) const {
    double seconds = 0;
    for (int run = 0; run < runs; ++run) seconds += product_();
    return seconds / runs;
  }

  const Product& product_;
  const Rules& rules_;
  int runs_;
};

}  // namespace

Verdict judge(const std::vector<Pair>& pairs) {
  std::vector<double> ratios, ours, theirs;
  for (const Pair& pair : pairs) {
    ratios.push_back(pair.theirs / pair.ours);
    ours.push_back(pair.ours), theirs.push_back(pair.theirs);
  }
  return {course::median(ratios), quantile(ratios, 0.25), quantile(ratios, 0.75), course::median(ours),
          course::median(theirs)};
}

std::vector<Pair> alternate(const Product& ours, const Product& theirs, const std::function<void()>& reset,
                            const Rules& rules) {
  const Contender we(ours, rules), they(theirs, rules);
  std::vector<Pair> pairs;
  const course::Stopwatch watch;
  for (int pair = 0; pair < rules.pairs || watch.seconds() < rules.budget; ++pair) {
    if (pair % rules.between_reset == 0) reset();
    Pair times{};
    if (pair % 2 == 0) times.ours = we.sample();
    times.theirs = they.sample();
    if (pair % 2 != 0) times.ours = we.sample();
    pairs.push_back(times);
  }
  return pairs;
}

}  // namespace rivals
