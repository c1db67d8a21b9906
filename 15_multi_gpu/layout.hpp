// Who has which rows and columns: index arithmetic, no GPU.
#pragma once

#include <algorithm>
#include <vector>

#include "common/view.hpp"

namespace multi_gpu {

using course::Index;

/// A range of rows or columns.
struct Part {
  Index from = 0, count = 0;
};

/// The range of part `p` when `extent` is shared out evenly: parts differ by one at most.
constexpr Part part(Index extent, Index parts, Index p) {
  const Index from = extent * p / parts;
  return {from, extent * (p + 1) / parts - from};
}
/// The part that has element `i`.
constexpr Index owner(Index extent, Index parts, Index i) {
  return (parts * (i + 1) - 1) / extent;
}

/// A grid of P rows and Q columns of GPUs.
struct Grid {
  int P = 1, Q = 1;
  constexpr int size() const { return P * Q; }
  constexpr int row(int gpu) const { return gpu / Q; }
  constexpr int col(int gpu) const { return gpu % Q; }
};
/// The squarest grid, no wider than high.
constexpr Grid squarest(int gpus) {
  int Q = 1;
  for (int cols = 1; cols * cols <= gpus; ++cols)
    if (gpus % cols == 0) Q = cols;
  return {gpus / Q, Q};
}

/// A range of k whose columns of A one column of the grid has, and whose rows of B one row of it.
struct Panel {
  Index from, count;
  int a_col, b_row;
};

// [panels]
/// All of k in panels of at most `most`, those of B's rows in grid row `first` first.
inline std::vector<Panel> panels_of(Index k, Grid grid, Index most, int first) {
  std::vector<Panel> panels;
  for (int turn = 0; turn < grid.P; ++turn) {
    const int b_row = (first + turn) % grid.P;
    const Part rows = part(k, grid.P, b_row);
    for (Index p = rows.from, count = 0; p < rows.from + rows.count; p += count) {
      const int a_col = int(owner(k, grid.Q, p));
      const Part cols = part(k, grid.Q, a_col);
      count = std::min({most, rows.from + rows.count - p, cols.from + cols.count - p});
      panels.push_back({p, count, a_col, b_row});
    }
  }
  return panels;
}
// [/panels]

}  // namespace multi_gpu
