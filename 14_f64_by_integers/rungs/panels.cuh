// panels: as rounded, but remainders are found without a division, planes lie as the product reads them, one
// launch makes all products, and of each sum only its remainder is stored: a byte.
//   build/14_f64_by_integers/14_f64_by_integers --emulate forward --size 64 --variant panels
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

/// A, B and C are not cut; strassen cuts them into side · side parts. A modulus takes so many products.
struct Whole {
  static constexpr int side = 1, products = 1;
};
__device__ inline std::int64_t operand_of_a(Whole, int, std::int64_t a) {
  return a;
}
__device__ inline std::int64_t operand_of_b(Whole, int, std::int64_t b) {
  return b;
}
__device__ inline void parts_of_c(Whole, const int (&p)[1], int (&c)[1]) {
  c[0] = p[0];
}

template <class Cut = Whole>
struct ByPanels : ByRemainders<true> {
  static constexpr int moduli = ByRemainders<true>::planes, planes = moduli * Cut::products;
  Weights by[moduli];
  ByPanels() {
    for (int t = 0; t < moduli; ++t) by[t] = Weights::of(modulus(t));
  }
};

struct Integers {
  std::int64_t of[4];
};
__device__ inline Integers nearest_integers(const Four& four, double scale) {
  return {{llrint(four.of[0] * scale), llrint(four.of[1] * scale), llrint(four.of[2] * scale),
           llrint(four.of[3] * scale)}};
}
/// operand(element of each part …) of four elements.
template <class Operand>
__device__ Integers each_of(const Integers (&x)[1], Operand operand) {
  return {{operand(x[0].of[0]), operand(x[0].of[1]), operand(x[0].of[2]), operand(x[0].of[3])}};
}
template <class Operand>
__device__ Integers each_of(const Integers (&x)[4], Operand operand) {
  Integers made;
#pragma unroll
  for (int e = 0; e < 4; ++e) made.of[e] = operand(x[0].of[e], x[1].of[e], x[2].of[e], x[3].of[e]);
  return made;
}
template <int count>
struct alignas(4 * count) Words {
  std::uint32_t of[count];
};

