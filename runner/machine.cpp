#include "runner/machine.hpp"

#include <fmt/chrono.h>
#include <omp.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <future>
#include <limits>
#include <thread>

#include "commit.hpp"
#include "runner/table.hpp"
#include "runner/text.hpp"

namespace course {
namespace {

constexpr double without_end = std::numeric_limits<double>::infinity();

/// A number read from a file such as memory.max; infinite where there is none ("max").
double number_in(const std::string& path) {
  double value = 0;
  return std::ifstream(path) >> value ? value : without_end;
}

/// What a memory cgroup still allows: its limit less what it uses, but for file cache the kernel would drop.
double left_in_group(const std::string& folder, bool v2) {
  const double limit = number_in(folder + (v2 ? "/memory.max" : "/memory.limit_in_bytes"));
  double used = number_in(folder + (v2 ? "/memory.current" : "/memory.usage_in_bytes"));
  if (std::isinf(limit) || std::isinf(used)) return without_end;
  std::ifstream stat(folder + "/memory.stat");
  double value = 0;
  for (std::string name; stat >> name >> value;)
    if (name == (v2 ? "inactive_file" : "total_inactive_file")) used -= value;
  return std::max(0.0, limit - used);
}

}  // namespace

const std::string compiler = COURSE_COMPILER, commit = COURSE_COMMIT;

int usable_cpus() {
  return std::max(1, omp_get_num_procs());
}

std::string cannot_start(int threads) {
  std::promise<void> all;
  const std::shared_future<void> are_there = all.get_future().share();
  std::vector<std::jthread> team;
  std::string why;
  try {
    while (team.size() + 1 < static_cast<std::size_t>(threads))
      team.emplace_back([are_there] { are_there.wait(); });
  } catch (const std::system_error& error) {
    why = fmt::format("--threads: '{}' is more than the {} that this process may start: {}", threads,
                      team.size() + 1, error.code().message());
  }
  all.set_value();
  return why;
}

void require_cpus(const std::vector<int>& counts) {
  for (const int threads : counts)
    if (threads > usable_cpus())
      throw Refusal{fmt::format("--threads: '{}' is more than the {} hardware threads this process may use",
                                threads, usable_cpus())};
  if (const std::string why = cannot_start(*std::max_element(counts.begin(), counts.end())); !why.empty())
    throw Refusal{why};
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

std::string utc_now() {
  return fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
}

double processor_seconds() {
  timespec used = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

double available_memory() {
  double available = without_end;
  std::ifstream meminfo("/proc/meminfo");
  for (std::string line; std::getline(meminfo, line);)
    if (line.starts_with("MemAvailable:")) available = 1024 * std::stod(line.substr(13));
  // Lines "0::/group" (version 2) or "N:memory:/group" (version 1): limits of the group and of all above it.
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
  const std::string trouble = fmt::format("{} {} of memory, {} are available; give a smaller size{}", what,
                                          readable_bytes(needed), readable_bytes(available), what_would_do);
  if (const std::string first = world.first(needed > 0.95 * available ? trouble : ""); !first.empty())
    throw Refusal{first};
}

std::string lacking(std::string_view features) {
#define COURSE_ASK(feature) __builtin_cpu_supports(#feature) ? #feature : ""
  static const std::vector<std::string> has = {
      COURSE_ASK(sse2),     COURSE_ASK(avx),      COURSE_ASK(avx2),     COURSE_ASK(fma),
      COURSE_ASK(bmi),      COURSE_ASK(bmi2),     COURSE_ASK(avx512f),  COURSE_ASK(avx512cd),
      COURSE_ASK(avx512dq), COURSE_ASK(avx512bw), COURSE_ASK(avx512vl), COURSE_ASK(avx512bf16)};
  std::vector<std::string> missing;
  for (const std::string& feature : split(features))
    if (!feature.empty() && !among(has, feature)) missing.push_back(feature);
  return listed(missing, ",");
}

}  // namespace course
