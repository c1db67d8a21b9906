// 12's kernels as a library: compiled for sm_90a alone.
#include "library.hpp"

#include "gpu/tma.hpp"
#include "rungs/every_shape.cuh"
#include "rungs/f64_tensor.cuh"
#include "rungs/persistent.cuh"
#include "rungs/ping_pong.cuh"
#include "rungs/tf32.cuh"
#include "rungs/tma.cuh"
#include "rungs/warp_specialised.cuh"
#include "rungs/wgmma.cuh"

namespace cuda_hopper {
namespace {

using course::adds_to, course::ceil_div, course::ClusterLauncher, course::grow, course::launch_dependent,
    course::longest_side, course::map_of, course::served;

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
/// Multiplies; b in TF32 is B's transpose.
template <int blocks, int BN, int depth, class T = bf16>
void in_turns(View<const T> a, View<const T> b, View<float> c) {
  using Memory = PingPongShared<BN, depth, T>;
  static_assert(sizeof(Memory) <= 227 * 1024);
  const CUtensorMap b_boxes = std::is_same_v<T, tf32> ? map_of(b, BN, 32) : map_of(b, BK / blocks, 64);
  by_scheduler<ping_pong<ClusterShape<blocks>, BN, depth, T>, blocks, BN>(sizeof(Memory), a, b_boxes, c, 8);
}

struct Kept {
  course::Cuda::Matrix<bf16> a, b;
  course::Cuda::Matrix<float> sums;
};

/// Packs matrices that TMA cannot serve; a and b become the copies.
void pack_unserved(View<const bf16>& a, View<const bf16>& b, Kept& kept) {
  const auto packed = [](View<const bf16>& from, course::Cuda::Matrix<bf16>& memory) {
    if (served(from)) return Packing{};
    const Index whole = from.cols() < 64 ? 8 : 64, ld = ceil_div(from.cols(), whole) * whole;
    const Packing packing{from, {grow(memory, from.rows() * ld), from.rows(), from.cols(), ld}};
    from = packing.to;
    return packing;
  };
  const Packing of_a = packed(a, kept.a), of_b = packed(b, kept.b);
  if (const unsigned blocks = of_a.blocks() + of_b.blocks(); blocks > 0)
    launch_dependent<pack>(dim3{blocks}, packing, 0, of_a, of_b);
}

/// Where the sums of all parts of k go: a matrix for each, below each other, or, by one, C itself.
template <class T>
View<T> sums_of(View<T> c, Index parts, course::Cuda::Matrix<T>& memory) {
  if (parts == 1) return c;
  return {grow(memory, parts * c.rows() * c.cols()), parts * c.rows(), c.cols(), c.cols()};
}
/// C += the sums of all parts, if there are several.
template <class T>
void add(View<T> sums, Index parts, View<T> c) {
  if (parts == 1) return;
  launch_dependent<add_parts<T>>(dim3{unsigned(ceil_div(c.rows() * c.cols(), adding))}, adding, 0,
                                 sums.data(), int(parts), c);
}

/// C += A·B by parts of k, or, by one, to a C to which TMA cannot add.
template <int blocks, int BN, int depth>
void in_parts(View<const bf16> a, View<const bf16> b, View<float> c, int parts, Kept& kept) {
  using Memory = PingPongShared<BN, depth>;
  static_assert(sizeof(Memory) <= 227 * 1024);
  constexpr auto kernel = ping_pong<ClusterShape<blocks>, BN, depth, bf16, SplitScheduler>;
  const Index m = c.rows(), n = c.cols();
  const View<float> to = sums_of(c, parts, kept.sums);
  const SplitScheduler scheduler{{int(ceil_div(m, BM * blocks)), int(ceil_div(n, BN)), 8 / blocks},
                                 to,
                                 parts,
                                 int(ceil_div(ceil_div(a.cols(), BK), parts))};
  const int most = ClusterLauncher<kernel, blocks>(dim3{blocks}, with_producer, sizeof(Memory)).resident();
  const int tiles = scheduler.down * scheduler.across * parts;
  launch_dependent<kernel, blocks>(dim3{unsigned(blocks * std::min(tiles, most))}, with_producer,
                                   sizeof(Memory), map_of(a, BM, BK), map_of(b, BK / blocks, 64),
                                   CUtensorMap{}, scheduler, int(a.cols()));
  add(to, parts, c);
}

/// C += A·B of any shape.
void every_shape(View<const bf16> a, View<const bf16> b, View<float> c) {
  Kept& kept = course::workspace<Kept>();
  pack_unserved(a, b, kept);
  const bool by_tma = adds_to(c), lines = a.ld() % 64 == 0 && b.ld() % 64 == 0;
  // Where rows are no whole lines, boxes share L2's lines, copies cost more, and clusters gain.
  const auto [width, together, parts] =
      choose(c.rows(), c.cols(), a.cols(), by_tma && !lines ? 2 : 1, course::Cuda::multiprocessors());
  if (parts == 1 && by_tma) {
    if (width == 64) return by_all<64, 6, 2>(a, b, c, 16);
    if (width == 128) return (together == 1 ? in_turns<1, 128, 6> : in_turns<2, 128, 6>)(a, b, c);
    return (together == 1 ? in_turns<1, 192, 5> : in_turns<2, 192, 5>)(a, b, c);
  }
  (width == 64     ? in_parts<1, 64, 8>
   : width == 192  ? in_parts<1, 192, 5>
   : together == 1 ? in_parts<1, 128, 6>
                   : in_parts<2, 128, 6>)(a, b, c, int(parts), kept);
}

/// C += A·B by parts of k, or by one.
template <int BN, int depth>
void f64_in_parts(View<const double> a, View<const double> b, View<double> c, Index parts) {
  using Memory = F64Ring<BN, depth>;
  static_assert(2 * sizeof(Memory) <= 226 * 1024);
  const Index m = c.rows(), n = c.cols();
  const View<double> to = sums_of(c, parts, course::workspace<course::Cuda::Matrix<double>>());
  const auto start = [&]<class Copies>(const Copies& copies) {
    launch_dependent<f64_tensor<Copies, BN, depth>>(
        dim3{unsigned(ceil_div(n, BN)), unsigned(ceil_div(m, f64_BM)), unsigned(parts)}, f64_threads,
        sizeof(Memory), copies, to, int(ceil_div(ceil_div(a.cols(), f64_BK), parts)));
  };
  if (served(a) && served(b))
    start(F64ByTma{map_of(a, f64_BM, f64_BK), map_of(b, f64_BK, 16)});
  else
    start(F64ByThreads{a, b});
  add(to, parts, c);
}

}  // namespace

bool serves(HopperVariant variant, View<const bf16> a, View<const bf16> b, View<const float> c) {
  if (variant == HopperVariant::best) return std::max({c.rows(), c.cols(), a.cols()}) <= longest_side;
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
  every_shape(a, b, c);
}

bool serves(View<const tf32> a, View<const tf32> b, View<const float> c) {
  return served(a) && served(b) && adds_to(c);
}

void gemm(View<const tf32> a, View<const tf32> b, View<float> c) {
  const Index n = b.cols(), k = b.rows(), ld = ceil_div(k, 4) * 4;
  if (c.rows() == 0 || n == 0 || k == 0) return;
  const View<tf32> to(grow(course::workspace<course::Cuda::Matrix<tf32>>(), n * ld), n, k, ld);
  course::launch(transpose, {ceil_div(k, side), ceil_div(n, side)}, {transposing}, b, to);
  const View<const tf32> columns = to;
  const auto cost = [&](Index width) {
    return width * ceil_div(ceil_div(c.rows(), BM) * ceil_div(n, width), course::Cuda::multiprocessors());
  };
  if (cost(128) <= cost(192)) return in_turns<1, 128, 6>(a, columns, c);
  in_turns<1, 192, 5>(a, columns, c);
}

bool serves(View<const double> a, View<const double>, View<const double> c) {
  return std::max({c.rows(), c.cols(), a.cols()}) <= longest_side;
}

void gemm(View<const double> a, View<const double> b, View<double> c) {
  const Index m = c.rows(), n = c.cols();
  if (m == 0 || n == 0 || a.cols() == 0) return;
  const auto [width, parts] = choose_f64(m, n, a.cols(), course::Cuda::multiprocessors());
  const auto multiply = width == 128  ? f64_in_parts<128, 4>
                        : width == 64 ? f64_in_parts<64, 6>
                                      : f64_in_parts<32, 8>;
  try {
    multiply(a, b, c, parts);
  } catch (const std::bad_alloc&) {  // no memory for sums of parts
    multiply(a, b, c, 1);
  }
}

bool here() {
  return course::once_a_device([] { return course::Cuda::missing(90, true).empty(); });
}

}  // namespace cuda_hopper
