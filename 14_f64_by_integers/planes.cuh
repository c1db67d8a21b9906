// 14: what the passes hand each other: scales of rows and columns; planes, matrices of integers of 8 bits;
// their products.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "gpu/ptx.cuh"
#include "gpu/system_word.hpp"

namespace f64_by_integers {
namespace {  // Hopper's translation unit has it, too

using namespace course::ptx;
using course::ceil_div, course::Index, course::relaxed, course::SharedTile, course::SystemWord, course::View;

/// What a GPU reaches, in 10^12 a second: bytes of the passes, operations of 8-bit integers and of f64 units.
struct Rates {
  double bytes, integers, f64;
  bool in_parts;  // whether the f64 units' kernel takes parts of k where C has few tiles
};

constexpr int threads = 256;
constexpr int together = 128;  // bytes of a plane's row that one step of a product takes

/// Why integers do not serve, one bit each. beyond: NaN, infinity, or a row or column whose norm is below
/// 2^-500 or above 2^500. uneven: the quadratic mean of its elements that are not 0 is more than 2^5 of the
/// geometric one, or less than one in 32 is not 0: f64 units lose less of what is small. reported: the
/// product has begun, the others are known.
enum Found : unsigned { beyond = 1, uneven = 2, reported = 4 };

/// So many planes, one behind the other: each `rows` of steps · 128 columns, of zeros beyond the matrix. Rows
/// of a plane lie `row` bytes apart, and 128 columns `step` bytes from the next.
struct Planes {
  std::int8_t* data;
  int count;
  Index rows;
  int steps;
  Index row, step;

  COURSE_INLINE Index bytes() const { return rows * steps * together; }
  COURSE_INLINE std::int8_t* at(int plane, Index i, int s) const {
    return data + plane * bytes() + i * row + s * step;
  }
};

/// Products of planes: the t-th is that of planes t of A and of Bᵀ or, of `digits`, the sum of those of
/// planes 0 … t of A and t … 0 of Bᵀ, one product with a longer k. Of all, `count` from `first` on are made
/// at once. Nothing is made where one of A's rows or B's columns has been `found` that integers do not serve.
struct Products {
  Planes a, b;
  bool digits;
  int first, count;
  const unsigned* found;
  unsigned* report;
  unsigned* marches = nullptr;  // how many the producers have begun, if they march

