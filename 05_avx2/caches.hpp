// What hwloc says of the caches.
#pragma once

#include "gemm.hpp"

namespace avx2 {

/// What each of `threads` may count on: of the third level, which all share, its part, and no more than four
/// times its second. Where hwloc knows nothing, what Caches has by itself.
Caches caches_here(int threads);

}  // namespace avx2
