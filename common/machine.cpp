#include "common/machine.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>

#include "commit.hpp"  // written by cmake/commit.cmake at every build

namespace course {
namespace {

/// The value behind "key :" in /proc/cpuinfo, first processor; empty if there is none.
std::string cpuinfo(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

/// A number read from a file such as memory.max; infinite where there is none ("max").
double number_in(const std::string& path) {
  double value = 0;
  return std::ifstream(path) >> value ? value : std::numeric_limits<double>::infinity();
}

}  // namespace

std::string processor() {
  const std::string name = cpuinfo("model name");
  cpu_set_t set;
  const int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return (name.empty() ? "unknown processor" : name) + " (" + std::to_string(cores) + " cores)";
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::string compiler() {
#if defined(__clang__)
  return "clang++ " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__);
#else
  return "g++ " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) + "." +
         std::to_string(__GNUC_PATCHLEVEL__);
#endif
}

std::string commit() {
  return COURSE_COMMIT;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%FT%TZ", std::gmtime(&now));
  return text;
}

double available_memory() {
  double available = std::numeric_limits<double>::infinity();
  std::ifstream meminfo("/proc/meminfo");
  for (std::string line; std::getline(meminfo, line);)
    if (line.starts_with("MemAvailable:")) available = 1024 * std::stod(line.substr(13));
  const auto left = [](const std::string& limit, const std::string& used) {
    return number_in(limit) - std::min(number_in(used), number_in(limit));
  };
  const std::string cgroup = "/sys/fs/cgroup/";
  const double v2 = left(cgroup + "memory.max", cgroup + "memory.current");
  const double v1 = left(cgroup + "memory/memory.limit_in_bytes", cgroup + "memory/memory.usage_in_bytes");
  if (v2 == v2) available = std::min(available, v2);  // infinite minus infinite where there is no such file
  if (v1 == v1) available = std::min(available, v1);
  return available;
}

std::string readable_bytes(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(units)) bytes /= 1024, ++unit;
  char text[64];
  std::snprintf(text, sizeof text, "%.4g %s", bytes, units[unit]);
  return text;
}

std::string lacking(std::string_view instruction_sets) {
  std::istringstream flags(cpuinfo("flags")), wanted{std::string(instruction_sets)};
  const std::set<std::string> has{std::istream_iterator<std::string>(flags), {}};
  std::string missing;
  for (std::string set; std::getline(wanted, set, ',');)
    if (!has.contains(set)) missing.append(missing.empty() ? "" : ",").append(set);
  return missing;
}

}  // namespace course
