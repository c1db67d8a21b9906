// Starts the kernels for compute capability 9.0: compiled for sm_90a alone.
#include "launch.hpp"

#include <algorithm>
#include <stdexcept>

#include "cluster.cuh"
#include "f32.cuh"
#include "gpu/cuda.hpp"

namespace cuda_tensor::hopper {
namespace {

using course::ceil_div, course::check;

/// cuTensorMapEncodeTiled of the driver, without linking it.
auto encoder() {
  static const auto function = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result;
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                           &result));
    if (result != cudaDriverEntryPointSuccess) throw std::runtime_error("the driver does not know TMA");
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  }();
  return function;
}

/// How TMA sees a matrix, or `parts` of them below each other: boxes of rows × cols, 128 bytes a row,
/// swizzled.
template <class T>
CUtensorMap map_of(View<T> matrix, int rows, int cols, int parts = 1) {
  using Element = std::remove_const_t<T>;
  const auto type = std::is_same_v<Element, float>  ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                    : std::is_same_v<Element, bf16> ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                                    : CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  const cuuint64_t rows_of_one = cuuint64_t(matrix.rows() / parts),
                   row_bytes = cuuint64_t(matrix.ld()) * sizeof(T);
  const cuuint64_t sides[] = {cuuint64_t(matrix.cols()), rows_of_one, cuuint64_t(parts)};
  const cuuint64_t apart[] = {row_bytes, row_bytes * rows_of_one};
  const cuuint32_t box[] = {cuuint32_t(cols), cuuint32_t(rows), cuuint32_t(parts)}, dense[] = {1, 1, 1};
  CUtensorMap map;
  if (encoder()(
          &map, type, 3, const_cast<Element*>(matrix.data()), sides, apart, box, dense,
          CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
          row_bytes % 128 == 0 ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B : CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    throw std::runtime_error("TMA cannot serve this matrix");
  return map;
}

template <auto kernel>
void allow(std::size_t bytes) {
  static const auto allowed =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes));
  check(allowed);  // asked for once: `bytes` belongs to the kernel
}

/// kernel<<<grid, block, bytes>>>(arguments…), which may begin while the kernel before it ends.
template <auto kernel, int cluster = 1, class... Arguments>
void launch(dim3 grid, int block, std::size_t bytes, const Arguments&... arguments) {
  course::launched = {{Index(grid.x), Index(grid.y)}, {block, 1}, reinterpret_cast<void (*)()>(kernel)};
  allow<kernel>(bytes);
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  static const bool pdl = !getenv("NOPDL");
  attributes[0].val.programmaticStreamSerializationAllowed = pdl;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = dim3(unsigned(block)), config.dynamicSmemBytes = bytes;
  config.attrs = attributes, config.numAttrs = cluster > 1 ? 2 : 1;
  check(cudaLaunchKernelEx(&config, kernel, arguments...));
}

/// How many clusters of blocks that take this much shared memory can be resident.
template <auto kernel, int cluster>
int resident(std::size_t bytes) {
  if (cluster == 1) return course::Cuda::multiprocessors();  // one each
  allow<kernel>(bytes);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3{cluster}, config.blockDim = dim3(with_producer), config.dynamicSmemBytes = bytes;
  config.attrs = &attribute, config.numAttrs = 1;
  int most = 0;
  check(cudaOccupancyMaxActiveClusters(&most, kernel, &config));
  return most;
}

template <class T>
bool served(View<T> matrix) {
  return reinterpret_cast<std::uintptr_t>(matrix.data()) % 16 == 0 &&
         matrix.ld() * Index(sizeof(T)) % 16 == 0 &&
         std::max(matrix.rows(), matrix.cols()) <= course::most_blocks_in_y * 64;
}

/// Whether TMA can add to it: beyond an edge it is exact to 16 bytes only.
bool adds_to(View<const float> c) {
  return served(c) && c.cols() % 4 == 0;
}

template <auto kernel, int BN>
void a_tile_a_block(int block, std::size_t bytes, View<const bf16> a, View<const bf16> b, View<float> c) {
  launch<kernel>(dim3{unsigned(ceil_div(c.cols(), BN)), unsigned(ceil_div(c.rows(), BM))}, block, bytes,
                 map_of(a, BM, BK), map_of(b, BK, 64), c, int(a.cols()));
}

constexpr int group_rows = 16, ping_pong_rows = 8, parts_group_rows = 8;  // rows of tiles in a group

template <int BN, int depth, int buffers>
void walk(View<const bf16> a, View<const bf16> b, View<float> c, int group_rows, bool stay = true) {
  using Memory = Shared<BN, depth, buffers>;
  static_assert(sizeof(Memory) <= 227 * 1024);
  const GroupedOrder order{int(ceil_div(c.rows(), BM)), int(ceil_div(c.cols(), BN)), group_rows};
  const int tiles = order.down * order.across;
  const unsigned blocks = unsigned(stay ? std::min(tiles, course::Cuda::multiprocessors()) : tiles);
  launch<persistent<BN, depth, buffers>>(dim3{blocks}, with_producer, sizeof(Memory), map_of(a, BM, BK),
                                         map_of(b, BK, 64), map_of(c, 16, 32), order, int(a.cols()));
}

