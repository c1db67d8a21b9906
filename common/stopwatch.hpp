// Wall-clock time.
#pragma once

#include <chrono>

namespace course {

/// Starts when it is constructed. The clock is steady: a change of the system's date does not affect it.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace course
