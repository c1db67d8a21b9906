// What the variants of 08 cost; worked out in README.md.
#pragma once

#include <array>
#include <cmath>

#include "gpu/cost.hpp"

namespace cuda_shared::cost {

using course::Cost, course::Extents, course::Index, course::Settings, course::Shape;

/// The wavefronts of a warp's load of `bytes` from each of a few rows, `stride` bytes apart: words of one
/// bank come one after the other.
inline double along_rows(Index rows, Index bytes, Index stride) {
  std::array<Index, 32> words{};  // that are wanted of each bank
  for (Index row = 0; row < rows; ++row)
    for (Index byte = 0; byte < bytes; byte += 4)
      ++words[static_cast<std::size_t>((row * stride + byte) / 4 % 32)];
  return static_cast<double>(*std::max_element(words.begin(), words.end()));
}

// [shared]
/// For each q a warp reads a row of B's tile and 16 bytes at a time of A's, two wavefronts. For each pair of
/// tiles it loads twice, perhaps from several rows, and stores twice. A block of fewer than 32 threads fills
/// a part of its only warp.
template <class T>
Cost shared(const Shape& s, const Settings& settings) {
  const Extents<T> e(s);
  const auto tile = static_cast<double>(settings.tile);
  const double warps = e.m * e.n / (tile * tile) * std::ceil(tile * tile / 32);
  const double row = std::max(1.0, 32 * e.size / 128);  // wavefronts of 32 neighbours
  const Index rows = course::ceil_div(std::min<Index>(32, settings.tile * settings.tile), settings.tile);
  const Index size = sizeof(T), bytes = settings.tile * size;
  const double loads = along_rows(rows, bytes, s.k * size) + along_rows(rows, bytes, s.n * size);
  const double wavefronts = row + 2 * e.size / 16 + (loads + 2 * row) / tile;
  Cost cost = e.least();
  cost.loads_stores = warps * e.k * wavefronts * 128;
  cost.reuses.push_back({e.madds / tile * e.size, course::beyond_l1});
  cost.reuses.push_back({e.madds / tile * e.size, std::max(e.b, course::beyond_l1)});
  return cost;
}
// [/shared]

}  // namespace cuda_shared::cost
