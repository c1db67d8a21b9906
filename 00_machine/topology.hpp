// What the machine is: processors, caches, memory and vector sets that this process may use.
#pragma once

#include <vector>

#include "kernels/kernels.hpp"
#include "sheet.hpp"

namespace machine {

/// "L1" to "L3"; 4 is "memory".
std::string level_name(int level);

struct Cache {
  int level;
  double bytes;
  int ways, line;  // 0: unknown
  int cores;       // usable cores that share it
  int threads;     // usable hardware threads that share it
};

struct Topology {
  std::vector<int> cpus;  // the system's numbers of the usable hardware threads, one of each core first
  int cores = 0;
  std::vector<Cache> caches;  // for data, of the first usable core, from the smallest level
  double memory;              // bytes

  /// Nothing if there is no such level.
  const Cache* cache(int level) const;
};

/// As hwloc or, where it is missing, Linux sees it, less what this process is not allowed. Throws Refusal.
Topology topology();

/// The vector sets that this processor and its system have, from the narrowest.
std::vector<const Kernels*> vector_sets();

void add_processor(Sheet& sheet, const Topology& machine);
void add_topology(Sheet& sheet, const Topology& machine);

}  // namespace machine
