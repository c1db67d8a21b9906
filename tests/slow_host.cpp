// A host that slows everything down for a while, as its clocks tell it. Preloaded, clocks run 1.7 times fast
// in the windows of COURSE_SLOW_HOST ("FROM TO FROM TO", seconds of the epoch); the time of day stays right.
// With COURSE_TICKS=1 a thread's clock advances by a second a call, so that nothing depends on the host.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

namespace {

constexpr long second = 1'000'000'000;

long read(clockid_t clock) {
  timespec now = {};
  syscall(SYS_clock_gettime, clock, &now);
  return now.tv_sec * second + now.tv_nsec;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static thread_local long ticks = 0;
  long now = read(clock), slow = 0;  // nanoseconds so far in windows
  const long day = read(CLOCK_REALTIME);
  bool inside = false;
  const char* window = std::getenv("COURSE_SLOW_HOST");
  for (char* end = nullptr; window != nullptr && *window != 0; window = end) {
    const long from = second * std::strtol(window, &end, 10), to = second * std::strtol(end, &end, 10);
    if (from < day) slow += (day < to ? day : to) - from;
    inside |= from < day && day < to;
  }
  if (std::getenv("COURSE_TICKS") != nullptr)
    now = ticks += inside ? second * 17 / 10 : second;
  else
    now += slow / 10 * 7;
  if (clock == CLOCK_REALTIME) now = day;
  *time = {.tv_sec = now / second, .tv_nsec = now % second};
  return 0;
}