  // [walk]
  COURSE_INLINE int steps(int t) const { return digits ? (t + 1) * a.steps : a.steps; }
  COURSE_INLINE int plane_of_a(int t, int step) const { return digits ? step / a.steps : t; }
  COURSE_INLINE int plane_of_b(int t, int step) const { return digits ? t - step / a.steps : t; }
  // [/walk]
};
/// Whether there is anything to make. One thread says it to the host.
__device__ inline bool begin_products(const Products& all) {
  const unsigned found = *all.found;
  if (blockIdx.x == 0 && threadIdx.x == 0 && all.first == 0)
    SystemWord{*all.report}.store(found | reported, relaxed);
  return found == 0;
}

/// Sums of 32 bits, a matrix for each product: `ld` from row to row.
struct Sums {
  int* data;
  Index ld, matrix;
};
/// Stores a warp's sums of product t from (i, j) on; fragments lie `apart` rows below each other.
template <int apart, int down, int across>
__device__ void store(const Sums& to, int t, Index i, Index j, const WideC<int> (&sum)[down][across]) {
  struct alignas(8) Two {
    int of[2];
  };
  const Place at = WideC<int>::place(int(threadIdx.x) % 32, 0);
  int* const first = to.data + t * to.matrix + (i + at.row) * to.ld + j + at.col;
#pragma unroll
  for (int r = 0; r < down; ++r)
#pragma unroll
    for (int s = 0; s < across; ++s)
#pragma unroll
      for (int e = 0; e < 4; e += 2)
        reinterpret_cast<Two&>(first[(apart * r + 4 * e) * to.ld + 8 * s]) = {
            {sum[r][s].of[e], sum[r][s].of[e + 1]}};
}

/// What is known of a row of A, a column of B, or a part of it: the largest element, the sum of the squares
/// and, of those elements that are not 0, that of the exponents' bits and how many they are.
struct Size {
  double largest = 0, squares = 0;
  int exponents = 0, count = 0;
};
__device__ inline void add(Size& size, const Size& more) {
  size.largest = fmax(size.largest, more.largest), size.squares += more.squares;
  size.exponents += more.exponents, size.count += more.count;
}
template <bool by_norm>
__device__ void add_element(Size& size, double x) {
  if (!by_norm) size.largest = fmax(size.largest, fabs(x));
  size.squares = fma(x, x, size.squares);
  size.exponents += int(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff), size.count += x != 0;
}

/// What a row of A and a column of B, scaled, may have in the mean: as norms or, not `by_norm`, largest
/// elements.
struct Rule {
  double most;
  bool by_norm;
};
/// The largest power of two that is at most x, which is positive and normal; and 1 / x of a power of two.
__device__ inline double power_below(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0x7ff0000000000000);
}
__device__ inline double inverse_power(double x) {
  return std::bit_cast<double>(0x7fe0000000000000 - std::bit_cast<std::uint64_t>(x));
}
/// What the rule bounds; 0 of zeros, and of what is not served. Adds to what is found.
__device__ inline double length_of(const Size& size, Index k, Rule rule, unsigned& found) {
  if (size.count == 0) return 0;
  const double norm = sqrt(size.squares) * (1 + 0x1p-30);   // not below the true one
  const bool served = norm >= 0x1p-500 && norm <= 0x1p500;  // not NaN, either
  const double mean = double(size.exponents) / size.count - 1023;
  if (!served) found |= beyond;
  if (size.count * Index{32} < k || log2(norm) - 0.5 * log2(double(size.count)) > mean + 5) found |= uneven;
  return !served ? 0 : rule.by_norm ? norm : size.largest;
}
/// The largest power of two by which a row or column of this length is at most so long.
__device__ inline double scale_to(double most, double length) {
  return length > 0 ? power_below(most / length) : 1;
}

/// What is known of A and B when they have been measured: what was found, and of the longest row's length the
/// upper half of the bits. How many marches the producers have begun.
struct State {
  unsigned found, marches;
  int longest;
};

/// A, B and C, the state of this product and of the next one, and the planes. B's columns are measured in
/// parts of `part` rows.
struct Matrices {
  View<const double> a, b;
  View<double> c;
  Rule rule;
  double *a_scales, *b_scales;  // first A's lengths
  Size* parts;
  Index part;
  Planes of_a, of_b;
  State *state, *next;

