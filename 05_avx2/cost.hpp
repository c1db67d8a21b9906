// What the variants of 05 cost; README.md works out all but tuned.
#pragma once

#include <algorithm>

#include "blocks.hpp"
#include "runner/cost.hpp"

namespace avx2::cost {

using course::Cost, course::CostOf, course::Extents, course::ikj, course::Settings, course::Shape;

/// dot: loads along two rows, with a sum in each lane of a vector. The copy walks down Bᵀ.
template <class T>
Cost dot(const Shape& s, const Settings&) {
  const Extents<T> e(s);
  Cost cost = e.least();
  cost.chain = e.madds / (textbook_tile.bytes / e.size), cost.fused = std::is_floating_point_v<T>;
  cost.loads_stores = 2 * e.size * e.madds;
  cost.reuses.push_back({e.size * e.madds, 2 * e.k * e.size});     // the row of A, for the next j
  cost.reuses.push_back({e.size * e.madds, e.b});                  // Bᵀ, for the next i
  course::walk_down<T>(cost, e.n * e.k, e.n * course::line, e.b);  // the copy: Bᵀ's lines
  return cost;
}

/// A tile of mr × nr in registers: for each p it loads mr numbers of A and nr of B, and C once for all p.
template <class T>
Cost tile(const Extents<T>& e, int mr, int nr) {
  Cost cost = e.least();
  cost.loads_stores = e.size * (e.madds / nr + e.madds / mr) + 2 * e.c;
  return cost;
}

/// A micro-panel of B returns for the next one of A, all of A for the next one of B.
template <class T, TileShape shape = textbook_tile>
Cost register_tile(const Shape& s, const Settings&) {
  const Extents<T> e(s);
  const int mr = shape.mr, nr = shape.nr(sizeof(T));
  Cost cost = tile(e, mr, nr);
  cost.reuses.push_back({e.size * e.madds / mr, e.k * (mr + nr) * e.size});
  cost.reuses.push_back({e.size * e.madds / nr, e.a});
  return cost;
}

/// The textbook's blocks, copied or not: a micro-panel of B (kc × nr) returns for each one of A, the block of
/// A (mc × kc) for each micro-panel of B, the block of B (kc × nc) for each block of A, C for each kc, A for
/// each nc.
template <class T>
CostOf textbook(const TileShape& shape, const Caches& caches) {
  return [=](const Shape& s, const Settings&) {
    const Extents<T> e(s);
    const BlockSizes most = avx2::textbook(shape, sizeof(T), caches);
    const int mr = shape.mr, nr = shape.nr(sizeof(T));
    const auto of = [](Index block, double all) { return std::min(static_cast<double>(block), all); };
    const double mc = of(most.mc, e.m), kc = of(most.kc, e.k), nc = of(most.nc, e.n);
    Cost cost = tile(e, mr, nr);
    cost.reuses.push_back({e.size * e.madds / mr, kc * (mr + nr) * e.size});
    cost.reuses.push_back({e.size * e.madds / nr, kc * (mc + nr) * e.size});
    cost.reuses.push_back({e.size * e.madds / mc, kc * (mc + nc) * e.size});
    cost.reuses.push_back({e.size * e.madds / kc, e.c, true});
    cost.reuses.push_back({e.size * e.madds / nc, e.a});
    return cost;
  };
}

/// In blocks of kc × nc (B) and mr × kc (A): a micro-panel of B passes through the first level while one of A
/// is used; the block of B is there for the next strip; A returns for each block of B, C for each kc.
template <class T>
CostOf tuned(const TileShape& shape, const Caches& caches) {
  return [=](const Shape& s, const Settings&) {
    const Extents<T> e(s);
    const BlockSizes most = blocks(shape, sizeof(T), s.m, s.n, s.k, caches);
    const int mr = shape.mr, nr = shape.nr(sizeof(T));
    const auto kc = static_cast<double>(most.kc), nc = static_cast<double>(most.nc);
    Cost cost = tile(e, mr, nr);
    cost.reuses.push_back({e.size * e.madds / nr, kc * (mr + nr) * e.size});
    cost.reuses.push_back({e.size * e.madds / mr, kc * (nc + mr) * e.size});
    cost.reuses.push_back({e.size * e.madds / nc, kc * (e.m + nc) * e.size});
    cost.reuses.push_back({e.size * e.madds / kc, e.c, true});
    return cost;
  };
}

}  // namespace avx2::cost
