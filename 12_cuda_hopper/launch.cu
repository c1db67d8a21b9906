// Starts 12's kernels: compiled for sm_90a alone.
#include "launch.hpp"

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

constexpr int group_rows = 16;  // rows of tiles in a group

template <int BN, int depth, int buffers>
void walk(View<const bf16> a, View<const bf16> b, View<float> c) {
  using Memory = Shared<BN, depth, buffers>;
  static_assert(sizeof(Memory) <= 227 * 1024);
  const GroupedOrder order{int(ceil_div(c.rows(), BM)), int(ceil_div(c.cols(), BN)), group_rows};
  const unsigned blocks = unsigned(std::min(order.down * order.across, course::Cuda::multiprocessors()));
  launch<persistent<BN, depth, buffers>>(dim3{blocks}, with_producer, sizeof(Memory), map_of(a, BM, BK),
                                         map_of(b, BK, 64), map_of(c, 16, 32), order, int(a.cols()));
}

// [width]
/// The width of tiles with which C takes the least time: waves of them, times what a step of one takes, in
/// cycles, by the tensor cores or by its copies from L2.
int width_for(View<const float> c) {
  int best = 0;
  double least = 0;
  for (const int width : {256, 192, 128, 64}) {
    const double waves =
        double(ceil_div(ceil_div(c.rows(), BM) * ceil_div(c.cols(), width), course::Cuda::multiprocessors()));
    const double cost = waves * std::max(4. * width, 2.4 * (BM + width));  // 2.4: fitted to measured widths
    if (best == 0 || cost < least) best = width, least = cost;
  }
  return best;
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
  const int width = rung == Rung::best ? width_for(c) : 256;
  if (width == 256) return walk<256, 4, 1>(a, b, c);
  if (width == 192) return walk<192, 4, 3>(a, b, c);
  if (width == 128) return walk<128, 5, 2>(a, b, c);
  return walk<64, 6, 2>(a, b, c);
}

bool here() {
  static const bool is = course::Cuda::missing(90, true).empty();
  return is;
}

}  // namespace cuda_hopper
