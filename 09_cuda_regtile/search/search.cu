// Measures every tiling: `make search` runs it and writes what was fastest into choices.inc.
#include "09_cuda_regtile/best.cuh"
#include "runner/run.hpp"

namespace {

using namespace cuda_regtile;

template <class T>
course::Variants<T> variants() {
  course::Variants<T> list;
  if constexpr (std::is_same_v<T, float>) {
    for (const auto& [name, launch, needs] : candidates())
      list.push_back(course::gpu<float>(name, "a tiling", launch, course::uncounted, needs));
    list.push_back(
        course::gpu<float>("best", "the one that choices.inc names", best, course::uncounted, for_copies));
  }
  return list;
}

}  // namespace

COURSE_GPU_STEP("the search for the best tiling")
