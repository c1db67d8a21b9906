#include "caches.hpp"

#include <hwloc.h>

#include <algorithm>

namespace avx2 {
namespace {

/// The caches of the first core, whole.
Caches ask_hwloc() {
  Caches caches;
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return caches;
  if (hwloc_topology_load(topology) == 0) {
    const auto bytes = [topology](hwloc_obj_type_t level, Index otherwise) {
      const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, level, 0);
      return cache != nullptr && cache->attr->cache.size > 0 ? static_cast<Index>(cache->attr->cache.size)
                                                             : otherwise;
    };
    caches.l1 = bytes(HWLOC_OBJ_L1CACHE, caches.l1);
    caches.l2 = bytes(HWLOC_OBJ_L2CACHE, caches.l2);
    caches.l3 = bytes(HWLOC_OBJ_L3CACHE, caches.l3);
  }
  hwloc_topology_destroy(topology);
  return caches;
}

}  // namespace

Caches caches_here(int threads) {
  static const Caches whole = ask_hwloc();
  Caches share = whole;
  share.l3 = std::min(whole.l3 / threads, 16 * whole.l2);
  return share;
}

}  // namespace avx2
