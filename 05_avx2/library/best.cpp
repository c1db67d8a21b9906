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
  (wide() ? avx512<T> : tuned<T>)(a, b, c, caches_here(threads), threads);
}

template <class T>
double best_packs(Index m, Index n, Index k, int threads) {
  const TileShape tile = wide() ? avx512_tile : avx2_tile;
  constexpr Index size = sizeof(T), line = 64 / size, page = 2 << 20;
  const auto pages = [](Index elements) { return divide_up(elements * size, page) * page; };
  const Index lanes = tile.bytes / size;
  Index most = 0;
  for (Index down = 1; down <= threads; ++down) {  // whichever grid of threads they form
    if (threads % down != 0) continue;
    const Index cols = divide_up(divide_up(n, lanes), threads / down) * lanes;
    const Blocks cut = blocks(tile, sizeof(T), divide_up(m, down), smaller(n, cols), k, caches_here(threads));
    const Index ld = (divide_up(cut.kc, line) | 1) * line;
    const Index all = pages(threads * cut.kc * cut.nc) + threads * pages(cut.mc * ld);
    most = all > most ? all : most;
  }
  return static_cast<double>(most);
}

#define AVX2_BEST(T)                                              \
  template void best(View<const T>, View<const T>, View<T>, int); \
  template double best_packs<T>(Index, Index, Index, int);
AVX2_BEST(float)
AVX2_BEST(double)
AVX2_BEST(std::int32_t)

}  // namespace avx2
