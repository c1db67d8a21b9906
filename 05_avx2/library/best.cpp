#include "best.hpp"

#include "05_avx2/blocks.hpp"

namespace avx2 {
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
