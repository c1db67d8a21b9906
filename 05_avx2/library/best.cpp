// The best for other steps, chosen by what this processor has: vectors, and caches as hwloc says or, where it
// is missing, Linux in files under /sys.
#ifdef COURSE_HWLOC
#include <hwloc.h>
#else
#include <fstream>
#include <string>
#endif

#include <algorithm>
#include <utility>

#include "05_avx2/blocks.hpp"
#include "05_avx2/library.hpp"

namespace avx2 {
namespace {

/// Those of the first core.
#ifdef COURSE_HWLOC
Caches whole() {
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
}
#else
Caches whole() {
  Caches caches;
  for (int index = 0; index < 8; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    std::string type;
    std::ifstream(folder + "/type") >> type;
    int level = 0;
    Index kib = 0;
    std::ifstream(folder + "/level") >> level;
    std::ifstream(folder + "/size") >> kib;  // "48K"
    if (type == "Instruction" || kib <= 0) continue;
    (level == 1 ? caches.l1 : level == 2 ? caches.l2 : caches.l3) = 1024 * kib;
  }
  return caches;
}
#endif

}  // namespace

Caches caches_here(int threads) {
  static const Caches here = whole();
  const Index share = threads == 1 ? here.l3 : here.l3 / threads;  // a division would be felt
  return {here.l1, here.l2, std::min(share, 16 * here.l2)};
}

bool has_needs([[maybe_unused]] bool wide) {
#ifdef __aarch64__
  return !wide;  // every such processor has Neon, and none AVX-512
#else
  static const bool narrow = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"),
                    both = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  return wide ? both : narrow;
#endif
}

const char* best_vector() {
  return has_needs(true) ? "avx512" : tuned_vector;
}
const char* best_needs() {
  return has_needs(true) ? avx512_needs : tuned_needs;
}

template <class T>
void best(View<const T> a, View<const T> b, View<T> c, int threads) {
  (has_needs(true) ? tuned<widest_tile, T> : tuned<tuned_tile, T>)(a, b, c, caches_here(threads), threads);
}

COURSE_INSTANTIATE(best, int);

}  // namespace avx2
