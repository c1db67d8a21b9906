// What a warp's loads cost in a GPU's L1, which is also its shared memory.
#pragma once

#include <algorithm>

#include "common/view.hpp"
#include "runner/cost.hpp"

namespace course {

/// The reuse distance of data that another multiprocessor used: beyond any L1.
constexpr double beyond_l1 = 1 << 20;

/// The wavefronts in which the first level answers `lanes` neighbours in a row: each has at most 128 bytes, a
/// word from each of 32 banks.
inline double along_row(Index lanes, Index size) {
  return static_cast<double>(ceil_div(lanes * size, 128));
}

/// A kernel with a thread for each element: a warp takes `wavefronts` for each p; a block of `rows` ×
/// `cols` loads its rows of A and its columns of B from L2, which has lost B if it holds less than `between`.
template <class T>
Cost element_a_thread(const Shape& s, double rows, double cols, double wavefronts,
                      double between = beyond_l1) {
  const Extents<T> e(s);
  Cost cost = e.least();
  cost.loads_stores = e.madds / 32 * wavefronts * 128;
  cost.reuses.push_back({e.madds / cols * e.size, beyond_l1});
  cost.reuses.push_back({e.madds / rows * e.size, std::max(between, beyond_l1)});
  return cost;
}

/// BF16, by tiles of BM × BN of C: a step of q brings A's part from L2 once for each tile in a row, B's once
/// for each in a column. C, in f32, is read and written once. Between L1 and the tensor cores `bytes` travel
/// for each multiply-add.
inline Cost bf16_tiles(const Shape& s, double BM, double BN, double bytes) {
  const Extents<bf16> e(s);
  const double least = e.a + e.b + e.c;
  Cost cost{.flops = 2 * e.madds, .loads_stores = e.madds * bytes, .reuses = {{least, least}}};
  cost.reuses.push_back({e.madds / BN * e.size, beyond_l1});
  cost.reuses.push_back({e.madds / BM * e.size, std::max(e.b, beyond_l1)});
  return cost;
}

}  // namespace course
