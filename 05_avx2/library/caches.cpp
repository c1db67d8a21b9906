// What hwloc says of the caches.
#include <hwloc.h>

#include <algorithm>
#include <utility>

#include "05_avx2/gemm.hpp"

namespace avx2 {

Caches caches_here(int threads) {
  static const Caches whole = [] {  // those of the first core
    Caches caches;
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0) return caches;
    const bool loaded = hwloc_topology_load(topology) == 0;
    for (const auto& [level, bytes] : {std::pair(HWLOC_OBJ_L1CACHE, &caches.l1),
                                       {HWLOC_OBJ_L2CACHE, &caches.l2},
                                       {HWLOC_OBJ_L3CACHE, &caches.l3}}) {
      const hwloc_obj_t cache = loaded ? hwloc_get_obj_by_type(topology, level, 0) : nullptr;
      if (cache && cache->attr->cache.size > 0) *bytes = static_cast<Index>(cache->attr->cache.size);
    }
    hwloc_topology_destroy(topology);
    return caches;
  }();
  return {whole.l1, whole.l2, std::min(whole.l3 / threads, 16 * whole.l2)};
}

}  // namespace avx2
