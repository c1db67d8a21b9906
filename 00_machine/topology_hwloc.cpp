#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "runner/text.hpp"
#include "topology.hpp"

namespace machine {
namespace {

using Bitmap = std::unique_ptr<hwloc_bitmap_s, void (*)(hwloc_bitmap_t)>;

/// Calls `f` with every object of the type that has a usable hardware thread.
template <class F>
void for_each(hwloc_topology_t all, hwloc_obj_type_t type, const hwloc_bitmap_s* usable, F f) {
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(all, type, object)) != nullptr;)
    if (hwloc_bitmap_intersects(object->cpuset, usable)) f(object);
}

int usable_in(hwloc_obj_t object, const hwloc_bitmap_s* usable) {
  int count = 0;
  for (int cpu = hwloc_bitmap_first(usable); cpu >= 0; cpu = hwloc_bitmap_next(usable, cpu))
    count += hwloc_bitmap_isset(object->cpuset, static_cast<unsigned>(cpu));
  return count;
}

}  // namespace

Topology topology() {
  hwloc_topology_t all = nullptr;
  if (hwloc_topology_init(&all) != 0 || hwloc_topology_load(all) != 0)
    throw course::Refusal{"hwloc cannot see this machine's topology"};
  const std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)> owner(all, hwloc_topology_destroy);
  const Bitmap usable(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  if (hwloc_get_cpubind(all, usable.get(), HWLOC_CPUBIND_PROCESS) != 0)
    hwloc_bitmap_copy(usable.get(), hwloc_topology_get_allowed_cpuset(all));

  Topology found;
  // Not hwloc's: in some virtual machines it is told of a part only.
  found.memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  // The first thread of each core, then the second of each, ...
  std::vector<std::pair<int, int>> threads;  // (which of its core, the system's number)
  for_each(all, HWLOC_OBJ_CORE, usable.get(), [&](hwloc_obj_t core) {
    int which = 0;
    for (int cpu = hwloc_bitmap_first(core->cpuset); cpu >= 0; cpu = hwloc_bitmap_next(core->cpuset, cpu))
      if (hwloc_bitmap_isset(usable.get(), static_cast<unsigned>(cpu))) threads.emplace_back(which++, cpu);
    ++found.cores;
  });
  std::stable_sort(threads.begin(), threads.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [which, cpu] : threads) found.cpus.push_back(cpu);
  if (found.cpus.empty()) throw course::Refusal{"hwloc sees no core that this process may use"};

  const hwloc_obj_type_t levels[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE};
  for (int level = 1; level <= 3; ++level)
    for_each(all, HWLOC_OBJ_CORE, usable.get(), [&](hwloc_obj_t core) {
      const hwloc_obj_t cache = hwloc_get_ancestor_obj_by_type(all, levels[level - 1], core);
      if (cache == nullptr) return found.add({level, 0, 0, 0, 0, 0});
      int cores = 0;
      for_each(all, HWLOC_OBJ_CORE, usable.get(),
               [&](hwloc_obj_t other) { cores += hwloc_bitmap_intersects(other->cpuset, cache->cpuset); });
      found.add({level, static_cast<double>(cache->attr->cache.size),
                 std::max(0, cache->attr->cache.associativity), static_cast<int>(cache->attr->cache.linesize),
                 cores, usable_in(cache, usable.get())});
    });
  return found;
}

}  // namespace machine
