// 12_cuda_hopper: what compute capability 9.0 adds, on such a GPU alone.
#include <cstdio>

#include "11_cuda_tensor/library.hpp"
#include "cost.hpp"
#include "gpu/step.hpp"
#include "launch.hpp"
#include "runner/run.hpp"

namespace {

using namespace cuda_hopper;
using course::Settings;

#ifdef __CUDACC__
const course::Needs hopper_units{.capability = 90, .no_other = true};
#else
const course::Needs hopper_units{.lacking = "needs a GPU of compute capability 9.0, and nvcc from 12.5 on"};
#endif

/// By Hopper's units where TMA can serve the matrices, else by 11's stages.
course::Launch<bf16> launch_of([[maybe_unused]] Rung which) {
#ifdef __CUDACC__
  return
      [which, said = false](View<const bf16> a, View<const bf16> b, View<float> c, const Settings&) mutable {
        if (serves(a, b, c)) return multiply(which, a, b, c);
        if (!std::exchange(said, true)) std::printf("  rows that TMA cannot serve: by 11's stages\n");
        cuda_tensor::by_stages(a, b, c);
      };
#else
  return {};  // none of it is emulated
#endif
}

std::shared_ptr<course::Variant<bf16>> rung(std::string name, std::string idea, Rung which) {
  const course::CostOf cost = which == Rung::tma ? cost::warp_tiles : cost::warpgroup_tiles;
  return course::gpu<bf16>(std::move(name), std::move(idea), launch_of(which), cost, hopper_units);
}

template <class T>
course::Variants<T> variants() {
  course::Variants<T> list;
  if constexpr (std::is_same_v<T, bf16>) {
    list = {
        rung("tma", "as 11's stages, tiles by TMA", Rung::tma),
        rung("wgmma", "… multiplied where they lie", Rung::wgmma),
        rung("warp_specialised", "… warps that copy, warps that multiply", Rung::warp_specialised),
        rung("persistent", "… blocks walk C in grouped order, for L2", Rung::persistent),
        rung("best", "… tiles by the shape", Rung::best),
    };
    // TMA writes nothing beyond its map of C: the map is one too large.
    course::add_too_far<bf16>(list, launch_of(Rung::best), hopper_units);
  }
  return list;
}

}  // namespace

COURSE_GPU_STEP("Hopper's units", (step.bf16 = variants<bf16>(), step.has_emulation = false))
