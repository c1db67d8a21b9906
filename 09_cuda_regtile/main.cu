// 09_cuda_regtile: several elements of C a thread, on the GPU or, by --emulate, on the processor.
#include "broken.cuh"
#include "cost.hpp"
#include "gemm.cuh"
#include "gpu/step.hpp"
#include "library.hpp"
#include "rungs/launches.cuh"
#include "runner/run.hpp"

namespace {

using namespace cuda_regtile;
using course::broken, course::gpu, course::Settings;

template <class T, int TM>
std::shared_ptr<course::Variant<T>> column_of() {
  const auto launch = [](View<const T> a, View<const T> b, View<T> c, const Settings&) {
    tile_a_block<T>(column<T, TM>, 32, 32, Block{32, 32 / TM}, a, b, c);
  };
  return gpu<T>("column_" + std::to_string(TM), "a thread " + std::to_string(TM) + " of a column", launch,
                cost::column<T, TM>);
}

/// By its fast kernel where 16-byte loads are allowed, else by the guarded one.
template <class T>
std::shared_ptr<course::Variant<T>> variant_of(std::string name, std::string idea, Kernel<T> fast,
                                               Kernel<T> guarded, course::CostOf cost = {},
                                               course::Needs needs = {}) {
  return gpu<T>(std::move(name), std::move(idea), by_tiles<DefaultTiling<T>>(fast, guarded), std::move(cost),
                std::move(needs));
}

void in_one_part(View<const float> a, View<const float> b, View<float> c) {
  by_parts<Tiling<float, 64, 128, 8>>(a, b, c, 1);
}
void in_packed(View<const float> a, View<const float> b, View<float> c) {
  packed(a, b, [&](auto a, auto b) { by_stream_k<Large>()(a, b, c, {}); });
}
/// As many parts as all SMs take at once.
template <class S>
void in_parts_of(View<const float> a, View<const float> b, View<float> c) {
  const Index tiles = course::ceil_div(c.rows(), S::BM) * course::ceil_div(c.cols(), S::BN);
  by_parts<S>(a, b, c, int(Cuda::multiprocessors() * S::at_once / std::max<Index>(tiles, 1)));
}
void in_parts(View<const float> a, View<const float> b, View<float> c) {
  in_parts_of<Tiling<float, 64, 128, 8>>(a, b, c);
}
void in_thin_tiles(View<const float> a, View<const float> b, View<float> c) {
  c.rows() < c.cols() ? in_parts_of<Tiling<float, 16, 256, 16, 4, 2>>(a, b, c)
                      : in_parts_of<Tiling<float, 256, 16, 16, 4, 16>>(a, b, c);
}
void in_vectors(View<const float> a, View<const float> b, View<float> c) {
  is_thin(c.rows(), c.cols(), a.cols()) ? by_vectors(a, b, c) : in_parts(a, b, c);
}
void in_best(View<const float> a, View<const float> b, View<float> c) {
  COURSE_REGTILE_MULTIPLY(c.rows(), c.cols(), a.cols(), a.data(), a.ld(), b.data(), b.ld(), c.data(), c.ld());
}

/// Whole steps of k only.
template <class T>
void tail_dropped(View<const T> a, View<const T> b, View<T> c, const Settings&) {
  tile_a_block<T>(transposed<T>, BM, BN, Block{threads, 1}, a.block(0, 0, a.rows(), a.cols() / BK * BK), b,
                  c);
}

template <class T>
course::Variants<T> variants() {
  course::Variants<T> list = {
      column_of<T, 1>(),
      column_of<T, 2>(),
      column_of<T, 4>(),
      column_of<T, 8>(),
      column_of<T, 16>(),
      column_of<T, 32>(),
      variant_of<T>("square", "a thread 8 x 8 elements", square<T>, square<T>, cost::square<T>),
      variant_of<T>("transposed", "… A's tile transposed", transposed<T>, transposed<T>,
                    cost::side_by_side<T>),
      variant_of<T>("vectorised", "… 16 bytes a load", vectorised<T, true>, vectorised<T, false>,
                    cost::side_by_side<T>),
      variant_of<T>("conflict_free", "… no bank conflicts", conflict_free<T, true>, conflict_free<T, false>,
                    cost::interleaved<T>),
      variant_of<T>("double_buffered", "… the next tiles by registers", double_buffered<T, true>,
                    double_buffered<T, false>, cost::interleaved<T>),
      broken(variant_of<T>("padding_forgotten", "reads a padded tile as if it were none",
                           wrong::padding_forgotten<T>, wrong::padding_forgotten<T>)),
      broken(variant_of<T>("no_barrier", "two buffers, changed without waiting", wrong::no_barrier<T>,
                           wrong::no_barrier<T>)),
      broken(gpu<T>("tail_dropped", "whole steps of k only", tail_dropped<T>)),
  };
  if constexpr (std::is_floating_point_v<T>) {
    list.push_back(variant_of<T>("kept_addresses", "… addresses kept from step to step",
                                 kept_addresses<T, true>, kept_addresses<T, false>, cost::interleaved<T>));
    list.push_back(variant_of<T>("async_copies", "… B's by cp.async", async_copies<T, true>,
                                 async_copies<T, false>, cost::interleaved<T>, for_copies));
    list.push_back(variant_of<T>("warp_tiles", "… a warp 32 x 64 elements", async_copies<T, true, ByWarps>,
                                 async_copies<T, false, ByWarps>, cost::warp_tiles<DefaultTiling<T>>,
                                 for_copies));
    list.push_back(variant_of<T>("fragments_ahead", "… the next column and row on their way",
                                 fragments_ahead<T, true>, fragments_ahead<T, false>,
                                 cost::warp_tiles<DefaultTiling<T>>, for_copies));
    list.push_back(variant_of<T>("serpentine", "… multiply-adds there and back",
                                 tiled<DefaultTiling<T>, true>, tiled<DefaultTiling<T>, false>,
                                 cost::warp_tiles<DefaultTiling<T>>, for_copies));
    list.push_back(broken(variant_of<T>("not_waited_for", "… B's by cp.async, used before it is there",
                                        wrong::not_waited_for<T>, wrong::not_waited_for<T>, course::uncounted,
                                        for_copies)));
  }
  if constexpr (std::is_same_v<T, float>) {
    using Slices = Tiling<float, 64, 128, 32, 4>;
    list.push_back(
        gpu<T>("large_tiles", "… a block 128 x 256", by_tiles<Large>(), cost::warp_tiles<Large>, for_copies));
    list.push_back(gpu<T>("stream_k", "… equal shares for all multiprocessors", by_stream_k<Large>(),
                          cost::warp_tiles<Large>, for_copies));
    list.push_back(gpu<T>("slices", "small tiles, k in 4 slices", by_tiles<Slices>(),
                          cost::warp_tiles<Slices>, for_copies));
    const auto shaped = [&](std::string name, std::string idea, auto product) {
      const auto launch = [product](View<const T> a, View<const T> b, View<T> c, const Settings&) {
        product(a, b, c);
      };
      list.push_back(gpu<T>(std::move(name), std::move(idea), launch, course::uncounted, for_copies));
    };
    shaped("packed", "stream_k on copies whose rows begin at 16 bytes", in_packed);
    shaped("any_rows", "… or rows that may begin anywhere", in_one_part);
    shaped("split_k", "… k in parts for blocks of their own", in_parts);
    shaped("lanes", "… tiles of a thin C's shape", in_thin_tiles);
    shaped("vectors", "few rows or columns: as fast as memory is", in_vectors);
    shaped("best", "the kernel that should take least time", in_best);
  }
  return list;
}

}  // namespace

COURSE_GPU_STEP("register tiles")
