// A host whose clocks count calls, so that nothing depends on the host: a second each, or 1.7 with
// COURSE_SLOW_HOST=1, as if somebody slowed everything down. Preloaded; the time of day stays right.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (clock == CLOCK_REALTIME) return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  static thread_local long ticks = 0;  // tenths of a second
  const char* slow = std::getenv("COURSE_SLOW_HOST");
  ticks += slow != nullptr && *slow != 0 ? 17 : 10;
  *time = {.tv_sec = ticks / 10, .tv_nsec = ticks % 10 * 100'000'000};
  return 0;
}