  COURSE_INLINE Index parts_of_b() const { return ceil_div(b.rows(), part); }
};

/// That of the lane whose number differs in this bit.
__device__ inline Size from_lane(const Size& size, int bit) {
  return {__shfl_xor_sync(~0u, size.largest, bit), __shfl_xor_sync(~0u, size.squares, bit),
          __shfl_xor_sync(~0u, size.exponents, bit), __shfl_xor_sync(~0u, size.count, bit)};
}
/// Measures rows of A, eight a block; then columns of B, 32 a block.
template <bool by_norm>
__global__ __launch_bounds__(threads) void measure(Matrices all) {
  wait_for_kernels_before<true>();
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
  const Index m = all.a.rows(), k = all.a.cols(), n = all.b.cols(), of_a = ceil_div(m, 8);
  if (blockIdx.x == 0 && threadIdx.x == 0) *all.next = {};
  Size size;
  if (blockIdx.x < of_a) {
    const Index i = Index{blockIdx.x} * 8 + warp;
    if (i < m)
#pragma unroll 4
      for (Index p = lane; p < k; p += 32) add_element<by_norm>(size, all.a(i, p));
    for (int lanes = 16; lanes > 0; lanes /= 2) add(size, from_lane(size, lanes));
    if (lane != 0 || i >= m) return;
    unsigned found = 0;
    const double length = all.a_scales[i] = length_of(size, k, all.rule, found);
    atomicMax(&all.state->longest, int(std::bit_cast<std::uint64_t>(length) >> 32));
    if (found != 0) atomicOr(&all.state->found, found);
  } else {
    __shared__ SharedTile<double, 2 * 8, 32> of_warps;
    __shared__ SharedTile<int, 2 * 8, 32> counts;
    const Index block = blockIdx.x - of_a, across = ceil_div(n, 32);
    const Index j = block % across * 32 + lane, p0 = block / across * all.part;
    if (j < n)
#pragma unroll 4
      for (Index p = p0 + warp; p < std::min(p0 + all.part, k); p += 8)
        add_element<by_norm>(size, all.b(p, j));
    of_warps[2 * warp][lane] = size.largest, of_warps[2 * warp + 1][lane] = size.squares;
    counts[2 * warp][lane] = size.exponents, counts[2 * warp + 1][lane] = size.count;
    __syncthreads();
    if (warp != 0 || j >= n) return;
    for (int w = 1; w < 8; ++w)
      add(size, Size{of_warps[2 * w][lane], of_warps[2 * w + 1][lane], counts[2 * w][lane],
                     counts[2 * w + 1][lane]});
    all.parts[block / across * n + j] = size;
  }
}
inline Index blocks_that_measure(const Matrices& all) {
  return ceil_div(all.a.rows(), 8) + ceil_div(all.b.cols(), 32) * all.parts_of_b();
}
// [most_of_a]
/// By powers of two a row loses up to one bit, and so does a column. If the longest row of A loses more than
/// half of one, A may be as long as it takes for that row to lose nothing; B is then as much shorter.
__device__ inline double most_of_a(const Matrices& all) {
  const double most = all.rule.most;
  if (!all.rule.by_norm || all.state->longest == 0) return most;
  const auto longest = std::bit_cast<double>(std::uint64_t(all.state->longest + 1) << 32);
  const double scaled = power_below(most / longest) * longest;
  return scaled < 0.7 * most ? 2 * scaled : most;
}
// [/most_of_a]
/// Scales rows of A, and columns of B, of which all parts have been measured.
__global__ __launch_bounds__(threads) void scale(Matrices all) {
  wait_for_kernels_before<true>();
  const Index at = Index{blockIdx.x} * threads + threadIdx.x, n = all.b.cols();
  const double most = most_of_a(all);
  if (at < all.a.rows()) all.a_scales[at] = scale_to(most, all.a_scales[at]);
  if (at >= n) return;
  Size size;
  for (Index part = 0; part < all.parts_of_b(); ++part) add(size, all.parts[part * n + at]);
  unsigned found = 0;
  all.b_scales[at] =
      scale_to(all.rule.most / most * all.rule.most, length_of(size, all.b.rows(), all.rule, found));
  if (found != 0) atomicOr(&all.state->found, found);
}

/// Four elements along k; zeros beyond the matrix.
struct Four {
  double of[4];
};
__device__ inline Four scaled(Four four, double scale) {
#pragma unroll
  for (double& x : four.of) x *= scale;
  return four;
}
/// Of row i: by two loads where the row allows it.
__device__ inline Four four_of_row(View<const double> a, Index i, Index p) {
  struct alignas(16) Pair {
    double of[2];
  };
  Four four{};
  const int left = i < a.rows() ? int(a.cols() - p) : 0;
  const double* const from = a.data() + i * a.ld() + p;
  if (left >= 4 && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
    const auto pairs = reinterpret_cast<const Pair*>(from);
    four = {{pairs[0].of[0], pairs[0].of[1], pairs[1].of[0], pairs[1].of[1]}};
  } else {
#pragma unroll
    for (int e = 0; e < 4; ++e)
      if (e < left) four.of[e] = from[e];
  }
  return four;
}
/// Of column j.
__device__ inline Four four_of_column(View<const double> b, Index p, Index j) {
  Four four{};
  const int left = j < b.cols() ? int(b.rows() - p) : 0;
  const double* const from = b.data() + p * b.ld() + j;
#pragma unroll
  for (int e = 0; e < 4; ++e)
    if (e < left) four.of[e] = from[e * b.ld()];
  return four;
}
/// The scale of a row or column; of those beyond the matrix 0.
__device__ inline double scale_of(const double* scales, Index at, Index count) {
  return at < count ? scales[at] : 0;
}
/// Four integers of 8 bits in a word, the first in its lowest byte.
__device__ inline std::uint32_t packed(const int (&of)[4]) {
  return std::uint32_t(of[0] & 0xff) | std::uint32_t(of[1] & 0xff) << 8 | std::uint32_t(of[2] & 0xff) << 16 |
         std::uint32_t(of[3]) << 24;
}

/// Splits A and Bᵀ into planes: split_four(four, store) calls store(plane, word) for each. A block does 128
/// columns of eight rows of A, then others 32 of 32 rows of Bᵀ.
template <class Way>
__global__ __launch_bounds__(threads) void split(Matrices all, Way way) {
  wait_for_kernels_before<true>();
  if (all.state->found != 0) return;
  const int x = int(threadIdx.x) % 32, y = int(threadIdx.x) / 32;
  const Index of_a = all.of_a.rows / 8 * all.of_a.steps;
  const bool is_a = blockIdx.x < of_a;
  const Index block = is_a ? blockIdx.x : blockIdx.x - of_a;
  const Planes& to = is_a ? all.of_a : all.of_b;
  const Index quarters = Index{all.of_b.steps} * 4;
  const Index i = is_a ? block / to.steps * 8 + y : block / quarters * 32 + x;
  const int word = is_a ? x : int(block % 4) * 8 + y,
            s = is_a ? int(block % to.steps) : int(block % quarters / 4);
  const Index p = Index{s} * together + 4 * word;
  const Four four = is_a ? scaled(four_of_row(all.a, i, p), scale_of(all.a_scales, i, all.a.rows()))
                         : scaled(four_of_column(all.b, p, i), scale_of(all.b_scales, i, all.b.cols()));
  split_four(way, four, [&](int plane, std::uint32_t four_bytes) {
    reinterpret_cast<std::uint32_t&>(to.at(plane, i, s)[4 * word]) = four_bytes;
  });
}
inline Index blocks_that_split(const Matrices& all) {
  return all.of_a.rows / 8 * all.of_a.steps + all.of_b.rows / 8 * all.of_b.steps;
}

/// What the scales of its row and column have made too large.
__device__ inline double unscaled(double value, double a_scale, double b_scale) {
  return value * inverse_power(a_scale) * inverse_power(b_scale);
}
/// C += what `way` makes of the sums, an element a thread.
template <class Way>
__global__ __launch_bounds__(threads) void combine(Matrices all, Sums sums, Way way) {
  wait_for_kernels_before<true>();
  if (all.state->found != 0) return;
  const Index across = ceil_div(all.c.cols(), 32);
  const Index i = blockIdx.x / across * 8 + threadIdx.x / 32, j = blockIdx.x % across * 32 + threadIdx.x % 32;
  if (i < all.c.rows() && j < all.c.cols())
    all.c(i, j) +=
        unscaled(value_of(way, sums.data + i * sums.ld + j, sums.matrix), all.a_scales[i], all.b_scales[j]);
}
inline Index blocks_that_combine(View<const double> c) {
  return ceil_div(c.rows(), 8) * ceil_div(c.cols(), 32);
}

}  // namespace
}  // namespace f64_by_integers
