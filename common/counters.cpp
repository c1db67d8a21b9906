#include "common/counters.hpp"

#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>

namespace course {
namespace {

int open_event(std::uint32_t type, std::uint64_t config) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.config = config;
  attributes.exclude_kernel = attributes.exclude_hv = 1;  // what perf_event_paranoid = 2 still allows
  attributes.inherit = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

/// The count so far, scaled up for the time that the kernel lent the counter to another event.
double read_event(int file) {
  std::uint64_t value[3] = {};  // count, nanoseconds enabled, nanoseconds running
  if (read(file, value, sizeof value) != sizeof value || value[2] == 0) return 0;
  return static_cast<double>(value[0]) * static_cast<double>(value[1]) / static_cast<double>(value[2]);
}

constexpr std::array usage_names = {"page_faults", "context_switches", "task_clock_s"};

std::vector<double> read_usage() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {static_cast<double>(use.ru_minflt + use.ru_majflt),
          static_cast<double>(use.ru_nvcsw + use.ru_nivcsw), seconds(use.ru_utime) + seconds(use.ru_stime)};
}

}  // namespace

Counters::Counters() : usage_total_(usage_names.size(), 0) {
  const auto cache = [](std::uint64_t which) {
    return which | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
  };
  const auto add = [&](const char* name, std::uint32_t type, std::uint64_t config) {
    events_.push_back({name, open_event(type, config)});
  };
  add("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
  add("instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
  add("branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES);
  add("l1d_misses", PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_L1D));
  add("llc_misses", PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_LL));
  add("dtlb_misses", PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_DTLB));
}

Counters::~Counters() {
  for (const Event& event : events_)
    if (event.file >= 0) close(event.file);
}

void Counters::start() {
  for (Event& event : events_)
    if (event.file >= 0) event.before = read_event(event.file);
  usage_before_ = read_usage();
}

void Counters::stop() {
  const std::vector<double> now = read_usage();
  for (Event& event : events_)
    if (event.file >= 0) event.total += read_event(event.file) - event.before;
  for (std::size_t u = 0; u < now.size(); ++u) usage_total_[u] += now[u] - usage_before_[u];
}

void Counters::clear() {
  for (Event& event : events_) event.total = 0;
  usage_total_.assign(usage_names.size(), 0);
}

std::string Counters::per_run(int runs) const {
  std::string out;
  const auto add = [&](const char* name, double total) {
    char text[80];
    std::snprintf(text, sizeof text, "%s%s=%.9g", out.empty() ? "" : ";", name, total / runs);
    out += text;
  };
  for (const Event& event : events_)
    if (event.file >= 0) add(event.name, event.total);
  for (std::size_t u = 0; u < usage_names.size(); ++u) add(usage_names[u], usage_total_[u]);
  return out;
}

std::string Counters::missing() const {
  std::string names;
  for (const Event& event : events_)
    if (event.file < 0) names += (names.empty() ? "" : ", ") + std::string(event.name);
  return names;
}

}  // namespace course
