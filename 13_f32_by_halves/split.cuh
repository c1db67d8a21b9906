// 13: the pass before the product: it splits the floats of A and B into halves. No block waits for another:
// one that splits B finds the largest elements of its slice's columns itself. Run:
// build/13_f32_by_halves/13_f32_by_halves --emulate forward --type f32 --size 64
#pragma once

#include <cmath>
#ifdef __CUDACC__
#include <cuda_bf16.h>
#endif

#include "gpu/tiles.cuh"
#include "parts.cuh"

namespace f32_by_halves {

using course::Chunk;

constexpr int threads = 256;
constexpr int held = 4;                       // chunks of eight floats that a thread holds in registers,
constexpr int in_block = threads * 8 * held;  // and the floats that a block does

/// What the pass may rely on: nothing; that all rows consist of whole, aligned 16 bytes; that what a thread
/// splits never ends within its chunks, too.
enum class Given { nothing, fours, whole };

/// The eight from (i, j) on, by two loads if fours are given; zeros beyond the matrix. It always reads, there
/// from elsewhere: a branch would make the next load wait for this one.
template <Given given>
__device__ Chunk<float> chunk_from(View<const float> from, Index i, Index j) {
  constexpr bool whole = given == Given::whole;
  constexpr int step = given == Given::nothing ? 1 : 4;
  struct alignas(4 * step) Some {
    float element[step];
  };
  const int count = whole ? 8 : i < from.rows() ? int(std::min<Index>(from.cols() - j, 8)) : 0;
  const float* const first = whole || count > 0 ? &from(i, j) : from.data();
  Chunk<float> chunk;
#pragma unroll
  for (int e = 0; e < 8; e += step) {
    const Some some = reinterpret_cast<const Some&>(first[e < count ? e : 0]);
#pragma unroll
    for (int q = 0; q < step; ++q) chunk.element[e + q] = e < count ? some.element[q] : 0;
  }
  return chunk;
}

template <class Half>
struct alignas(4) Two {
  Half of[2];
};
/// x and y rounded to halves, by one instruction on a GPU.
template <class Half>
__device__ Two<Half> rounded(float x, float y) {
#ifdef __CUDACC__
  if constexpr (std::is_same_v<Half, bf16>) {
    const __nv_bfloat162 two = __floats2bfloat162_rn(x, y);
    return reinterpret_cast<const Two<Half>&>(two);
  } else {
    const __half2 two = __floats2half2_rn(x, y);
    return reinterpret_cast<const Two<Half>&>(two);
  }
#else
  return {{Half(x), Half(y)}};
#endif
}
template <class Half>
struct alignas(16) Eight {
  Two<Half> two[4];
};
/// Stores eight halves at once; by an assignment nvcc takes two to eight instructions.
template <class Half>
__device__ void store(Half* to, const Eight<Half>& eight) {
#ifdef __CUDACC__
  __stwb(reinterpret_cast<uint4*>(to), std::bit_cast<uint4>(eight));
#else
  course::emulator::not_counted();
  *reinterpret_cast<Eight<Half>*>(to) = eight;
#endif
}
/// Splits eight floats, element e scaled by `scaled`(x, e) if S scales, and stores the parts `apart` elements
/// from each other. Returns a bit for each element that these do not hold: scaled, it loses three bits or
/// more.
template <class S, class Scaled>
__device__ unsigned split_chunk(const Chunk<float>& from, Scaled scaled, typename S::Half* to, Index apart) {
  Eight<typename S::Half> of[S::parts];
  unsigned lost = 0;
#pragma unroll
  for (int e = 0; e < 8; e += 2) {
    // [split_chunk]
    float rest[2];
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      const float x = from.element[e + q], size = fabsf(x);
      rest[q] = S::scaled ? scaled(x, e + q) : x;
      const bool held = S::scaled ? fabsf(rest[q]) >= 0x1p-4f  // x may be scaled down to 0
                                  : size >= 0x1p-110f && size < 0x1.ffp127f;
      lost |= held || x == 0 ? 0u : 1u << (e + q);  // NaN is lost, too
    }
#pragma unroll
    for (int part = 0; part < S::parts; ++part) {
      const Two<typename S::Half> two = of[part].two[e / 2] = rounded<typename S::Half>(rest[0], rest[1]);
      rest[0] -= float(two.of[0]), rest[1] -= float(two.of[1]);
    }
    // [/split_chunk]
  }
#pragma unroll
  for (int part = 0; part < S::parts; ++part) store(to + part * apart, of[part]);
  return lost;
}

