#include "runner/machine.hpp"

#include <fmt/chrono.h>
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <latch>
#include <map>
#include <thread>

#include "commit.hpp"
#include "runner/table.hpp"
#include "runner/text.hpp"

namespace course {
namespace {

/// The number at the beginning of a file such as memory.max, or infinity ("max").
double number_in(const std::string& path) {
  double number = 0;
  return std::ifstream(path) >> number ? number : HUGE_VAL;
}

/// Bytes that a cgroup (version 2) still allows: limit less use, file cache that the kernel would drop not
/// counted.
double left_in(const std::string& group) {
  const double limit = number_in(group + "/memory.max");
  double used = number_in(group + "/memory.current"), bytes = 0;
  if (std::isinf(limit) || std::isinf(used)) return HUGE_VAL;
  std::ifstream stat(group + "/memory.stat");
  for (std::string name; stat >> name >> bytes;)
    if (name == "inactive_file") used -= bytes;
  return std::max(0.0, limit - used);
}

/// The folders below `root` of this process's cgroup and of those above it, which limit it, too.
std::vector<std::string> groups_above(const std::string& groups, const std::string& root) {
  std::vector<std::string> folders;
  std::ifstream file(groups);
  for (std::string group; std::getline(file, group);) {
    if (!group.starts_with("0::/")) continue;  // of version 1
    for (group.erase(0, 3); group != ""; group.resize(group.rfind('/'))) folders.push_back(root + group);
    folders.push_back(root);
  }
  return folders;
}

/// Bytes of addresses that RLIMIT_AS (ulimit -v) still allows this process.
double address_space() {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  const double used = number_in("/proc/self/statm") * static_cast<double>(sysconf(_SC_PAGESIZE));
  return std::isinf(used) ? used : std::max(0.0, static_cast<double>(limit.rlim_cur) - used);
}

/// How many threads this process can have at once, up to `most`.
int startable_threads(int most) {
  std::latch all_started(1);
  std::vector<std::thread> others;
  try {
    while (std::ssize(others) + 1 < most) others.emplace_back([&] { all_started.wait(); });
  } catch (const std::exception&) {  // no more
  }
  all_started.count_down();
  for (auto& other : others) other.join();
  return static_cast<int>(std::ssize(others)) + 1;
}

}  // namespace

const std::string compiler = COURSE_COMPILER, commit = COURSE_COMMIT;

double processor_quota(const std::string& groups, const std::string& root) {
  double least = HUGE_VAL;
  for (const std::string& group : groups_above(groups, root)) {
    double quota = 0, period = 0;  // microseconds of each period, for all threads together
    std::ifstream(group + "/cpu.max") >> quota >> period;
    if (quota > 0 && period > 0) least = std::min(least, quota / period);  // "max": without a limit
  }
  return least;
}

int usable_cpus() {
  static const double quota = processor_quota();
  return static_cast<int>(std::max(1.0, std::min<double>(omp_get_num_procs(), quota)));
}

void require_threads(const std::vector<int>& counts, const World& world) {
  const int most = *std::max_element(counts.begin(), counts.end());
  omp_set_dynamic(0), omp_set_max_active_levels(1);  // OMP_DYNAMIC=true would make teams smaller
  double fewest[] = {-double(startable_threads(most)), -double(omp_get_thread_limit())};
  world.max(fewest);  // of any rank
  for (const auto& [number, by] : {std::pair(-fewest[0], "this process may start"),
                                   {-fewest[1], "OpenMP gives it; unset OMP_THREAD_LIMIT"}})
    if (most > number)
      throw Refusal{fmt::format("--threads: '{}' is more than the {} that {}", most, number, by)};
}

Device processor() {
  std::ifstream file("/proc/cpuinfo");
  std::map<std::string, std::string> facts;  // of the last core
  for (std::string line; std::getline(file, line);)
    if (const auto colon = line.find(": "); colon != std::string::npos)
      facts[line.substr(0, line.find_last_not_of("\t ", colon - 1) + 1)] = line.substr(colon + 2);
  std::string name = facts["model name"];
  if (name.empty() && facts.contains("CPU part"))  // ARM's have numbers alone
    name = "ARM implementer " + facts["CPU implementer"] + " part " + facts["CPU part"];
  return {"processor", name.empty() ? "unknown processor" : name, usable_cpus()};
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::string utc_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return fmt::format("{:%FT%T}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(ms / 1000)), ms % 1000);
}

double available_memory() {
  double available =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  std::ifstream meminfo("/proc/meminfo");  // Linux knows better
  for (std::string line; std::getline(meminfo, line);)
    if (line.starts_with("MemAvailable:")) available = 1024 * std::stod(line.substr(13));
  for (const std::string& group : groups_above(own_groups, cgroups))
    available = std::min(available, left_in(group));
  return available;
}

std::pair<double, double> memory_of(double bytes, const World& world) {
  static const double available = std::min(available_memory(), world.on_this_host(address_space()));
  double worst[] = {world.on_this_host(bytes), -available};
  world.max(worst);
  return {worst[0], -worst[1]};
}

void require_memory(const std::string& what, double bytes, const World& world) {
  if (const auto [needed, available] = memory_of(bytes, world); needed > 0.95 * available)
    throw Refusal{fmt::format("{} needs {} of memory, {} are available; give a smaller size", what,
                              readable_bytes(needed), readable_bytes(available))};
}

std::string lacking(std::string_view features) {
#ifdef __x86_64__
#define COURSE_ASK(feature) __builtin_cpu_supports(#feature) ? #feature : ""
  static const std::vector<std::string> has = {
      COURSE_ASK(sse2),     COURSE_ASK(avx),      COURSE_ASK(avx2),     COURSE_ASK(fma),
      COURSE_ASK(bmi),      COURSE_ASK(bmi2),     COURSE_ASK(avx512f),  COURSE_ASK(avx512cd),
      COURSE_ASK(avx512dq), COURSE_ASK(avx512bw), COURSE_ASK(avx512vl), COURSE_ASK(avx512bf16)};
#else
  static const std::vector<std::string> has = {every_vector};
#endif
  std::vector<std::string> missing;
  for (const std::string& feature : split(features))
    if (!feature.empty() && !contains(has, feature)) missing.push_back(feature);
  return joined(missing, ",");
}

}  // namespace course
