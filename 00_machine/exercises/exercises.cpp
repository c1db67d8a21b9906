#include "exercises.hpp"

#include <chrono>

namespace machine::exercises {
namespace {

using Clock = std::chrono::steady_clock;

double now() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

}  // namespace

// [nobody_reads]
double peak(Index rounds) {
  const double start = now();
  float sum[12] = {};
  for (Index r = 0; r < rounds; ++r)
    for (float& s : sum) s = s * 1.0001f + 0.5f;
  return 24.0 * static_cast<double>(rounds) / (now() - start) * 1e-9;
}
// [/nobody_reads]

double peak_printed(Index rounds, float* where) {
  const double start = now();
  float sum[12] = {};
  for (Index r = 0; r < rounds; ++r)
    for (float& s : sum) s = s * 1.0001f + 0.5f;
  const double seconds = now() - start;
  for (int s = 0; s < 12; ++s) where[s] = sum[s];
  return 24.0 * static_cast<double>(rounds) / seconds * 1e-9;
}

}  // namespace machine::exercises