/// Whether one of them is NaN.
__device__ inline bool has_nan(const Chunk<float>& chunk) {
  bool nan = false;
#pragma unroll
  for (const float element : chunk.element) nan = nan || element != element;
  return nan;
}

/// Who splits what: first `of_b` blocks, of B, each columns of a slice by 2^across_log threads across; then
/// `of_a` blocks, of A, each some rows by 2^row_log threads a row. (A GPU divides by 2^log in one
/// instruction, by another number in 20.)
struct Shares {
  unsigned of_b, of_a;
  int across_log, row_log;
  Given given;
};
/// Splits some rows of A, which are read once if they fit into registers. Returns what was found.
template <class S, Given given>
__device__ unsigned split_rows(const Parts<S>& all, Index block, int row_log) {
  __shared__ SharedTile<int, 2, threads> of_rows;  // the largest; how many lose bits
  const Index m = all.a.rows(), k = all.a.cols(), filled = all.of_a.cols() / S::parts;
  const int t = int(threadIdx.x), in_row = 1 << row_log, row = t >> row_log, x = t & (in_row - 1);
  const Index i = block * (threads >> row_log) + row, pass = Index{held} * 8 * in_row;
  of_rows[0][t] = of_rows[1][t] = 0;
  __syncthreads();
  Chunk<float> chunk[held];
  const auto take = [&](Index j0) {
#pragma unroll
    for (int q = 0; q < held; ++q) chunk[q] = chunk_from<given>(all.a, i, j0 + 8 * (q * in_row + x));
  };
  const Index last = k <= pass ? 0 : (k - 1) / pass * pass;  // no division before the first loads
  float largest = 0;                                         // fmaxf passes NaN over
  for (Index j0 = S::scaled ? 0 : last; j0 <= last; j0 += pass) {
    take(j0);
#pragma unroll
    for (const Chunk<float>& each : chunk)
      for (const float element : each.element) largest = fmaxf(largest, fabsf(element));
  }
  int size = size_bits(largest), lost = 0;
  if constexpr (S::scaled) {
    for (int lanes = std::min(in_row, 32) / 2; lanes > 0; lanes /= 2)
      size = std::max(size, __shfl_xor_sync(0xffffffff, size, lanes));
    if (x % 32 == 0) atomicMax(of_rows[0] + row, size);
    __syncthreads();
    size = of_rows[0][row];
  }
  const int scale = scale_for(size);
  const Power power = power_for(scale);
  const auto scaled = [=](float element, int) { return element * power.first * power.second; };
  unsigned found = 0;
  for (Index j0 = last; j0 >= 0; j0 -= pass) {  // the last ones are still in registers
#pragma unroll
    for (int q = 0; q < held; ++q)
      if (const Index j = j0 + 8 * (q * in_row + x); given == Given::whole || (i < m && j < filled))
        if (unsigned each = split_chunk<S>(chunk[q], scaled, &all.of_a(i, place_in_parts<S>(j)), S::step);
            each != 0) {
          if (has_nan(chunk[q])) found |= beyond;
          for (; each != 0; each &= each - 1) ++lost;
        }
    if (j0 > 0) take(j0 - pass);
  }
  if constexpr (S::scaled) {
    if (lost != 0 && (atomicAdd(of_rows[1] + row, lost) + lost) * Index{64} > k) found |= graded;
    if (size >= bits_of_infinity) found |= beyond;
    if (x == 0 && i < m) all.a_scales[i] = scale;
  } else if (lost != 0) {
    found = beyond;
  }
  return found;
}

