// 12_cuda_hopper: what compute capability 9.0 adds, on such a GPU alone.
#include <cstdio>

#include "11_cuda_tensor/library.hpp"
#include "cost.hpp"
#include "gpu/step.hpp"
#include "library.hpp"
#include "runner/run.hpp"

namespace {

using namespace cuda_hopper;
using course::Settings;

#ifdef __CUDACC__
const course::Needs hopper_units{.capability = 90, .no_other = true};
#else
const course::Needs hopper_units{.lacking = "needs a GPU of compute capability 9.0, and nvcc from 12.5 on"};
#endif

#ifdef __CUDACC__
/// By Hopper's units where they can serve the matrices, else by 11's stages.
template <class T, class... Which>
course::Launch<T> launch_of(Which... which) {
  return [which..., said = false](View<const T> a, View<const T> b, View<course::Result<T>> c,
                                  const Settings&) mutable {
    if (serves(which..., a, b, c)) return gemm(which..., a, b, c);
    if (!std::exchange(said, true)) std::printf("  rows, or sides, that 12 cannot serve: by 11's stages\n");
    cuda_tensor::by_stages(a, b, c);
  };
}
#else
template <class T, class... Which>
course::Launch<T> launch_of(Which...) {
  return {};  // none of it is emulated
}
#endif

std::shared_ptr<course::Variant<bf16>> variant_of(std::string name, std::string idea, HopperVariant which) {
  const course::CostOf cost = which == HopperVariant::tma        ? cost::warp_tiles
                              : which < HopperVariant::ping_pong ? cost::warpgroup_tiles
                              : which == HopperVariant::cluster  ? cost::tiles_in_turns<2>
                                                                 : cost::tiles_in_turns<1>;
  return course::gpu<bf16>(std::move(name), std::move(idea), launch_of<bf16>(which), cost, hopper_units);
}

template <class T>
course::Variants<T> variants() {
  if constexpr (std::is_same_v<T, double>)
    return {course::gpu<T>("f64_tensor", "as 11's, the largest products of f64, any rows", launch_of<T>(), {},
                           hopper_units)};
  if constexpr (std::is_same_v<T, tf32>)
    return {course::gpu<T>("tf32", "as ping_pong, B transposed before", launch_of<T>(), {}, hopper_units)};
  return {};
}

template <>
course::Variants<bf16> variants() {
  course::Variants<bf16> list = {
      variant_of("tma", "as 11's stages, tiles by TMA", HopperVariant::tma),
      variant_of("wgmma", "… multiplied where they lie", HopperVariant::wgmma),
      variant_of("warp_specialised", "… warps that copy, warps that multiply",
                 HopperVariant::warp_specialised),
      variant_of("tma_add", "… sums added to C by TMA", HopperVariant::tma_add),
      variant_of("persistent", "… blocks that stay for several tiles", HopperVariant::persistent),
      variant_of("ordered", "… tiles in grouped order, for L2", HopperVariant::ordered),
      variant_of("ping_pong", "… two tiles: one is added, one multiplied", HopperVariant::ping_pong),
      variant_of("cluster", "… two blocks share B's tiles", HopperVariant::cluster),
      variant_of("best", "… any shape: packed, tiles and parts of k by a model", HopperVariant::best),
  };
  // TMA writes nothing beyond its map of C: the map is one too large.
  course::add_too_far<bf16>(list, launch_of<bf16>(HopperVariant::best), hopper_units);
  return list;
}

}  // namespace

COURSE_GPU_STEP("Hopper's units",
                (step.bf16 = variants<bf16>(), step.tf32 = variants<tf32>(), step.has_emulation = false))