/// A thread splits 16 elements: four along k in each part of a matrix, `quads` times. A block splits 128
/// columns of `words` rows of A, or 32 columns of 4 · `words` rows of B.
template <class Cut>
struct Splitting {
  static constexpr int side = Cut::side, parts = side * side, quads = 4 / parts;
  static constexpr int warps = threads / 32, words = warps * quads, in_panel = together / 4 / words;
  using Of = Integers[quads][parts];
};
/// Rounds what load(u, q, four, scale) finds: all is on its way before the first is used.
template <class Cut, class Load>
__device__ void load_integers(typename Splitting<Cut>::Of& of, Load load) {
  using S = Splitting<Cut>;
  Four four[S::quads][S::parts];
  double scale[S::quads][S::parts];
#pragma unroll
  for (int u = 0; u < S::quads; ++u)
#pragma unroll
    for (int q = 0; q < S::parts; ++q) load(u, q, four[u][q], scale[u][q]);
#pragma unroll
  for (int u = 0; u < S::quads; ++u)
#pragma unroll
    for (int q = 0; q < S::parts; ++q) of[u][q] = nearest_integers(four[u][q], scale[u][q]);
}
/// What a product takes of them.
template <class Cut, class Operand>
__device__ void take_operands(Integers (&taken)[Splitting<Cut>::quads], const typename Splitting<Cut>::Of& of,
                              Operand operand) {
#pragma unroll
  for (int u = 0; u < Splitting<Cut>::quads; ++u) taken[u] = each_of(of[u], operand);
}
/// Splits rows of A: a warp stores 128 bytes of a row.
template <class Cut>
__device__ void split_rows(const Matrices& all, const ByPanels<Cut>& way, int block) {
  using S = Splitting<Cut>;
  const int x = int(threadIdx.x) % 32, s = block % all.of_a.steps;
  const int i0 = block / all.of_a.steps * S::words + int(threadIdx.x) / 32;
  typename S::Of of;
  load_integers<Cut>(of, [&](int u, int q, Four& four, double& scale) {
    const Index i = i0 + S::warps * u + q / S::side * all.of_a.rows;
    four = four_of_row(all.a, i, Index{s + q % S::side * all.of_a.steps} * together + 4 * x);
    scale = scale_of(all.a_scales, i, all.a.rows());
  });
#pragma unroll
  for (int r = 0; r < Cut::products; ++r) {
    Integers operand[S::quads];
    take_operands<Cut>(operand, of, [r](auto... part) { return operand_of_a(Cut{}, r, part...); });
    std::int8_t* to = all.of_a.at(r, i0, s) + 4 * x;
#pragma unroll 1
    for (int t = 0; t < way.moduli; ++t, to += Cut::products * all.of_a.bytes())
#pragma unroll
      for (int u = 0; u < S::quads; ++u)
        reinterpret_cast<std::uint32_t&>(to[S::warps * u * together]) =
            remainders_of(operand[u].of, way.by[t]);
  }
}
/// Splits columns of B: shared memory transposes at_once planes, of which a thread stores 16 bytes of a row.
template <class Cut>
__device__ void split_columns(const Matrices& all, const ByPanels<Cut>& way, int block) {
  using S = Splitting<Cut>;
  constexpr int words = S::words, at_once = 7, sixteens = words / 4, apart = S::warps / sixteens;
  // What eight lanes, or 32, store at once lies in all banks, and what they load.
  alignas(16) __shared__ SharedTile<std::uint32_t, at_once * 32, words + S::quads> tile;
  const int x = int(threadIdx.x) % 32, y = int(threadIdx.x) / 32 * S::quads;
  const int first = block % S::in_panel * words, s = block / S::in_panel % all.of_b.steps;
  const int j0 = block / S::in_panel / all.of_b.steps * 32;
  typename S::Of of;
  load_integers<Cut>(of, [&](int u, int q, Four& four, double& scale) {
    const Index j = j0 + x + q % S::side * all.of_b.rows;
    four = four_of_column(all.b, Index{s + q / S::side * all.of_b.steps} * together + 4 * (first + y + u), j);
    scale = scale_of(all.b_scales, j, all.b.cols());
  });
  const int word = int(threadIdx.x) % sixteens * 4, row = int(threadIdx.x) / sixteens % 32,
            plane = int(threadIdx.x) / sixteens / 32;
#pragma unroll
  for (int r = 0; r < Cut::products; ++r) {
    Integers operand[S::quads];
    take_operands<Cut>(operand, of, [r](auto... part) { return operand_of_b(Cut{}, r, part...); });
#pragma unroll 1
    for (int t0 = 0; t0 < way.moduli; t0 += at_once) {
#pragma unroll 1
      for (int t = 0; t < at_once; ++t) {
        Words<S::quads> made;
#pragma unroll
        for (int u = 0; u < S::quads; ++u) made.of[u] = remainders_of(operand[u].of, way.by[t0 + t]);
        reinterpret_cast<Words<S::quads>&>(tile[32 * t + x][y]) = made;
      }
      __syncthreads();
      std::int8_t* to = all.of_b.at((t0 + plane) * Cut::products + r, j0 + row, s) + 4 * (first + word);
#pragma unroll
      for (int t = plane; t < at_once; t += apart, to += apart * Cut::products * all.of_b.bytes()) {
        Words<4> moved;
#pragma unroll
        for (int e = 0; e < 4; e += S::quads)
          reinterpret_cast<Words<S::quads>&>(moved.of[e]) =
              reinterpret_cast<Words<S::quads>&>(tile[32 * t + row][word + e]);
        reinterpret_cast<Words<4>&>(*to) = moved;
      }
      __syncthreads();
    }
  }
}
/// Splits A and Bᵀ into planes whose rows are whole panels of 128 bytes: blocks for A, then those for B.
template <class Cut>
__global__ __launch_bounds__(threads, 3) void split_into_panels(Matrices all, ByPanels<Cut> way) {
  wait_for_kernels_before<true>();
  if (all.state->found != 0) return;
  const int of_a = int(all.of_a.rows / Splitting<Cut>::words) * all.of_a.steps, block = int(blockIdx.x);
  block < of_a ? split_rows(all, way, block) : split_columns(all, way, block - of_a);
}
template <class Cut>
Index blocks_that_split_into_panels(const Matrices& all) {
  using S = Splitting<Cut>;
  return all.of_a.rows / S::words * all.of_a.steps + all.of_b.rows / 32 * all.of_b.steps * S::in_panel;
}

