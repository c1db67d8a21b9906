#include "best.hpp"

#include "05_avx2/blocks.hpp"

namespace avx2 {
namespace {

bool wide() {
  static const bool can = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  return can;
}

}  // namespace

const char* best_vector() {
  return wide() ? "avx512" : "avx2";
}
const char* best_needs() {
  return wide() ? avx512_needs : avx2_needs;
}

template <class T>
void best(View<const T> a, View<const T> b, View<T> c, int threads) {
  (wide() ? tuned<avx512_tile, T> : tuned<avx2_tile, T>)(a, b, c, caches_here(threads), threads);
}

COURSE_INSTANTIATE(best, int);

}  // namespace avx2
