// How fast can a piece of work be done? The best of many windows: whatever disturbs one only makes it slower.
#pragma once

#include <functional>
#include <vector>

#include "common/view.hpp"

namespace machine {

using course::Index;

/// Does a thread's work `rounds` times.
using Work = std::function<void(Index rounds)>;

/// Rounds a second of all threads together. `prepare` is called in each thread, which first touches there
/// what it will use. Two threads and more are pinned, thread t to cpus[t]; all start at a barrier, and a
/// window lasts from the first start to the last end. Windows take 20 ms or a quarter of `budget`, in all
/// about `budget` seconds. Throws what `prepare` throws, and Refusal if the threads cannot be had.
double best_rate(int threads, const std::vector<int>& cpus, double budget,
                 const std::function<Work(int thread)>& prepare);

}  // namespace machine
