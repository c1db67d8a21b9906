// 12's kernels as a library: compiled for sm_90a alone.
#include "library.hpp"

#include "gpu/tma.hpp"
#include "rungs/f64_tensor.cuh"
#include "rungs/persistent.cuh"
#include "rungs/tf32.cuh"
#include "rungs/tma.cuh"
#include "rungs/warp_specialised.cuh"
#include "rungs/wgmma.cuh"

namespace cuda_hopper {
namespace {

using course::adds_to, course::ceil_div, course::ClusterLauncher, course::launch_dependent, course::map_of,
    course::served;

template <auto kernel, int BN>
void a_tile_a_block(int block, std::size_t bytes, View<const bf16> a, View<const bf16> b, View<float> c) {
  launch_dependent<kernel>(dim3{unsigned(ceil_div(c.cols(), BN)), unsigned(ceil_div(c.rows(), BM))}, block,
                           bytes, map_of(a, BM, BK), map_of(b, BK, 64), c, int(a.cols()));
}

/// Blocks that stay for all tiles, `group_rows` rows of tiles in a group, or one a tile. `b_boxes`: how B is
/// seen, in boxes.
template <auto kernel, int blocks, int BN, class T>
void by_scheduler(std::size_t bytes, View<const T> a, const CUtensorMap& b_boxes, View<float> c,
                  int group_rows, bool stay = true) {
  const int most = ClusterLauncher<kernel, blocks>(dim3{blocks}, with_producer, bytes).resident();
  const TileScheduler scheduler{int(ceil_div(c.rows(), BM * blocks)), int(ceil_div(c.cols(), BN)),
                                group_rows / blocks};
  const int tiles = scheduler.down * scheduler.across;
  launch_dependent<kernel, blocks>(dim3{unsigned(blocks * (stay ? std::min(tiles, most) : tiles))},
                                   with_producer, bytes, map_of(a, BM, 128 / int(sizeof(T))), b_boxes,
                                   map_of(c, 16, 32), scheduler, int(a.cols()));
}
template <int BN, int depth, int buffers>
void by_all(View<const bf16> a, View<const bf16> b, View<float> c, int group_rows, bool stay = true) {
  using Memory = Shared<BN, depth, buffers>;
  static_assert(sizeof(Memory) <= 227 * 1024);
  by_scheduler<persistent<BN, depth, buffers>, 1, BN>(sizeof(Memory), a, map_of(b, BK, 64), c, group_rows,
                                                      stay);
}
/// b in TF32 is B's transpose.
template <int blocks, int BN, int depth, class T = bf16>
void in_turns(View<const T> a, View<const T> b, View<float> c) {
  using Memory = PingPongShared<BN, depth, T>;
  static_assert(sizeof(Memory) <= 227 * 1024);
  const CUtensorMap b_boxes = std::is_same_v<T, tf32> ? map_of(b, BN, 32) : map_of(b, BK / blocks, 64);
  by_scheduler<ping_pong<ClusterShape<blocks>, BN, depth, T>, blocks, BN>(sizeof(Memory), a, b_boxes, c, 8);
}

/// The width of tiles with which C takes the least time: waves of them, times what a step of one takes, in
/// cycles. Products take 4 a column; copies from L2 more for the narrower ones, as measured. Tiles of 64 are
/// those of ordered.
int width_for(View<const float> c, int together) {
  const auto cost = [&](Index width, Index step, int blocks) {
    const Index tiles = ceil_div(c.rows(), BM * blocks) * ceil_div(c.cols(), width);
    return step * ceil_div(tiles, course::Cuda::multiprocessors() / blocks);
  };
  return std::min({std::pair{cost(128, 540, together), 128},
                   {cost(192, 768, together), 192},
                   {cost(64, 460, 1), 64}})
      .second;
}

}  // namespace

bool serves(View<const bf16> a, View<const bf16> b, View<const float> c) {
  return served(a) && served(b) && adds_to(c);
}

void gemm(HopperVariant variant, View<const bf16> a, View<const bf16> b, View<float> c) {
  if (c.rows() == 0 || c.cols() == 0 || a.cols() == 0) return;
  if (variant == HopperVariant::tma)
    return a_tile_a_block<tma<3>, 128>(threads, sizeof(Ring<128, 3>), a, b, c);
  if (variant == HopperVariant::wgmma)
    return a_tile_a_block<wgmma<256, 4>, 256>(256, sizeof(Ring<256, 4>), a, b, c);
  if (variant == HopperVariant::warp_specialised)
    return a_tile_a_block<warp_specialised<256, 4>, 256>(with_producer, sizeof(Ring<256, 4>), a, b, c);
  if (variant == HopperVariant::tma_add) return by_all<256, 4, 1>(a, b, c, 1, false);
  if (variant == HopperVariant::persistent) return by_all<256, 4, 1>(a, b, c, 1);
  if (variant == HopperVariant::ordered) return by_all<256, 4, 1>(a, b, c, 16);
  if (variant == HopperVariant::ping_pong) return in_turns<1, 128, 6>(a, b, c);
  if (variant == HopperVariant::cluster) return in_turns<2, 128, 6>(a, b, c);
  const bool lines =
      a.ld() % 64 == 0 && b.ld() % 64 == 0;  // else boxes share L2's lines, and copies cost more
  const int width = width_for(c, lines ? 1 : 2);
  if (width == 64) return by_all<64, 6, 2>(a, b, c, 16);
  if (width == 128) return (lines ? in_turns<1, 128, 6> : in_turns<2, 128, 6>)(a, b, c);
  return (lines ? in_turns<1, 192, 5> : in_turns<2, 192, 5>)(a, b, c);
}

bool serves(View<const tf32> a, View<const tf32> b, View<const float> c) {
  return served(a) && served(b) && adds_to(c);
}

void gemm(View<const tf32> a, View<const tf32> b, View<float> c) {
  auto& bt = course::workspace<course::Cuda::Matrix<tf32>>();
  const Index n = b.cols(), k = b.rows(), ld = ceil_div(k, 4) * 4;
  if (c.rows() == 0 || n == 0 || k == 0) return;
  if (bt.view().rows() < n * ld)
    bt = {}, bt = {n * ld, 1, 0, course::Memory::device};  // the old one is freed first
  const View<tf32> to(bt.view().data(), n, k, ld);
  course::launch(transpose, {ceil_div(k, side), ceil_div(n, side)}, {transposing}, b, to);
  const View<const tf32> columns = to;
  const auto cost = [&](Index width) {
    return width * ceil_div(ceil_div(c.rows(), BM) * ceil_div(n, width), course::Cuda::multiprocessors());
  };
  if (cost(128) <= cost(192)) return in_turns<1, 128, 6>(a, columns, c);
  in_turns<1, 192, 5>(a, columns, c);
}

bool serves(View<const double> a, View<const double> b, View<const double> c) {
  return served(a) && served(b) && c.rows() <= course::most_blocks_in_y * f64_BM;
}

void gemm(View<const double> a, View<const double> b, View<double> c) {
  constexpr int depth = 4;
  if (c.rows() == 0 || c.cols() == 0 || a.cols() == 0) return;
  launch_dependent<f64_tensor<depth>>(
      dim3{unsigned(ceil_div(c.cols(), f64_BN)), unsigned(ceil_div(c.rows(), f64_BM))}, f64_threads,
      sizeof(F64Ring<depth>), map_of(a, f64_BM, f64_BK), map_of(b, f64_BK, 16), c, int(a.cols()));
}

bool here() {
  return course::once_a_device([] { return course::Cuda::missing(90, true).empty(); });
}

}  // namespace cuda_hopper