/// Splits some columns of a slice of k of B, by eight a thread. Returns what was found.
template <class S, Given given>
__device__ unsigned split_columns(const Parts<S>& all, unsigned block, int across_log) {
  __shared__ SharedTile<int, 2, in_block / 64> of_columns;  // the largest; how many lose bits
  __shared__ SharedTile<float, 1, in_block / 64> powers;
  const Index n = all.b.cols(), k = all.b.rows(), filled = all.of_b.rows() / S::parts;
  const int t = int(threadIdx.x), across = 1 << across_log, cols = 8 * across, x = t & (across - 1);
  const unsigned blocks = unsigned(n + cols - 1) >> (across_log + 3), slice = block / blocks;
  const Index p0 = Index{slice} * all.slice, j0 = Index{block - slice * blocks} * cols, j = j0 + 8 * x;
  Chunk<float> chunk[held];
  const auto row = [&](int q) { return p0 + (t >> across_log) + q * (threads >> across_log); };
#pragma unroll
  for (int q = 0; q < held; ++q) chunk[q] = chunk_from<given>(all.b, row(q), j);
  unsigned found = 0;
  if constexpr (S::scaled) {
    if (t < cols) of_columns[0][t] = of_columns[1][t] = 0;
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      float largest = 0;  // fmaxf passes NaN over
#pragma unroll
      for (const Chunk<float>& each : chunk) largest = fmaxf(largest, fabsf(each.element[e]));
      int size = size_bits(largest);
      for (int lanes = across; lanes < 32; lanes *= 2)
        size = std::max(size, __shfl_xor_sync(0xffffffff, size, lanes));
      if (t % 32 < across) atomicMax(of_columns[0] + (8 * x + e), size);
    }
    __syncthreads();
    if (t < cols) {
      const int size = of_columns[0][t];
      const bool served = size == 0 || (size >= size_bits(least_in_slice) && size < size_bits(most_in_slice));
      const int scale = served ? scale_for(size) : 0;
      found |= (served ? 0u : graded) | (size < bits_of_infinity ? 0u : beyond);
      powers[0][t] = power_of_two(scale);
      if (j0 + t < n) all.b_factors(Index{slice}, j0 + t) = factor_for(scale);
    }
    __syncthreads();
  }
  const auto scaled = [&](float element, int e) { return element * powers[0][8 * x + e]; };
#pragma unroll
  for (int q = 0; q < held; ++q) {
    if (given != Given::whole && (row(q) >= filled || j >= n)) continue;
    const unsigned lost =
        split_chunk<S>(chunk[q], scaled, &all.of_b(place_in_parts<S>(row(q)), j), S::step * all.of_b.ld());
    if (lost == 0) continue;
    if (!S::scaled || has_nan(chunk[q])) found |= beyond;
#pragma unroll 1
    for (int e = 0; S::scaled && lost >> e != 0; ++e)  // whoever makes it too many says so
      if ((lost >> e & 1) != 0 &&
          (atomicAdd(of_columns[1] + (8 * x + e), 1) + 1) * Index{64} > std::min<Index>(k, all.slice))
        found |= graded;
  }
  return found;
}

inline bool by_fours(View<const float> x) {
  return reinterpret_cast<std::uintptr_t>(x.data()) % 16 == 0 && x.ld() % 4 == 0 && x.cols() % 4 == 0;
}
template <class S>
Shares shares(const Parts<S>& all) {
  const Index m = all.a.rows(), n = all.b.cols(), k = all.b.rows();
  int row_log = 1;  // whole steps
  while (1 << row_log < threads && 8 * held << row_log < k) ++row_log;
  const int rows = threads >> row_log, cols = in_block / all.slice;
  const bool whole = m % rows == 0 && k % (8 * held << row_log) == 0 && k % all.slice == 0 && n % cols == 0;
  const bool fours = by_fours(all.a) && by_fours(all.b);
  return {unsigned(course::ceil_div(k, all.slice) * course::ceil_div(n, cols)),
          unsigned(course::ceil_div(m, rows)), cols == 64 ? 3 : 4, row_log,
          fours ? whole ? Given::whole : Given::fours : Given::nothing};
}
namespace {  // Hopper's translation unit has it, too

/// Splits B and A. Adds to `found`, which is 0 before, and makes it 0 for the next product.
template <class S, Given given>
__global__ __launch_bounds__(threads, given == Given::nothing ? 2 : 3) void split(Parts<S> all,
                                                                                  Shares shares) {
  course::ptx::wait_for_kernels_before<true>();
  if (blockIdx.x == 0 && threadIdx.x == 0) *all.next_found = 0;
  const unsigned here = blockIdx.x < shares.of_b
                            ? split_columns<S, given>(all, blockIdx.x, shares.across_log)
                            : split_rows<S, given>(all, Index{blockIdx.x - shares.of_b}, shares.row_log);
  if (here != 0) atomicOr(all.found, here);
}

/// The pass for what is given.
template <class S>
constexpr auto split_for(Given given) {
  return given == Given::whole   ? split<S, Given::whole>
         : given == Given::fours ? split<S, Given::fours>
                                 : split<S, Given::nothing>;
}

}  // namespace

}  // namespace f32_by_halves
