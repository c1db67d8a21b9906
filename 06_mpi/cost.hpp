// What each scheme asks of the network, worked out in SUMMA.md: the words (numbers) that the rank receives
// which receives most. received.cpp counts them.
#pragma once

#include <algorithm>

#include "common/problem.hpp"
#include "layout.hpp"

namespace mpi::cost {

using course::Shape;

/// By rows: rank 0 receives all rows of C but its own; each other rank its rows of A and C, and all of B.
inline double rows(const Shape& s, int ranks) {
  const auto rank = [&](Index r) {
    const Index mine = part(s.m, ranks, r).count;
    return r == 0 ? (s.m - mine) * s.n : mine * (s.k + s.n) + s.k * s.n;
  };
  return static_cast<double>(std::max(rank(0), rank(ranks - 1)));  // the last part is the largest
}

// [summa]
/// SUMMA on p × q: a rank receives the panels of its rows of A and of its columns of B that it does not own.
/// Where all divides evenly, mk (1 - 1/q) / p + kn (1 - 1/p) / q.
inline double summa(const Shape& s, int p, int q, Index mb, Index nb) {
  Index most = 0;
  for (Index row = 0; row < p; ++row)
    for (Index col = 0; col < q; ++col) {
      const Index a = Cyclic{s.m, mb, p}.count(row) * (s.k - Cyclic{s.k, nb, q}.count(col));
      const Index b = Cyclic{s.n, nb, q}.count(col) * (s.k - Cyclic{s.k, nb, p}.count(row));
      most = std::max(most, a + b);
    }
  return static_cast<double>(most);
}

inline double summa_evenly(const Shape& s, Index p, Index q) {
  return static_cast<double>(s.m * s.k * (q - 1) + s.k * s.n * (p - 1)) / static_cast<double>(p * q);
}
// [/summa]

/// Block-cyclic: A's rows and B's columns, C there and, on rank 0 and in the first grid column, back again.
inline double block_cyclic(const Shape& s, int p, int q, Index mb, Index nb) {
  const Cyclic rows{s.m, mb, p}, cols{s.n, nb, q};
  Index most = 0;
  for (Index row = 0; row < p; ++row)
    for (Index col = 0; col < q; ++col) {
      const Index m = rows.count(row), n = cols.count(col);
      const bool root = row == 0 && col == 0;
      Index words = root ? 0 : m * s.k + s.k * n;
      words += col > 0 ? m * n : (row > 0 ? m * s.n : 0);  // C's blocks, or rows for the whole grid row
      words += col > 0 ? 0 : m * (s.n - n);                // back from the grid row
      words += root ? (s.m - m) * s.n : 0;                 // back from the grid columns
      most = std::max(most, words);
    }
  return static_cast<double>(most);
}

}  // namespace mpi::cost
