// Each variant of 05 calls the kernel of its name, with the caches and the threads of its row: its program
// round kernels that only say what they were called with.
#include <doctest/doctest.h>

#include <map>

#define main program
#include "05_avx2/main.cpp"
#undef main

namespace avx2 {
namespace {

struct {
  std::string kernel;
  int threads = 0;
  Index l3 = 0;  // 0: it was not told of any caches
} called;

}  // namespace

#define SAYS(name, ...)                   \
  template <class T>                      \
  void name(__VA_ARGS__) {                \
    called = {#name, threads, caches.l3}; \
  }
constexpr int threads = 1;         // of kernels that take no number
constexpr Caches caches{.l3 = 0};  // nor caches
#define MATRICES View<const T>, View<const T>, View<T>
SAYS(ikj_avx2, MATRICES, int threads)
SAYS(dot_avx2, MATRICES, View<T>, int threads)
SAYS(register_tile, MATRICES)
SAYS(blocked, MATRICES, const Caches& caches)
SAYS(packed, MATRICES, const Caches& caches)
SAYS(tile_512, MATRICES)
SAYS(blocked_512, MATRICES, const Caches& caches)
SAYS(packed_512, MATRICES, const Caches& caches)
SAYS(tuned, MATRICES, const Caches& caches, int threads)
SAYS(avx512, MATRICES, const Caches& caches, int threads)

Caches caches_here(int threads) {
  return {.l3 = 1000 + threads};
}

}  // namespace avx2

TEST_CASE_TEMPLATE("each variant calls its kernel, and in threads if it is swept over them", T, float, double,
                   std::int32_t) {
  std::map<std::string, double> loads;
  for (const auto& variant : variants<T>()) {
    std::string name = variant->traits.name;
    if (variant->traits.broken) continue;
    CAPTURE(name);
    const std::string suffix = "_threads";
    const bool in_threads = name.ends_with(suffix);
    CHECK(variant->traits.threads == (in_threads || name == "ikj_avx2" || name == "dot_avx2"));
    if (in_threads) name.resize(name.size() - suffix.size());
    const course::Problem<T> problem{.shape = {3, 4, 5}};
    loads[variant->traits.name] = variant->traits.cost(problem.shape, {}).loads_stores;
    for (const int threads : variant->traits.threads ? std::vector{1, 3} : std::vector{1}) {
      variant->allocate(problem, {.threads = threads}, {});
      variant->run();
      CHECK(avx2::called.kernel == name);
      CHECK(avx2::called.threads == threads);
      if (avx2::called.l3) CHECK(avx2::called.l3 == 1000 + threads);
      variant->release();
    }
  }
  CHECK(loads.at("tuned_threads") == loads.at("tuned"));
  CHECK(loads.at("avx512_threads") == loads.at("avx512"));
  CHECK(loads.at("avx512") < loads.at("tuned"));  // of a larger tile each number loaded serves more products
}
