// Who has which rows and columns: index arithmetic, no messages.
#pragma once

#include "common/view.hpp"

namespace mpi {

using course::Index;
using course::View;

/// A range of rows: the first one, and how many.
struct Part {
  Index from, count;
};

/// Rank `r`'s range when rows are shared out evenly: ranges differ by one row at most.
constexpr Part part(Index rows, Index ranks, Index r) {
  const Index from = rows * r / ranks;
  return {from, rows * (r + 1) / ranks - from};
}

/// Rows (or columns) dealt out like cards: block b goes to b mod parts; the last block may be short. In both
/// directions this is ScaLAPACK's layout.
struct Cyclic {
  Index extent, block, parts;

  constexpr Index blocks() const { return (extent + block - 1) / block; }
  /// Rows of block b.
  constexpr Index size(Index b) const { return b + 1 < blocks() ? block : extent - b * block; }
  /// Blocks of a part, and their rows (ScaLAPACK calls that numroc).
  constexpr Index blocks_of(Index part) const { return (blocks() - part + parts - 1) / parts; }
  constexpr Index count(Index part) const {
    const Index mine = blocks_of(part);
    return mine == 0 ? 0 : (mine - 1) * block + size((mine - 1) * parts + part);
  }
  /// The row of the matrix that is the part's row `local`.
  constexpr Index global(Index part, Index local) const {
    return (local / block * parts + part) * block + local % block;
  }
};

}  // namespace mpi
