// Was the machine ours while a row was measured? A shared one is disturbed in bursts.
#pragma once

#include <map>
#include <optional>

#include "common/world.hpp"
#include "runner/prediction.hpp"

namespace course {

/// Additions a second of a loop of some milliseconds that needs nothing but a processor. So many threads run
/// one each; the slowest counts.
double pace(int threads);

/// Seconds for which this process had processors, of all its threads together.
double processor_seconds();

/// The moment is quiet if the machine is as fast as it is at best. That is what 00_machine found (with all
/// cores busy the clock is lower, so it is known by the number of threads), else the best this program saw.
class Quiet {
 public:
  Quiet(const World& world, const std::optional<Roofs>& roofs) : world_(world), roofs_(roofs) {}

  /// Whether so many threads of every rank have a processor each.
  bool fit(int threads) const;
  /// Whether the moment is quiet, and every rank had its processors: for this share of the time.
  bool now(int threads, double share = 1);
  /// Waits for a quiet moment, a third of a second at most; false if there was none.
  bool wait(int threads);

 private:
  int running(int threads) const;  // those of a rank that have one
  double slowest(int threads) const;

  const World& world_;
  const std::optional<Roofs>& roofs_;                 // rank 0's alone
  std::map<int, std::pair<double, bool>> best_ = {};  // pace by threads, and whether 00_machine found it
};

}  // namespace course
