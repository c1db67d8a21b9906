// every_shape: what ping_pong needs besides where TMA cannot serve a matrix, or where C has few tiles and k
// is long: a pass before, which packs rows that begin anywhere; a pass after, which adds the sums of all
// parts of k, always in the same order; and the choice. Of plain C++, too: the emulator runs both passes.
//   build/12_cuda_hopper/12_cuda_hopper --type bf16 --shape 4097x4097x4097,256x256x65536 --variant best
#pragma once

#include <algorithm>
#include <bit>
#include <limits>

#include "gpu/tiles.cuh"

namespace cuda_hopper {

using course::bf16, course::ceil_div, course::Index, course::View;

struct alignas(16) Words {
  std::uint32_t of[4];
};
/// The eight elements from (i, j) on, of a row that begins anywhere, by five aligned loads; zeros beyond it.
__device__ inline Words eight_from(View<const bf16> from, Index i, Index j) {
  const bf16* const first = &from(i, j);
  const int odd = int(reinterpret_cast<std::uintptr_t>(first) % 4 / 2);
  if (j < odd || j + 8 + odd > from.cols())  // else no word reaches beyond the row
    return std::bit_cast<Words>(course::load_chunk<false>(from, i, j));
  std::uint32_t in[5];
#pragma unroll
  for (int e = 0; e < 5; ++e)
    in[e] = course::in_global<const std::uint32_t>(first - odd + 2 * (e < 4 ? e : 3 + odd));
  Words words;
#pragma unroll
  for (int e = 0; e < 4; ++e) words.of[e] = odd ? in[e] >> 16 | in[e + 1] << 16 : in[e];
  return words;
}

// [pack]
constexpr int packing = 256, eights_each = 4;  // threads of a block, and what each packs
/// A matrix, and where its rows begin at multiples of 16 bytes.
struct Packing {
  View<const bf16> from;
  View<bf16> to;
  constexpr unsigned eights() const { return unsigned(ceil_div(from.cols(), 8)); }  // of a row
  constexpr unsigned blocks() const {
    return unsigned(ceil_div(from.rows() * eights(), packing * eights_each));
  }
};
/// Packs both, each by blocks of its own; what is empty takes none.
__global__ __launch_bounds__(packing) void pack(Packing a, Packing b) {
  course::ptx::wait_for_kernels_before<true>();
  const bool is_b = blockIdx.x >= a.blocks();
  const Packing one = is_b ? b : a;
  unsigned at = (blockIdx.x - (is_b ? a.blocks() : 0)) * packing * eights_each + threadIdx.x;
#pragma unroll
  for (int q = 0; q < eights_each; ++q, at += packing)
    if (const Index i = at / one.eights(), j = at % one.eights() * 8; i < one.from.rows())
      course::in_global<Words>(&one.to(i, j)) = eight_from(one.from, i, j);
}
// [/pack]

// [add_parts]
constexpr int adding = 256;  // threads of a block, an element of C each
/// C += the sums of all parts of k, matrices below each other, each as large as C.
template <class T>
__global__ __launch_bounds__(adding) void add_parts(const T* sums, int parts, View<T> c) {
  course::ptx::wait_for_kernels_before<true>();
  const unsigned cols = unsigned(c.cols()), size = unsigned(c.rows()) * cols,
                 at = blockIdx.x * adding + threadIdx.x;
  if (at >= size) return;
  T sum = 0;
#pragma unroll 16
  for (int part = 0; part < parts; ++part) sum += sums[Index{part} * size + at];
  c(at / cols, at % cols) += sum;
}
// [/add_parts]

/// A way to compute C: tiles of 128 × `width`, `together` blocks in a cluster, and so many parts of k.
struct Choice {
  int width, together;
  Index parts;
};
/// The one that takes the least time: waves of tiles, times the steps of each (and two before the first), in
/// cycles. Products take 4 a column; copies from L2 more for the narrower tiles, as measured. Parts fill one
/// wave; a pass more and their sums, which are written and read, are paid for. `together`: in a cluster where
/// k is whole.
constexpr Choice choose(Index m, Index n, Index k, int together, int multiprocessors) {
  const struct {
    int width, together;
    Index step;
    bool splits;
  } ways[] = {{64, 1, 460, false}, {128, together, 540, false}, {192, together, 768, false},
              {64, 1, 460, true},  {128, 1, 540, true},         {192, 1, 768, true},
              {128, 2, 505, true}};
  const Index steps = ceil_div(k, 64);
  Choice best{};
  Index least = std::numeric_limits<Index>::max();
  for (const auto& way : ways) {
    const Index tiles = ceil_div(m, 128 * way.together) * ceil_div(n, way.width);
    const Index at_once = multiprocessors / way.together;
    Index parts = way.splits ? std::min(at_once / tiles, steps / 2) : 1;
    if (way.splits && parts < 2) continue;
    const Index of_part = ceil_div(steps, parts);
    parts = ceil_div(steps, of_part);
    const Index cycles = ceil_div(tiles * parts, at_once) * (of_part + 2) * way.step +
                         (way.splits ? 3500 + parts * (m * n / 210 + 50) : 0);
    if (cycles < least) least = cycles, best = {way.width, way.together, parts};
  }
  return best;
}

}  // namespace cuda_hopper
