#include "runner/machine.hpp"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <limits>
#include <set>
#include <vector>

#include "commit.hpp"  // written by cmake/commit.cmake at every build
#include "runner/table.hpp"
#include "runner/text.hpp"

namespace course {
namespace {

/// A number read from a file such as memory.max; infinite where there is none ("max").
double number_in(const std::string& path) {
  double value = 0;
  return std::ifstream(path) >> value ? value : std::numeric_limits<double>::infinity();
}

/// What a memory cgroup still allows: its limit less what it uses, but for file cache the kernel would drop.
double left_in_group(const std::string& folder, bool v2) {
  const double limit = number_in(folder + (v2 ? "/memory.max" : "/memory.limit_in_bytes"));
  double used = number_in(folder + (v2 ? "/memory.current" : "/memory.usage_in_bytes"));
  if (std::isinf(limit) || std::isinf(used)) return std::numeric_limits<double>::infinity();
  std::ifstream stat(folder + "/memory.stat");
  double value = 0;
  for (std::string name; stat >> name >> value;)
    if (name == (v2 ? "inactive_file" : "total_inactive_file")) used -= value;
  return std::max(0.0, limit - used);
}

}  // namespace

cpu_set_t usable_set() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, ids.data());
    for (const int id : ids) CPU_SET(static_cast<std::size_t>(id), &all);
  }
  if (CPU_COUNT(&all) == 0) sched_getaffinity(0, sizeof all, &all);
  return all;
}

int usable_cpus() {
  const cpu_set_t all = usable_set();
  return std::max(1, CPU_COUNT(&all));
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string name = "unknown processor";
  for (std::string line; std::getline(file, line);)
    if (const auto colon = line.find(": "); line.starts_with("model name") && colon != std::string::npos)
      name = line.substr(colon + 2);
  return fmt::format("{} ({} cores)", name, usable_cpus());
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::string compiler() {
  return COURSE_COMPILER;
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
  // Lines "0::/group" (version 2) or "N:memory:/group" (version 1): the limit of the group and of all above
  // it.
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const bool v2 = line.starts_with("0::");
    if (!v2 && line.find(":memory:") == std::string::npos) continue;
    const std::string root = v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    for (std::string group = line.substr(line.rfind(':') + 1);; group.resize(group.rfind('/'))) {
      if (group == "/") group.clear();
      available = std::min(available, left_in_group(root + group, v2));
      if (group.empty()) break;
    }
  }
  return available;
}

void require_memory(const std::string& what, double bytes, const std::string& what_would_do,
                    const World& world) {
  static const double available = available_memory();
  const double needed = world.on_this_host(bytes);
  const std::string trouble =
      needed > 0.95 * available
          ? fmt::format("{} {} of memory, {} are available; give a smaller size{}", what,
                        readable_bytes(needed), readable_bytes(available), what_would_do)
          : "";
  if (const std::string first = world.first(trouble); !first.empty()) throw Refusal{first};
}

std::string lacking(std::string_view features) {
  static const std::set<std::string> has = [] {
    std::set<std::string> found;
#define COURSE_ASK(feature) \
  if (__builtin_cpu_supports(#feature)) found.insert(#feature)
    COURSE_ASK(sse2);
    COURSE_ASK(avx);
    COURSE_ASK(avx2);
    COURSE_ASK(fma);
    COURSE_ASK(bmi);
    COURSE_ASK(bmi2);
    COURSE_ASK(avx512f);
    COURSE_ASK(avx512cd);
    COURSE_ASK(avx512dq);
    COURSE_ASK(avx512bw);
    COURSE_ASK(avx512vl);
    COURSE_ASK(avx512bf16);
    return found;
  }();
  std::vector<std::string> missing;
  for (const std::string& feature : split(features))
    if (!feature.empty() && !has.contains(feature)) missing.push_back(feature);
  return listed(missing, ",");
}

}  // namespace course
