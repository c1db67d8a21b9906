// 11_cuda_tensor: tensor cores, on the GPU or, by --emulate, on the processor.
#include "broken.cuh"
#include "cost.hpp"
#include "gemm.cuh"
#include "gpu/step.hpp"
#include "runner/run.hpp"

namespace {

using namespace cuda_tensor;
using course::broken, course::gpu, course::Settings;

const course::Needs tensor_cores{.capability = tensor_capability};  // the first whose units know BF16

/// By its fast kernel where rows are aligned, else by the guarded one.
std::shared_ptr<course::Variant<bf16>> variant(std::string name, std::string idea, Kernel<bf16> fast,
                                               Kernel<bf16> guarded, course::CostOf cost = cost::warp_tiles,
                                               Index BM_ = BM, Index BN_ = BN, Index block_threads = threads,
                                               Index shared = 0) {
  const auto launch = [=](View<const bf16> a, View<const bf16> b, View<float> c, const Settings&) {
    const bool aligned = is_aligned(a) && is_aligned(b);
    tile_a_block<bf16>(aligned ? fast : guarded, BM_, BN_, block_threads, a, b, c, aligned ? shared : 0);
  };
  return gpu<bf16>(std::move(name), std::move(idea), launch, std::move(cost), tensor_cores);
}

/// By stages<false> where rows are not aligned.
template <int BK>
std::shared_ptr<course::Variant<bf16>> with_kept_addresses(std::string name, std::string idea) {
  return variant(std::move(name), std::move(idea), kept_addresses<BK>, stages<false>, cost::warp_tiles, BM,
                 BN, threads, sizeof(Stages<BK, 3>));
}

/// Whole steps of k only.
void tail_dropped(View<const bf16> a, View<const bf16> b, View<float> c, const Settings&) {
  tile_a_block<bf16>(mma<false>, BM, BN, threads, a.block(0, 0, a.rows(), a.cols() / BK * BK), b, c);
}

course::Variants<bf16> bf16_variants() {
  const auto broken_variant = [](std::string name, std::string idea, Kernel<bf16> kernel, Index tile = BM,
                                 Index block_threads = threads) {
    return broken(variant(std::move(name), std::move(idea), kernel, kernel, {}, tile, tile, block_threads));
  };
  return {
      variant("wmma", "fragments from global memory", wmma<true>, wmma<false>, cost::wmma, 32, 32, 128),
      variant("shared", "… from tiles in shared memory", shared<true>, shared<false>),
      variant("mma", "… put together by the kernel", mma<true>, mma<false>),
      variant("ldmatrix", "… by ldmatrix", ldmatrix<true, Plain>, ldmatrix<false, Plain>),
      variant("swizzled", "… from swizzled tiles", ldmatrix<true, Swizzled>, ldmatrix<false, Swizzled>),
      variant("stages", "… three pairs of tiles, by cp.async", stages<true>, stages<false>),
      with_kept_addresses<32>("kept_addresses", "… addresses computed once"),
      with_kept_addresses<64>("deep_steps", "… steps of 64 of k"),
      broken_variant("no_syncwarp", "reads what other lanes have not written", wrong::no_syncwarp, 16, 32),
      broken_variant("wrong_lane", "B's rows for its columns", wrong::wrong_lane),
      broken_variant("unswizzled_read", "swizzles as it writes only", ldmatrix<false, Swizzled, Plain>),
      broken(
          variant("too_early", "uses a stage that is on its way", stages<true, 3, 2>, stages<false, 3, 2>)),
      broken(gpu<bf16>("tail_dropped", "whole steps of k only", tail_dropped)),
  };
}

template <class T>
void wide_launch(View<const T> a, View<const T> b, View<course::Result<T>> c, const Settings&) {
  product_of_wide<T>(a, b, c);
}

template <class T>
course::Variants<T> variants() {
  if constexpr (std::is_same_v<T, bf16>) return bf16_variants();
  if constexpr (std::is_same_v<T, double>)
    return {gpu<T>("f64_tensor", "as stages, products of f64", wide_launch<T>, {}, tensor_cores)};
  if constexpr (std::is_same_v<T, course::tf32>)
    return {gpu<T>("tf32", "as stages, f32 rounded to TF32", wide_launch<T>, {}, tensor_cores)};
  return {};
}

}  // namespace

COURSE_GPU_STEP("tensor cores", (step.bf16 = variants<bf16>(), step.tf32 = variants<course::tf32>()))