template <class Team, int BN, int depth>
void walk_in_turns(View<const bf16> a, View<const bf16> b, View<float> c) {
  using Memory = PingPongShared<BN, depth>;
  static_assert(sizeof(Memory) <= 227 * 1024);
  constexpr auto kernel = ping_pong<Team, BN, depth>;
  static const int most = resident<kernel, Team::blocks>(sizeof(Memory));
  const GroupedOrder order{int(ceil_div(c.rows(), BM * Team::blocks)), int(ceil_div(c.cols(), BN)),
                           ping_pong_rows / Team::blocks};
  const unsigned teams = unsigned(std::min(order.down * order.across, most));
  launch<kernel, Team::blocks>(dim3{teams * Team::blocks}, with_producer, sizeof(Memory), map_of(a, BM, BK),
                               map_of(b, BK / Team::blocks, 64), map_of(c, 16, 32), order, int(a.cols()));
}

template <class S, int BN, int depth, int buffers>
void walk_parts(View<const typename S::Half> a, View<const typename S::Half> b, View<float> c,
                const int* a_scales, const int* b_scales, const unsigned* found, unsigned refused,
                unsigned* report) {
  using Memory = PartsShared<S, BN, depth, buffers>;
  static_assert(sizeof(Memory) <= 227 * 1024);
  const GroupedOrder order{int(ceil_div(c.rows(), BM)), int(ceil_div(c.cols(), BN)), parts_group_rows};
  const unsigned blocks = unsigned(std::min(order.down * order.across, course::Cuda::multiprocessors()));
  const bool by_tma = adds_to(c);
  launch<by_parts<S, BN, depth, buffers>>(
      dim3{blocks}, with_producer, sizeof(Memory), map_of(a, BM, BK, S::parts), map_of(b, BK, 64, S::parts),
      by_tma ? map_of(c, 16, 32) : CUtensorMap{}, c, by_tma, order, int(b.rows() / S::parts), a_scales,
      b_scales, found, refused, report);
}

/// Narrow tiles if C has too few wide ones: 64 columns take six tenths of the time that 128 take.
int parts_width_for(View<const float> c) {
  const auto waves = [&](Index width) {
    return ceil_div(ceil_div(c.rows(), BM) * ceil_div(c.cols(), width), course::Cuda::multiprocessors());
  };
  return double(waves(64)) * 0.6 < double(waves(128)) ? 64 : 128;
}

// [width]
/// The width of tiles with which C takes the least time: waves of them, times what a step of one takes, in
/// cycles. Tiles of 64 columns are those of ordered, whose copies from L2 take longer than their products.
int width_for(View<const float> c) {
  const auto cost = [&](Index width, Index step) {
    return step *
           ceil_div(ceil_div(c.rows(), BM) * ceil_div(c.cols(), width), course::Cuda::multiprocessors());
  };
  return std::min({std::pair{cost(128, 512), 128}, {cost(192, 768), 192}, {cost(64, 460), 64}}).second;
}
/// Whether rows are whole lines of L2: else TMA reads a line twice, for two boxes.
bool rows_of_lines(View<const bf16> matrix) {
  return matrix.ld() % 64 == 0;
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
  if (rung == Rung::persistent) return walk<256, 4, 1>(a, b, c, 1);
  if (rung == Rung::ordered) return walk<256, 4, 1>(a, b, c, group_rows);
  if (rung == Rung::ping_pong) return walk_in_turns<Alone, 128, 6>(a, b, c);
  if (rung == Rung::cluster) return walk_in_turns<Pair, 128, 6>(a, b, c);
  const int width = width_for(c);
  if (width == 64) return walk<64, 6, 2>(a, b, c, group_rows);
  if (rows_of_lines(a) && rows_of_lines(b))
    return width == 128 ? walk_in_turns<Alone, 128, 6>(a, b, c) : walk_in_turns<Alone, 192, 5>(a, b, c);
  return width == 128 ? walk_in_turns<Pair, 128, 6>(a, b, c) : walk_in_turns<Pair, 192, 5>(a, b, c);
}

bool here() {
  static const bool is = course::Cuda::missing(90, true).empty();
  return is;
}

template <class S>
void by_parts(View<const typename S::Half> a, View<const typename S::Half> b, View<float> c,
              const int* a_scales, const int* b_scales, const unsigned* found, unsigned refused,
              unsigned* report) {
  const auto start = [&]<int BN, int depth>() {
    walk_parts<S, BN, depth, 2>(a, b, c, a_scales, b_scales, found, refused, report);
  };
  const bool narrow = parts_width_for(c) == 64;
  if constexpr (S::parts == 2)
    narrow ? start.template operator()<64, 4>() : start.template operator()<128, 3>();
  else
    narrow ? start.template operator()<64, 2>() : start.template operator()<128, 2>();
}
template void by_parts<Fp16x2>(View<const f16>, View<const f16>, View<float>, const int*, const int*,
                               const unsigned*, unsigned, unsigned*);
template void by_parts<Bf16x3>(View<const bf16>, View<const bf16>, View<float>, const int*, const int*,
                               const unsigned*, unsigned, unsigned*);

}  // namespace cuda_tensor::hopper
