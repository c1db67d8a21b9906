// How fast can a piece of work be done? The best of many windows: other programs only make one slower. What
// can make it faster is the clock, which a processor raises while its other cores are idle.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "common/view.hpp"

namespace machine {

using course::Index;

/// Does a thread's work `rounds` times.
using Work = std::function<void(Index rounds)>;

struct Rate {
  double rounds = 0;  // a second, of all threads together
  double share = 0;   // of its time that the worst-served thread had a processor; below 1 others ran there

  /// "; disturbed: ..." if this is less than the machine can do; nothing if the threads had their processors.
  std::string disturbed() const;
};

/// How long some rounds took, and the share of that time for which their processor was theirs.
struct Window {
  double seconds = 0, share = 0;
  double work = HUGE_VAL;  // seconds of the thread that worked least: one that starts late makes the window
                           // longer, not this
};

/// The most rounds a second that a window showed. Windows take 20 ms or a quarter of `budget`, in all about
/// `budget` seconds.
Rate best_of(double budget, const std::function<Window(Index rounds)>& window);

/// The same of several threads together. `prepare` is called in each thread, which first touches there
/// what it will use. Two threads and more are pinned, thread t to cpus[t]; all start at a barrier, and a
/// window lasts from the first start to the last end. Throws what `prepare` throws, and Refusal if the
/// threads cannot be had.
Rate best_rate(int threads, const std::vector<int>& cpus, double budget,
               const std::function<Work(int thread)>& prepare);

/// Additions a second of a loop of some milliseconds that needs nothing but a processor. So many threads run
/// one each; the slowest counts.
double pace(int threads);

}  // namespace machine
