// What the system says of the caches.
#pragma once

#include <unistd.h>

#include <algorithm>

#include "gemm.hpp"

namespace avx2 {

/// Of the third level, which all share, no thread counts on more than four times its second.
inline Caches caches_here(int threads) {
  Caches caches;
  const auto ask = [](int name, Index otherwise) {
    const long bytes = sysconf(name);
    return bytes > 0 ? Index{bytes} : otherwise;
  };
  caches.l1 = ask(_SC_LEVEL1_DCACHE_SIZE, caches.l1);
  caches.l2 = ask(_SC_LEVEL2_CACHE_SIZE, caches.l2);
  caches.l3 = std::min(ask(_SC_LEVEL3_CACHE_SIZE, caches.l3) / threads, 4 * caches.l2);
  return caches;
}

}  // namespace avx2
