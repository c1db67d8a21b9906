// Starts 12's kernels: compiled for sm_90a alone.
#include "launch.hpp"

#include "rungs/cluster.cuh"
#include "rungs/persistent.cuh"
#include "rungs/tma.cuh"
#include "rungs/warp_specialised.cuh"
#include "rungs/wgmma.cuh"
#include "tma.hpp"

namespace cuda_hopper {
namespace {

using course::ceil_div;

template <auto kernel, int BN>
void a_tile_a_block(int block, std::size_t bytes, View<const bf16> a, View<const bf16> b, View<float> c) {
  launch<kernel>(dim3{unsigned(ceil_div(c.cols(), BN)), unsigned(ceil_div(c.rows(), BM))}, block, bytes,
                 map_of(a, BM, BK), map_of(b, BK, 64), c, int(a.cols()));
}

/// Blocks that stay for all tiles, `group_rows` rows of tiles in a group; `stay`: else for one.
template <auto kernel, class Team, int BN>
void walk(std::size_t bytes, View<const bf16> a, View<const bf16> b, View<float> c, int group_rows,
          bool stay = true) {
  constexpr int together = Team::down * Team::across;
  static const int most = Launch<kernel, together>(dim3{together}, with_producer, bytes).resident();
  const GroupedOrder order{int(ceil_div(c.rows(), BM * Team::down)),
                           int(ceil_div(c.cols(), BN * Team::across)), group_rows / Team::down};
  const int tiles = order.down * order.across;
  launch<kernel, together>(dim3{unsigned(stay ? std::min(tiles, most) : tiles) * together}, with_producer,
                           bytes, map_of(a, BM / Team::across, BK), map_of(b, BK / Team::down, 64),
                           map_of(c, 16, 32), order, int(a.cols()));
}
template <class Team, int BN, int depth, int buffers>
void by_all(View<const bf16> a, View<const bf16> b, View<float> c, int group_rows, bool stay = true) {
  using Memory = Shared<BN, depth, buffers>;
  static_assert(sizeof(Memory) <= 227 * 1024);
  walk<persistent<Team, BN, depth, buffers>, Team, BN>(sizeof(Memory), a, b, c, group_rows, stay);
}
template <class Team, int BN, int depth>
void in_turns(View<const bf16> a, View<const bf16> b, View<float> c) {
  using Memory = PingPongShared<BN, depth>;
  static_assert(sizeof(Memory) <= 227 * 1024);
  walk<ping_pong<Team, BN, depth>, Team, BN>(sizeof(Memory), a, b, c, 8);
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
  if (rung == Rung::tma_add) return by_all<Alone, 256, 4, 1>(a, b, c, 1, false);
  if (rung == Rung::persistent) return by_all<Alone, 256, 4, 1>(a, b, c, 1);
  if (rung == Rung::ordered) return by_all<Alone, 256, 4, 1>(a, b, c, 16);
  if (rung == Rung::ping_pong) return in_turns<Alone, 128, 6>(a, b, c);
  if (rung == Rung::cluster) return in_turns<PairDown, 128, 6>(a, b, c);
  const bool lines =
      a.ld() % 64 == 0 && b.ld() % 64 == 0;  // else boxes share L2's lines, and copies cost more
  const int width = width_for(c, lines ? 1 : 2);
  if (width == 64) return by_all<Alone, 64, 6, 2>(a, b, c, 16);
  if (width == 128) return (lines ? in_turns<Alone, 128, 6> : in_turns<PairDown, 128, 6>)(a, b, c);
  return (lines ? in_turns<Alone, 192, 5> : in_turns<PairDown, 192, 5>)(a, b, c);
}

bool here() {
  static const bool is = course::Cuda::missing(90, true).empty();
  return is;
}

}  // namespace cuda_hopper
