// Launches 13's kernels for compute capability 9.0: compiled for sm_90a alone.
#include "by_wgmma.cuh"
#include "gpu/tma.hpp"

namespace f32_by_halves {
namespace {

using course::ceil_div, course::launch_dependent, course::map_of;

constexpr int group_rows = 16;  // rows of tiles in a group

template <class T, class S>
void launch_by_wgmma(const Parts<S>& parts, View<float> c, unsigned refused, unsigned* report) {
  using Memory = typename T::Shared;
  static_assert(sizeof(Memory) <= 227 * 1024);
  constexpr auto kernel = by_wgmma<T, S>;
  constexpr int together = T::Cluster::blocks;
  const TileScheduler scheduler{int(ceil_div(c.rows(), T::rows * together)), int(ceil_div(c.cols(), T::BN)),
                                group_rows / together};
  const int most =
      course::ClusterLauncher<kernel, together>(dim3{together}, with_producer, sizeof(Memory)).resident();
  const int turns = int(ceil_div(parts.a.cols(), 64)), even = T::halves_k ? turns + turns % 2 : turns;
  const bool by_tma = course::adds_to(c);
  launch_dependent<kernel, together>(
      dim3{unsigned(std::min(scheduler.down * scheduler.across, most) * together)}, with_producer,
      sizeof(Memory), map_of(parts.of_a, T::rows, 64), map_of(parts.of_b, T::stage_k / together, 64),
      by_tma ? map_of(c, 16, 32) : CUtensorMap{}, parts,
      Arguments{c, by_tma, scheduler, even, refused, report});
}

}  // namespace

/// Starts the pass that splits, and the product by the tiles with which C takes the least time: waves of
/// them, times what one takes.
template <class S>
void launch_on_hopper(const Parts<S>& parts, View<float> c, unsigned refused, unsigned* report) {
  const Shares by = shares(parts);
  const dim3 blocks{by.of_b + by.of_a};
  by.given == Given::whole   ? launch_dependent<split<S, Given::whole>>(blocks, threads, 0, parts, by)
  : by.given == Given::fours ? launch_dependent<split<S, Given::fours>>(blocks, threads, 0, parts, by)
                             : launch_dependent<split<S, Given::nothing>>(blocks, threads, 0, parts, by);
  const auto time = [&](int rows, int cols, double of_one) {
    const Index tiles = ceil_div(c.rows(), rows) * ceil_div(c.cols(), cols);
    return double(ceil_div(tiles, course::Cuda::multiprocessors())) * of_one;
  };
  const double low = time(64, 128, 0.62), square = time(128, 128, 1);
  if (low < square)
    return launch_by_wgmma<PartsTile<S, 64, 128, S::parts == 2 ? 6 : 2, 4>>(parts, c, refused, report);
  if constexpr (S::parts == 2) {
    if (time(128, 192, 1.44) < square)
      return launch_by_wgmma<PartsTile<S, 128, 192, 4, 3, ClusterShape<2>>>(parts, c, refused, report);
    return launch_by_wgmma<PartsTile<S, 128, 128, 5, 4>>(parts, c, refused, report);
  } else {
    launch_by_wgmma<PartsTile<S, 128, 128, 2, 2>>(parts, c, refused, report);
  }
}
template void launch_on_hopper(const Parts<Fp16x2>&, View<float>, unsigned, unsigned*);
template void launch_on_hopper(const Parts<Bf16x3>&, View<float>, unsigned, unsigned*);

}  // namespace f32_by_halves
