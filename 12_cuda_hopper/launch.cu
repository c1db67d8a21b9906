// Starts 12's kernels: compiled for sm_90a alone.
#include "launch.hpp"

#include "gpu/tma.hpp"
#include "rungs/cluster.cuh"
#include "rungs/f64_tensor.cuh"
#include "rungs/persistent.cuh"
#include "rungs/tf32.cuh"
#include "rungs/tma.cuh"
#include "rungs/warp_specialised.cuh"
#include "rungs/wgmma.cuh"

namespace cuda_hopper {
namespace {

using course::ceil_div;

template <auto kernel, int BN>
void a_tile_a_block(int block, std::size_t bytes, View<const bf16> a, View<const bf16> b, View<float> c) {
  launch<kernel>(dim3{unsigned(ceil_div(c.cols(), BN)), unsigned(ceil_div(c.rows(), BM))}, block, bytes,
                 map_of(a, BM, BK), map_of(b, BK, 64), c, int(a.cols()));
}

/// Blocks that stay for all tiles, `group_rows` rows of tiles in a group, or one a tile. `b_boxes`: how B is
/// seen, in boxes.
template <auto kernel, class Team, int BN, class T>
void walk(std::size_t bytes, View<const T> a, const CUtensorMap& b_boxes, View<float> c, int group_rows,
          bool stay = true) {
  constexpr int blocks = Team::blocks;
  const int most = Launch<kernel, blocks>(dim3{blocks}, with_producer, bytes).resident();
  const GroupedOrder order{int(ceil_div(c.rows(), BM * blocks)), int(ceil_div(c.cols(), BN)),
                           group_rows / blocks};
  const int tiles = order.down * order.across;
  launch<kernel, blocks>(dim3{unsigned(blocks * (stay ? std::min(tiles, most) : tiles))}, with_producer,
                         bytes, map_of(a, BM, 128 / int(sizeof(T))), b_boxes, map_of(c, 16, 32), order,
                         int(a.cols()));
}
template <int BN, int depth, int buffers>
void by_all(View<const bf16> a, View<const bf16> b, View<float> c, int group_rows, bool stay = true) {
  using Memory = Shared<BN, depth, buffers>;
  static_assert(sizeof(Memory) <= 227 * 1024);
  walk<persistent<BN, depth, buffers>, Alone, BN>(sizeof(Memory), a, map_of(b, BK, 64), c, group_rows, stay);
}
/// b in TF32 is B's transpose.
template <class Team, int BN, int depth, class T = bf16>
void in_turns(View<const T> a, View<const T> b, View<float> c) {
  using Memory = PingPongShared<BN, depth, T>;
  static_assert(sizeof(Memory) <= 227 * 1024);
  const CUtensorMap b_boxes = std::is_same_v<T, tf32> ? map_of(b, BN, 32) : map_of(b, BK / Team::blocks, 64);
  walk<ping_pong<Team, BN, depth, T>, Team, BN>(sizeof(Memory), a, b_boxes, c, 8);
}

// [width]
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
// [/width]

}  // namespace

bool serves(View<const bf16> a, View<const bf16> b, View<const float> c) {
  return served(a) && served(b) && adds_to(c);
}

void multiply(Rung rung, View<const bf16> a, View<const bf16> b, View<float> c) {
  if (c.rows() == 0 || c.cols() == 0 || a.cols() == 0) return;
  if (rung == Rung::tma) return a_tile_a_block<tma<3>, 128>(threads, sizeof(Ring<128, 3>), a, b, c);
  if (rung == Rung::wgmma) return a_tile_a_block<wgmma<256, 4>, 256>(256, sizeof(Ring<256, 4>), a, b, c);
  if (rung == Rung::warp_specialised)
    return a_tile_a_block<warp_specialised<256, 4>, 256>(with_producer, sizeof(Ring<256, 4>), a, b, c);
  if (rung == Rung::tma_add) return by_all<256, 4, 1>(a, b, c, 1, false);
  if (rung == Rung::persistent) return by_all<256, 4, 1>(a, b, c, 1);
  if (rung == Rung::ordered) return by_all<256, 4, 1>(a, b, c, 16);
  if (rung == Rung::ping_pong) return in_turns<Alone, 128, 6>(a, b, c);
  if (rung == Rung::cluster) return in_turns<Pair, 128, 6>(a, b, c);
  const bool lines =
      a.ld() % 64 == 0 && b.ld() % 64 == 0;  // else boxes share L2's lines, and copies cost more
  const int width = width_for(c, lines ? 1 : 2);
  if (width == 64) return by_all<64, 6, 2>(a, b, c, 16);
  if (width == 128) return (lines ? in_turns<Alone, 128, 6> : in_turns<Pair, 128, 6>)(a, b, c);
  return (lines ? in_turns<Alone, 192, 5> : in_turns<Pair, 192, 5>)(a, b, c);
}

bool serves(View<const tf32> a, View<const tf32> b, View<const float> c) {
  return served(a) && served(b) && adds_to(c);
}

void multiply(View<const tf32> a, View<const tf32> b, View<float> c) {
  auto& transposed_b = course::workspace<course::Cuda::Matrix<tf32>>();
  const Index n = b.cols(), k = b.rows(), ld = ceil_div(k, 4) * 4;
  if (c.rows() == 0 || n == 0 || k == 0) return;
  if (transposed_b.view().rows() < n * ld)
    transposed_b = {}, transposed_b = {n * ld, 1, 0, course::Memory::device};  // the old one is freed first
  const View<tf32> to(transposed_b.view().data(), n, k, ld);
  course::launch(transposed, {ceil_div(k, side), ceil_div(n, side)}, {transposing}, b, to);
  const View<const tf32> columns = to;
  const auto cost = [&](Index width) {
    return width * ceil_div(ceil_div(c.rows(), BM) * ceil_div(n, width), course::Cuda::multiprocessors());
  };
  if (cost(128) <= cost(192)) return in_turns<Alone, 128, 6>(a, columns, c);
  in_turns<Alone, 192, 5>(a, columns, c);
}

bool serves(View<const double> a, View<const double> b, View<const double> c) {
  return served(a) && served(b) && c.rows() <= course::most_blocks_in_y * f64_BM;
}

void multiply(View<const double> a, View<const double> b, View<double> c) {
  constexpr int depth = 4;
  if (c.rows() == 0 || c.cols() == 0 || a.cols() == 0) return;
  launch<f64_tensor<depth>>(dim3{unsigned(ceil_div(c.cols(), f64_BN)), unsigned(ceil_div(c.rows(), f64_BM))},
                            f64_threads, sizeof(F64Ring<depth>), map_of(a, f64_BM, f64_BK),
                            map_of(b, f64_BK, 16), c, int(a.cols()));
}

bool here() {
  return course::once_a_device([] { return course::Cuda::missing(90, true).empty(); });
}

}  // namespace cuda_hopper
