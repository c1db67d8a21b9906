// Hardware and system counters of the timed runs, as far as the kernel gives them.
#pragma once

#include <string>
#include <vector>

namespace course {

/// Counts this process and the threads it starts later. Cycles, instructions, cache and branch misses come
/// from perf_event_open (often refused in virtual machines); page faults, context switches and the task clock
/// from getrusage, which is always there.
class Counters {
 public:
  Counters();
  ~Counters();
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  void start();
  void stop();  // adds to the totals since the last clear
  void clear();

  /// "instructions=…;page_faults=…;task_clock_s=…", each divided by `runs`.
  std::string per_run(int runs) const;
  /// The counters the kernel refused, for one line of explanation; empty when it gave all.
  std::string missing() const;

 private:
  struct Event {
    const char* name;
    int file;  // -1: refused
    double before = 0, total = 0;
  };
  std::vector<Event> events_;
  std::vector<double> usage_before_, usage_total_;
};

}  // namespace course
