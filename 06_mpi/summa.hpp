// SUMMA: nobody ever has a whole matrix; panels of A and B pass by (van de Geijn, Watts 1997).
#pragma once

#include <algorithm>

#include "messages.hpp"

namespace mpi {

/// The kernel of a rank: C += A·B in so many threads.
template <class T>
using Multiply = void (*)(View<const T> a, View<const T> b, View<T> c, int threads);

/// A rank's share. A's columns are dealt out in panels among the grid's columns, B's rows in panels of as
/// many rows among its rows; a rank's panels lie one behind the other, each without gaps, ready to be sent.
template <class T>
struct Panels {
  Cyclic of_a, of_b;  // k, the depth of a panel, grid columns or rows
  View<T> c;
  T *a, *b;                      // its own panels
  T *buffer_a[2], *buffer_b[2];  // for those of others: the present one and the next

  Index count() const { return of_a.blocks(); }
  /// Panel s of A in the rows that this rank has of C: its own or, of another grid column, the buffer for it.
  View<T> panel_a(Index s, Index col) const {
    T* const own = a + s / of_a.parts * of_a.block * c.rows();
    return {s % of_a.parts == col ? own : buffer_a[s % 2], c.rows(), of_a.size(s), of_a.size(s)};
  }
  /// Panel s of B in this rank's columns of C.
  View<T> panel_b(Index s, Index row) const {
    T* const own = b + s / of_b.parts * of_b.block * c.cols();
    return {s % of_b.parts == row ? own : buffer_b[s % 2], of_b.size(s), c.cols(), c.cols()};
  }
};

// [summa_blocking]
/// For each panel: all get it, then all multiply.
template <class T>
void summa_blocking(const Panels<T>& panels, const Grid& grid, Multiply<T> multiply, int threads) {
  for (Index s = 0; s < panels.count(); ++s) {
    const View<T> a = panels.panel_a(s, grid.col), b = panels.panel_b(s, grid.row);
    MPI_Bcast(a.data(), rows_in(a), row_type(a), static_cast<int>(s % grid.q), grid.along_row);
    MPI_Bcast(b.data(), rows_in(b), row_type(b), static_cast<int>(s % grid.p), grid.along_col);
    multiply(a, b, panels.c, threads);
  }
}
// [/summa_blocking]

/// The local product of a panel, in `slice` columns of C at a time: before each, MPI may advance its
/// messages, which it does only inside its functions. When all have arrived, the rest is multiplied in one
/// go.
template <class T, int messages>
void multiply_in_slices(View<T> a, View<T> b, View<T> c, Multiply<T> multiply, int threads, Index slice,
                        MPI_Request (&flying)[messages]) {
  for (Index j = 0, cols = 0; j < c.cols(); j += cols) {
    int arrived = 0;
    MPI_Testall(messages, flying, &arrived, MPI_STATUSES_IGNORE);
    const Index left = c.cols() - j;
    cols = arrived ? left : std::min(slice, left);
    multiply(a, b.block(0, j, b.rows(), cols), c.block(0, j, c.rows(), cols), threads);
  }
}

/// Four slices at most, of whole tiles of every kernel of 05 (240 columns are): each slice packs A again.
template <class T>
Index four_slices(const Panels<T>& panels) {
  return (panels.c.cols() + 4 * 240 - 1) / (4 * 240) * 240;
}

// [summa]
/// While panel s is multiplied, slice by slice, panel s + 1 is on its way.
template <class T>
void summa_in_slices(const Panels<T>& panels, const Grid& grid, Multiply<T> multiply, int threads,
                     Index slice) {
  MPI_Request flying[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const auto start = [&](Index s) {
    const View<T> a = panels.panel_a(s, grid.col), b = panels.panel_b(s, grid.row);
    MPI_Ibcast(a.data(), rows_in(a), row_type(a), static_cast<int>(s % grid.q), grid.along_row, &flying[0]);
    MPI_Ibcast(b.data(), rows_in(b), row_type(b), static_cast<int>(s % grid.p), grid.along_col, &flying[1]);
  };
  if (panels.count() > 0) start(0);
  for (Index s = 0; s < panels.count(); ++s) {
    MPI_Waitall(2, flying, MPI_STATUSES_IGNORE);
    if (s + 1 < panels.count()) start(s + 1);
    multiply_in_slices(panels.panel_a(s, grid.col), panels.panel_b(s, grid.row), panels.c, multiply, threads,
                       slice, flying);
  }
}
// [/summa]

/// Multiplies in one call, so messages under way advance without the program's help.
template <class T>
void summa_unaided(const Panels<T>& panels, const Grid& grid, Multiply<T> multiply, int threads) {
  summa_in_slices(panels, grid, multiply, threads, panels.c.cols());
}

/// Multiplies in slices, between which the program lets MPI advance its messages.
template <class T>
void summa(const Panels<T>& panels, const Grid& grid, Multiply<T> multiply, int threads) {
  summa_in_slices<T>(panels, grid, multiply, threads, four_slices(panels));
}

}  // namespace mpi
