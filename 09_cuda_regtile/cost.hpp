// What the variants of 09 cost; worked out in README.md.
#pragma once

#include "gpu/cost.hpp"

namespace cuda_regtile::cost {

using course::Cost, course::Extents, course::Settings, course::Shape;

/// Blocks of BM × BN: each reads its rows of A and its columns of B from the second level once; a warp needs
/// `wavefronts` in shared memory for 32 multiply-adds.
template <class T>
Cost block_tiles(const Shape& s, double BM, double BN, double wavefronts) {
  const Extents<T> e(s);
  Cost cost = e.least();
  cost.loads_stores = e.madds / 32 * wavefronts * 128;
  cost.reuses.push_back({e.madds / BN * e.size, course::beyond_l1});
  cost.reuses.push_back({e.madds / BM * e.size, std::max(e.b, course::beyond_l1)});
  return cost;
}

// [costs]
/// For each q a warp loads a row of B, and of A, 16 bytes at a time, one word for all: two wavefronts. It
/// loads and stores the tiles once for 32 q.
template <class T, int TM>
Cost column(const Shape& s, const Settings&) {
  const double size = sizeof(T), row = 32 * size / 128;
  return block_tiles<T>(s, 32, 32, (row + TM * 2 * size / 16) / TM + 4 * row / 32);
}

/// For each q a warp's two rows of 16 threads load 8 elements of A and 8 of B each, for 64 multiply-adds
/// each: `a` wavefronts for a load of 16 bytes of A, `b` for one of B, each half of the warp by itself.
template <class T>
Cost eight_by_eight(const Shape& s, double a, double b, double BM = 128, double BN = 128) {
  const double loads = 8.0 * sizeof(T) / 16;
  return block_tiles<T>(s, BM, BN, loads * (a + b) / 64);
}

/// The 8 columns of a thread lie side by side: 16 threads' loads lie 8 elements apart, in a half or a quarter
/// of the banks.
template <class T, int a = 2>
Cost side_by_side(const Shape& s, const Settings&) {
  return eight_by_eight<T>(s, a, 2 * 16 * 8 * sizeof(T) / 128.0);
}

/// A's tile is not transposed: each of a thread's 8 numbers takes a load, which brings two q in two
/// wavefronts: 8 for each q, of 24 in all (as profiled in f32; f64 is by the same count).
template <class T>
Cost square(const Shape& s, const Settings& settings) {
  return side_by_side<T, 16 / sizeof(T)>(s, settings);
}

/// 16 threads' loads lie side by side: 256 bytes, two wavefronts for each half.
template <class T>
Cost interleaved(const Shape& s, const Settings&) {
  return eight_by_eight<T>(s, 2, 4);
}

/// Of a Tiling. Half a warp is 2 × 8 threads: 32 bytes of A, 128 of B.
template <class S>
Cost warp_tiles(const Shape& s, const Settings&) {
  return eight_by_eight<typename S::T>(s, 2, 2, S::BM, S::BN);
}
// [/costs]

}  // namespace cuda_regtile::cost
