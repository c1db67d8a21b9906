// panels: as rounded, but remainders are found without a division, planes lie as the product reads them, one
// launch makes all products, and of each sum only its remainder is stored: a byte.
//   build/14_f64_by_integers/14_f64_by_integers --emulate forward --size 64 --variant rounded,panels
#pragma once

#include "gpu/tiles.cuh"
#include "remainders.cuh"

namespace f64_by_integers {
namespace {

constexpr float magic = 0x1.8p23f;  // the bits of magic + n are those of magic, plus n
constexpr std::uint32_t magic_bits = 0x4b400000;

/// How one modulus divides: the nearest remainders of 1, 256, 256² … are weights for the bytes of an integer.
struct Weights {
  std::uint32_t low, high;  // of the lower four bytes and the upper
  std::uint32_t start_of_64,
      start_of_32;  // magic, less the remainder of 2^63, which makes bytes unsigned, or 2^31
  float inverse;
  std::uint32_t minus;  // the modulus

  static Weights of(int modulus) {
    Weights weights{0, 0, magic_bits, magic_bits, 1 / float(modulus), std::uint32_t(-modulus)};
    Wide power = 1;
    for (int e = 0; e < 8; ++e, power *= 256)
      (e < 4 ? weights.low : weights.high) |= std::uint32_t(nearest(power, modulus) & 0xff) << 8 * (e % 4);
    weights.start_of_64 -= std::uint32_t(nearest(Wide{1} << 63, modulus));
    weights.start_of_32 -= std::uint32_t(nearest(Wide{1} << 31, modulus));
    return weights;
  }
};
// [remainder_of]
/// In the lowest byte the nearest remainder of n, |n| < 2^22, which is given as magic_bits + n.
__device__ inline std::uint32_t remainder_of_small(std::uint32_t bits, const Weights& by) {
  const float quotient =
      fmaf(std::bit_cast<float>(bits) - magic, by.inverse, magic);  // rounded to an integer
  return bits + by.minus * std::bit_cast<std::uint32_t>(quotient);
}
__device__ inline std::uint32_t remainder_of(std::int64_t x, const Weights& by) {
  const auto lower = std::uint32_t(x), upper = std::uint32_t(x >> 32) ^ 0x80000000;
  return remainder_of_small(dp4a(lower, by.low, dp4a(upper, by.high, by.start_of_64)), by);
}
__device__ inline std::uint32_t remainder_of(int x, const Weights& by) {
  return remainder_of_small(dp4a(std::uint32_t(x) ^ 0x80000000, by.low, by.start_of_32), by);
}
// [/remainder_of]
/// Of four integers, in a word.
template <class T>
__device__ std::uint32_t remainders_of(const T (&x)[4], const Weights& by) {
  return packed({int(remainder_of(x[0], by)), int(remainder_of(x[1], by)), int(remainder_of(x[2], by)),
                 int(remainder_of(x[3], by))});
}

struct ByPanels : ByRemainders<true> {
  Weights by[planes];
  ByPanels() {
    for (int t = 0; t < planes; ++t) by[t] = Weights::of(modulus(t));
  }
};

struct Integers {
  std::int64_t of[4];
};
__device__ inline Integers nearest_integers(const Four& four) {
  return {{llrint(four.of[0]), llrint(four.of[1]), llrint(four.of[2]), llrint(four.of[3])}};
}
struct alignas(16) FourWords {
  std::uint32_t of[4];
};

constexpr int splitting = 512;  // threads
constexpr int at_once = 7;  // planes whose words shared memory holds, and moduli whose bytes registers hold
/// Splits A and Bᵀ into planes whose rows are whole panels of 128 bytes. A block does 128 columns of 16 rows
/// of A, then others of 32 rows of Bᵀ, which shared memory transposes.
__global__ __launch_bounds__(splitting, 2) void split_into_panels(Matrices all, ByPanels way) {
  __shared__ SharedTile<std::uint32_t, at_once * 32, 33> tile;  // rows one longer: a column lies in all banks
  wait_for_kernels_before<true>();
  const int x = int(threadIdx.x) % 32, y = int(threadIdx.x) / 32;
  const Index of_a = all.of_a.rows / 16 * all.of_a.steps;
  if (blockIdx.x < of_a) {
    const Index i = blockIdx.x / all.of_a.steps * 16 + y;
    const int s = int(blockIdx.x % all.of_a.steps);
    const Integers four = nearest_integers(four_of_row(all, i, Index{s} * together + 4 * x));
#pragma unroll 2
    for (int t = 0; t < ByPanels::planes; ++t)
      reinterpret_cast<std::uint32_t&>(all.of_a.at(t, i, s)[4 * x]) = remainders_of(four.of, way.by[t]);
    return;
  }
  const Index block = blockIdx.x - of_a, j0 = block / all.of_b.steps * 32;
  const int s = int(block % all.of_b.steps);
  Integers four[2];
#pragma unroll
  for (int u = 0; u < 2; ++u)
    four[u] = nearest_integers(four_of_column(all, Index{s} * together + 4 * (y + 16 * u), j0 + x));
  for (int t0 = 0; t0 < ByPanels::planes; t0 += at_once) {
#pragma unroll
    for (int u = 0; u < 2; ++u)
#pragma unroll 1
      for (int t = 0; t < at_once; ++t)
        tile[32 * t + x][y + 16 * u] = remainders_of(four[u].of, way.by[t0 + t]);
    __syncthreads();
    const int word = int(threadIdx.x) % 8 * 4;
    for (int row = int(threadIdx.x) / 8; row < at_once * 32; row += splitting / 8)
      reinterpret_cast<FourWords&>(all.of_b.at(t0 + row / 32, j0 + row % 32, s)[4 * word]) = {
          {tile[row][word], tile[row][word + 1], tile[row][word + 2], tile[row][word + 3]}};
    __syncthreads();
  }
}
inline Index blocks_that_split_into_panels(const Matrices& all) {
  return all.of_a.rows / 16 * all.of_a.steps + all.of_b.rows / 32 * all.of_b.steps;
}

/// Remainders of sums, a byte each: a matrix for each modulus, of blocks of 16 × 16, `across` beside each
/// other. A lane has eight bytes of a block: as of two fragments.
struct alignas(8) Eight {
  std::uint32_t of[2];
};
struct Bytes {
  Eight* data;
  Index across, matrix;  // a matrix, in eights
  ByPanels way;
};
__device__ inline Eight* at(const Bytes& bytes, int t, Index i, Index j) {
  return bytes.data + t * bytes.matrix + (i / 16 * bytes.across + j / 16) * 32 + threadIdx.x % 32;
}
template <int apart, int down, int across>
__device__ void store(const Bytes& to, int t, Index i, Index j, const WideC<int> (&sum)[down][across]) {
  const Weights by = to.way.by[t];
#pragma unroll
  for (int r = 0; r < down; ++r)
#pragma unroll
    for (int s = 0; s < across; s += 2)
      *at(to, t, i + apart * r,
          j + 8 * s) = {{remainders_of(sum[r][s].of, by), remainders_of(sum[r][s + 1].of, by)}};
}

/// C += the integers of these remainders; a warp does a block of 16 × 16.
__global__ __launch_bounds__(threads) void combine_bytes(Matrices all, Bytes bytes) {
  wait_for_kernels_before<true>();
  if (*all.found != 0) return;
  const Index across = ceil_div(all.c.cols(), together), warp = threadIdx.x / 32;
  const Index i = blockIdx.x / across * 16, j = blockIdx.x % across * together + 16 * warp;
  if (j >= all.c.cols()) return;
  double high[8] = {}, low[8] = {};
#pragma unroll
  for (int t0 = 0; t0 < ByPanels::planes; t0 += at_once) {
    Eight eight[at_once];
#pragma unroll
    for (int t = 0; t < at_once; ++t) eight[t] = *at(bytes, t0 + t, i, j);
#pragma unroll
    for (int t = 0; t < at_once; ++t)
#pragma unroll
      for (int e = 0; e < 8; ++e) {  // a byte, 128 more, is the end of 2^52 + it
        const std::uint64_t byte = (eight[t].of[e / 4] ^ 0x80808080) >> 8 * (e % 4) & 0xff;
        const double r = std::bit_cast<double>(0x4330000000000000 | byte) - (0x1p52 + 128);
        high[e] = fma(r, bytes.way.of.high[t0 + t], high[e]),
        low[e] = fma(r, bytes.way.of.low[t0 + t], low[e]);
      }
  }
  WideC<double> sum[2];
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    const Place place = WideC<double>::place(int(threadIdx.x) % 32, e % 4);
    const Index row = i + place.row, col = j + e / 4 * 8 + place.col;
    const bool inside = row < all.c.rows() && col < all.c.cols();
    sum[e / 4].of[e % 4] =
        inside ? unscaled(integer_of(bytes.way.of, high[e], low[e]), all.a_scales[row], all.b_scales[col])
               : 0;
  }
  course::add_row(all.c, i, j, sum);
}
inline Index blocks_that_combine_bytes(View<const double> c) {
  return ceil_div(c.rows(), 16) * ceil_div(c.cols(), together);
}

}  // namespace
}  // namespace f64_by_integers
