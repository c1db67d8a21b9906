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
  double bytes;    // 0: a core has none
  int ways, line;  // 0: unknown
  int cores;       // usable cores that share it
  int threads;     // usable hardware threads that share it
  struct Others {
    int count;
    double bytes;
    int cores;
  };
  std::vector<Others> others = {};  // cores whose cache of this level is another, as where fast and slow are
};

struct Topology {
  std::vector<int> cpus;  // the system's numbers of the usable hardware threads, one of each core first
  int cores = 0;
  std::vector<Cache> caches;  // for data, of the first usable core, from the smallest level; fill it by add()
  double memory;              // bytes

  /// The cache that the next usable core has on a level.
  void add(const Cache& of_core);
  /// Nothing if there is no such level.
  const Cache* cache(int level) const;
};

/// As hwloc or, where it is missing, Linux sees it, less what this process is not allowed. Throws Refusal.
Topology topology();

/// The vector sets that this processor and its system have, from the narrowest.
std::vector<const Kernels*> vector_sets();

/// The words of a row about a cache besides its size; `cores`: the usable ones.
std::string note_of(const Cache& cache, int cores);

void add_processor(Sheet& sheet, const Topology& machine);
void add_topology(Sheet& sheet, const Topology& machine);

}  // namespace machine
