// 11_cuda_tensor: tensor cores, on the GPU or, the first rungs, by --emulate on the processor.
#include <cstdio>

#include "broken.cuh"
#include "cost.hpp"
#include "gemm.cuh"
#include "gpu/step.hpp"
#ifdef COURSE_HOPPER
#include "hopper/launch.hpp"
#endif
#include "f32/multiply.cuh"
#include "runner/run.hpp"
#include "wide.cuh"

namespace {

using namespace cuda_tensor;
using course::broken, course::gpu, course::Settings;

const course::Needs tensor_cores{.capability = tensor_capability};  // the first whose units know BF16

/// By its fast way where rows are aligned, else by the guarded one.
std::shared_ptr<course::Variant<bf16>> rung(std::string name, std::string idea, Kernel fast, Kernel guarded,
                                            course::CostOf cost = cost::warp_tiles, Index BM_ = BM,
                                            Index BN_ = BN, Index block_threads = threads) {
  const auto launch = [=](View<const bf16> a, View<const bf16> b, View<float> c, const Settings&) {
    const bool aligned = is_aligned(a) && is_aligned(b);
    tile_a_block(aligned ? fast : guarded, BM_, BN_, block_threads, a, b, c);
  };
  return gpu<bf16>(std::move(name), std::move(idea), launch, std::move(cost), tensor_cores);
}

#ifdef COURSE_HOPPER
const course::Needs hopper_units{.capability = 90, .no_other = true};

/// By Hopper's units where TMA can serve the matrices, else by stages.
course::Launch<bf16> hopper_launch(hopper::Rung which) {
  return
      [which, said = false](View<const bf16> a, View<const bf16> b, View<float> c, const Settings&) mutable {
        if (hopper::serves(a, b, c)) return hopper::multiply(which, a, b, c);
        if (!std::exchange(said, true)) std::printf("  rows that TMA cannot serve: by stages\n");
        by_stages(a, b, c);
      };
}
std::shared_ptr<course::Variant<bf16>> rung(std::string name, std::string idea, hopper::Rung which) {
  const course::CostOf cost = which == hopper::Rung::tma ? cost::warp_tiles : cost::warpgroup_tiles;
  return gpu<bf16>(std::move(name), std::move(idea), hopper_launch(which), cost, hopper_units);
}
#endif

/// Whole steps of k only.
void tail_dropped(View<const bf16> a, View<const bf16> b, View<float> c, const Settings&) {
  tile_a_block(mma<false>, BM, BN, threads, a.block(0, 0, a.rows(), a.cols() / BK * BK), b, c);
}

course::Variants<bf16> rungs() {
  const auto wrong_rung = [](std::string name, std::string idea, Kernel kernel, Index tile = BM,
                             Index block_threads = threads) {
    return broken(rung(std::move(name), std::move(idea), kernel, kernel, {}, tile, tile, block_threads));
  };
  course::Variants<bf16> list = {
      rung("wmma", "fragments from global memory", wmma<true>, wmma<false>, cost::wmma, 32, 32, 128),
      rung("shared", "… from tiles in shared memory", shared<true>, shared<false>),
      rung("mma", "… put together by the kernel", mma<true>, mma<false>),
      rung("ldmatrix", "… by ldmatrix", ldmatrix<true, Plain>, ldmatrix<false, Plain>),
      rung("swizzled", "… from swizzled tiles", ldmatrix<true, Swizzled>, ldmatrix<false, Swizzled>),
      rung("stages", "… three pairs of tiles, by cp.async", stages<true>, stages<false>),
#ifdef COURSE_HOPPER
      rung("tma", "… by TMA", hopper::Rung::tma),
      rung("wgmma", "… multiplied where they lie", hopper::Rung::wgmma),
      rung("warp_specialised", "… warps that copy, warps that multiply", hopper::Rung::warp_specialised),
      rung("persistent", "… blocks walk C in grouped order, for L2", hopper::Rung::persistent),
      rung("best", "… tiles by the shape", hopper::Rung::best),
#endif
      wrong_rung("no_syncwarp", "reads what other lanes have not written", wrong::no_syncwarp, 16, 32),
      wrong_rung("wrong_lane", "B's rows for its columns", wrong::wrong_lane),
      wrong_rung("unswizzled_read", "swizzles as it writes only", ldmatrix<false, Swizzled, Plain>),
      broken(rung("too_early", "uses a stage that is on its way", stages<true, 3, 2>, stages<false, 3, 2>)),
      broken(gpu<bf16>("tail_dropped", "whole steps of k only", tail_dropped)),
  };
  course::add_too_far<bf16>(
      list, [](auto a, auto b, auto c, const Settings&) { by_stages(a, b, c); }, tensor_cores);
#ifdef COURSE_HOPPER  // TMA writes nothing beyond its map of C: the map is one too large
  course::add_too_far<bf16>(list, hopper_launch(hopper::Rung::best), hopper_units, "best_");
#endif
  return list;
}

/// As a launch, which says when it goes another way than its first.
course::Launch<float> starting_with(Way first) {
  return [first, multiply = std::make_shared<Multiply>(), said = first](
             View<const float> a, View<const float> b, View<float> c, const Settings&) mutable {
    const Way way = (*multiply)(a, b, c, first);
    if (way != said)
      std::printf("  %s\n", way == Way::bf16x3 ? "graded rows or columns: by BF16x3"
                            : way == Way::f32  ? "NaN, infinity or a range beyond BF16's: by 09's kernel"
                                               : "by FP16x2");
    said = way;
  };
}

template <class T>
void wide_launch(View<const T> a, View<const T> b, View<course::Result<T>> c, const Settings&) {
  product_of_wide<T>(a, b, c);
}

template <class T>
course::Variants<T> variants() {
  if constexpr (std::is_same_v<T, bf16>) return rungs();
  course::Variants<T> list;
  if constexpr (std::is_same_v<T, float>) {
    list = {gpu<T>("f32_by_bf16", "BF16x3: a float as three BF16, six products", starting_with(Way::bf16x3),
                   {}, tensor_cores),
            gpu<T>("f32_by_fp16", "FP16x2: a float as two FP16, three products", starting_with(Way::fp16x2),
                   {}, tensor_cores)};
    course::add_too_far<T>(list, starting_with(Way::fp16x2), tensor_cores);
  } else if constexpr (!std::is_integral_v<T>) {
    list = {std::is_same_v<T, double>
                ? gpu<T>("f64_tensor", "as stages, products of f64", wide_launch<T>, {}, tensor_cores)
                : gpu<T>("tf32", "as stages, f32 rounded to TF32", wide_launch<T>, {}, tensor_cores)};
    course::add_too_far<T>(list, wide_launch<T>, tensor_cores);
  }
  return list;
}

}  // namespace

COURSE_GPU_STEP("tensor cores", (step.bf16 = variants<bf16>(), step.tf32 = variants<course::tf32>()))