/// Remainders of sums, a byte each: a matrix for each product, of blocks of 16 × 16, `across` beside each
/// other. A lane has eight bytes of a block: as of two fragments.
struct alignas(8) Eight {
  std::uint32_t of[2];
};
template <class Cut>
struct Bytes {
  Eight* data;
  Index across, matrix;  // a matrix, in eights
  ByPanels<Cut> way;
};
template <class Cut>
__device__ Eight* at(const Bytes<Cut>& bytes, int t, Index i, Index j) {
  return bytes.data + t * bytes.matrix + (i / 16 * bytes.across + j / 16) * 32 + threadIdx.x % 32;
}
// [bytes]
template <int apart, class Cut, int down, int across>
__device__ void store(const Bytes<Cut>& to, int t, Index i, Index j, const WideC<int> (&sum)[down][across]) {
  const Weights by = to.way.by[t / Cut::products];
#pragma unroll
  for (int r = 0; r < down; ++r)
#pragma unroll
    for (int s = 0; s < across; s += 2)
      *at(to, t, i + apart * r,
          j + 8 * s) = {{remainders_of(sum[r][s].of, by), remainders_of(sum[r][s + 1].of, by)}};
}
// [/bytes]

/// C += the integers of these remainders. A warp does a block of 16 × 16 or, in each part of C, half of one.
template <class Cut>
__global__ __launch_bounds__(threads) void combine_bytes(Matrices all, Bytes<Cut> bytes) {
  constexpr int side = Cut::side, parts = side * side, fragments = 2 / side, ahead = side == 1 ? 7 : 2;
  wait_for_kernels_before<true>();
  if (all.state->found != 0) return;
  const Index cols = std::min(all.c.cols(), all.of_b.rows), across = ceil_div(cols, 64 * fragments);
  const Index i = blockIdx.x / across * 16, j = (blockIdx.x % across * 8 + threadIdx.x / 32) * 8 * fragments;
  if (j >= cols) return;
  double high[parts][4 * fragments] = {}, low[parts][4 * fragments] = {};
#pragma unroll 2
  for (int t0 = 0; t0 < bytes.way.moduli; t0 += ahead) {
    Eight eight[ahead][Cut::products];
#pragma unroll
    for (int t = 0; t < ahead; ++t)
#pragma unroll
      for (int r = 0; r < Cut::products; ++r) {
        const Eight* const from = at(bytes, (t0 + t) * Cut::products + r, i, j);
        if (fragments == 2)
          eight[t][r] = *from;
        else
          eight[t][r].of[0] = from->of[j / 8 % 2];
      }
#pragma unroll
    for (int t = 0; t < ahead; ++t)
#pragma unroll
      for (int e = 0; e < 4 * fragments; ++e) {
        int p[Cut::products], c[parts];
#pragma unroll
        for (int r = 0; r < Cut::products; ++r) p[r] = std::int8_t(eight[t][r].of[e / 4] >> 8 * (e % 4));
        parts_of_c(Cut{}, p, c);
#pragma unroll
        for (int q = 0; q < parts; ++q) {  // 2^52 + a small integer ends with its bits
          const double r =
              std::bit_cast<double>(0x4330000000000000 | std::uint64_t(c[q] + 1024)) - (0x1p52 + 1024);
          high[q][e] = fma(r, bytes.way.of.high[t0 + t], high[q][e]);
          low[q][e] = fma(r, bytes.way.of.low[t0 + t], low[q][e]);
        }
      }
  }
#pragma unroll
  for (int q = 0; q < parts; ++q) {
    const Index i0 = i + q / side * all.of_a.rows, j0 = j + q % side * all.of_b.rows;
    WideC<double> sum[fragments] = {};
#pragma unroll
    for (int e = 0; e < 4 * fragments; ++e) {
      const Place place = WideC<double>::place(int(threadIdx.x) % 32, e % 4);
      const Index row = i0 + place.row, col = j0 + e / 4 * 8 + place.col;
      if (row < all.c.rows() && col < all.c.cols())
        sum[e / 4].of[e % 4] =
            unscaled(integer_of(bytes.way.of, high[q][e], low[q][e]), all.a_scales[row], all.b_scales[col]);
    }
    course::add_row(all.c, i0, j0, sum);
  }
}
template <class Cut>
Index blocks_that_combine_bytes(const Matrices& all) {
  return ceil_div(std::min(all.c.rows(), all.of_a.rows), 16) *
         ceil_div(std::min(all.c.cols(), all.of_b.rows), 128 / Cut::side);
}

}  // namespace
}  // namespace f64_by_integers
