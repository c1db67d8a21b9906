#include "runner/machine.hpp"

#include <fmt/chrono.h>
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <latch>
#include <thread>

#include "commit.hpp"
#include "runner/table.hpp"
#include "runner/text.hpp"

namespace course {
namespace {

/// The number that a file such as memory.max begins with, else infinity ("max").
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

/// Bytes of addresses that RLIMIT_AS (ulimit -v) still allows this process.
double address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return HUGE_VAL;
  const double used = number_in("/proc/self/statm") * static_cast<double>(sysconf(_SC_PAGESIZE));
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - used);
}

/// How many threads this process can have at once, up to `most`.
int startable(int most) {
  std::latch all_started(1);
  std::vector<std::jthread> others;
  try {
    while (std::ssize(others) + 1 < most) others.emplace_back([&] { all_started.wait(); });
  } catch (const std::system_error&) {  // no more
  }
  all_started.count_down();
  return static_cast<int>(std::ssize(others)) + 1;
}

/// How many OpenMP gives to a region that asks for so many.
int team_size(int threads) {
  int size = 1;
#pragma omp parallel num_threads(threads)
#pragma omp master
  size = omp_get_num_threads();
  return size;
}

}  // namespace

const std::string compiler = COURSE_COMPILER, commit = COURSE_COMMIT;

int usable_cpus() {
  return std::max(1, omp_get_num_procs());
}

void require_threads(const std::vector<int>& counts, const World& world) {
  const int most = *std::max_element(counts.begin(), counts.end());
  omp_set_dynamic(0), omp_set_max_active_levels(1);  // OMP_DYNAMIC=true would make teams smaller
  double missing[] = {static_cast<double>(most - startable(most)), 0};
  if (missing[0] == 0) missing[1] = most - team_size(most);
  world.max(missing);
  const auto refuse = [most](double lacking, const std::string& why) {
    if (lacking > 0)
      throw Refusal{fmt::format("--threads: '{}' is more than the {} that {}", most,
                                most - static_cast<int>(lacking), why)};
  };
  refuse(missing[0], "this process may start");
  std::string limit = "OpenMP gives";
  for (const char* name : {"KMP_ALL_THREADS", "KMP_DEVICE_THREAD_LIMIT", "OMP_THREAD_LIMIT"})
    if (const char* given = std::getenv(name)) limit = fmt::format("{}={} allows; unset it", name, given);
  refuse(missing[1], limit);
}

void require_cpus(const std::vector<int>& counts) {
  for (const int threads : counts)
    if (threads > usable_cpus())
      throw Refusal{fmt::format("--threads: '{}' is more than the {} hardware threads this process may use",
                                threads, usable_cpus())};
  require_threads(counts);
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
  double available = HUGE_VAL;
  std::ifstream meminfo("/proc/meminfo"), groups("/proc/self/cgroup");
  for (std::string line; std::getline(meminfo, line);)
    if (line.starts_with("MemAvailable:")) available = 1024 * std::stod(line.substr(13));
  std::string group;
  for (std::string line; std::getline(groups, line);)
    if (line.starts_with("0::/")) group = line.substr(3);
  for (;; group.resize(group.rfind('/'))) {  // the groups above it limit it, too
    available = std::min(available, left_in("/sys/fs/cgroup" + group));
    if (group.empty() || group == "/") return available;
  }
}

void require_memory(const std::string& what, double bytes, const World& world) {
  static const double available = std::min(available_memory(), world.on_this_host(address_space()));
  double worst[] = {world.on_this_host(bytes), -available};  // of any host
  if (world.max(worst); worst[0] > 0.95 * -worst[1])
    throw Refusal{fmt::format("{} needs {} of memory, {} are available; give a smaller size", what,
                              readable_bytes(worst[0]), readable_bytes(-worst[1]))};
}

std::string lacking(std::string_view features) {
#define COURSE_ASK(feature) __builtin_cpu_supports(#feature) ? #feature : ""
  static const std::vector<std::string> has = {
      COURSE_ASK(sse2),     COURSE_ASK(avx),      COURSE_ASK(avx2),     COURSE_ASK(fma),
      COURSE_ASK(bmi),      COURSE_ASK(bmi2),     COURSE_ASK(avx512f),  COURSE_ASK(avx512cd),
      COURSE_ASK(avx512dq), COURSE_ASK(avx512bw), COURSE_ASK(avx512vl), COURSE_ASK(avx512bf16)};
  std::vector<std::string> missing;
  for (const std::string& feature : split(features))
    if (!feature.empty() && !contains(has, feature)) missing.push_back(feature);
  return joined(missing, ",");
}

}  // namespace course
