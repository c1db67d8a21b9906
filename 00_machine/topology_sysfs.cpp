// Where hwloc is missing: what Linux itself says, in files under /sys.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "runner/text.hpp"
#include "topology.hpp"

namespace machine {
namespace {

/// The content of a hardware thread's file; empty if there is none.
std::string fact(int cpu, const std::string& name) {
  std::string text;
  std::ifstream("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/" + name) >> text;
  return text;
}

/// The numbers of a list such as "0-3,8" that are among these.
std::vector<int> listed(const std::string& text, const std::vector<int>& among) {
  std::vector<int> found;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const int first = std::stoi(part), last = std::stoi(part.substr(part.find('-') + 1));
    for (const int one : among)
      if (first <= one && one <= last) found.push_back(one);
  }
  return found;
}

}  // namespace

Topology topology() {
  Topology found;
  found.memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
#ifdef __linux__
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) found.cpus.push_back(cpu);
#else  // each is then taken for a core, its caches are unknown
  for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); ++cpu) found.cpus.push_back(cpu);
#endif
  if (found.cpus.empty()) throw course::Refusal{"there is no core that this process may use"};
  const std::vector<int> usable = found.cpus;
  /// The number of a thread among the usable ones of its core.
  const auto which = [&usable](int cpu) {
    const std::vector<int> siblings = listed(fact(cpu, "topology/thread_siblings_list"), usable);
    return std::find(siblings.begin(), siblings.end(), cpu) - siblings.begin();
  };
  const auto is_first = [&which](int cpu) { return which(cpu) == 0; };
  const auto cores_of = [&is_first](const std::vector<int>& cpus) {
    return static_cast<int>(std::count_if(cpus.begin(), cpus.end(), is_first));
  };
  found.cores = cores_of(usable);
  std::stable_sort(found.cpus.begin(), found.cpus.end(),
                   [&which](int a, int b) { return which(a) < which(b); });
  for (int level = 1; level <= 3; ++level)
    for (int core = 0; core < found.cores; ++core) {
      Cache cache{level, 0, 0, 0, 0, 0};
      for (int index = 0; index < 8; ++index) {
        const auto of = [&](const char* name) {
          const int cpu = found.cpus[static_cast<std::size_t>(core)];
          return fact(cpu, "cache/index" + std::to_string(index) + "/" + name);
        };
        const auto number = [&of](const char* name) {
          const std::string text = of(name);
          return text.empty() ? 0 : std::stoi(text);
        };
        if (number("level") != level || of("type") == "Instruction" || number("size") == 0) continue;
        const std::vector<int> sharing = listed(of("shared_cpu_list"), usable);
        cache = {level,
                 1024. * number("size"),
                 number("ways_of_associativity"),
                 number("coherency_line_size"),
                 cores_of(sharing),
                 static_cast<int>(sharing.size())};
      }
      found.add(cache);
    }
  return found;
}

}  // namespace machine
