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

constexpr std::size_t ahead = 8;  // places for slices from the host; for panels and tiles two are enough

/// Some rows of a tile of C, and a panel of k for them.
struct Step {
  Part rows, cols, k;
  Index slice;              // where in the tile its rows begin
  std::size_t tile, panel;  // their numbers
  bool first, last;         // of the tile's panels
};

// [steps]
/// All of a GPU's rows of C in tiles of `most` × `most`, each in panels of k, each in slices of its rows.
/// Panels grow, so that little comes before the first product: of a GPU's panels the first is `most` / 32
/// deep, each further one half as deep again, to `most` / 2; from 32 on multiples of it. Slices are
/// `most` / 8 high, of a tile's last panel `most` / 32: little goes back after the last product.
inline std::vector<Step> steps_of(Part rows, Index n, Index k, Index most) {
  const auto in_lines = [](Index count) { return count < 32 ? count : count / 32 * 32; };
  std::vector<Step> steps;
  const Index end = rows.from + rows.count;
  Index deep = course::ceil_div(most, 32);
  std::size_t tile = 0, panel = 0;
  for (Index i = rows.from; i < end; i += most)
    for (Index j = 0; j < n; j += most, ++tile)
      for (Index p = 0, count = 0; p < k; p += count, ++panel) {
        const Index left = k - p;
        count = left <= deep ? left : in_lines(left < 2 * deep ? course::ceil_div(left, 2) : deep);
        deep = std::min(course::ceil_div(3 * deep, 2), course::ceil_div(most, 2));
        const bool last = count == left;
        const Index slice = course::ceil_div(most, last ? 32 : 8);
        for (Index at = i; at < std::min(i + most, end); at += slice)
          steps.push_back({.rows = {at, std::min({slice, i + most - at, end - at})},
                           .cols = {j, std::min(most, n - j)},
                           .k = {p, count},
                           .slice = at - i,
                           .tile = tile,
                           .panel = panel,
                           .first = p == 0,
                           .last = last});
      }
  return steps;
}
// [/steps]

}  // namespace multi_gpu
