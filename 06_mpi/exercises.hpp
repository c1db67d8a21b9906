// The solution of SUMMA.md's second exercise; tests/06_mpi/test.cpp runs it.
#pragma once

#include "summa.hpp"

namespace mpi::exercises {

// [chain]
/// Panels without MPI_Bcast: from the owner to its neighbour, and on, until all of the ring have them.
template <class T>
void chain(const Panels<T>& panels, const Grid& grid, Multiply<T> multiply, int threads) {
  const auto pass = [](const View<T>& panel, int owner, MPI_Comm ranks) {
    const int me = rank_in(ranks), size = size_of(ranks), next = (me + 1) % size;
    const auto row = row_type(panel);
    if (me != owner)
      MPI_Recv(panel.data(), rows_in(panel), row, (me + size - 1) % size, 0, ranks, MPI_STATUS_IGNORE);
    if (next != owner) MPI_Send(panel.data(), rows_in(panel), row, next, 0, ranks);
  };
  for (Index s = 0; s < panels.count(); ++s) {
    const View<T> a = panels.panel_a(s, grid.col), b = panels.panel_b(s, grid.row);
    pass(a, static_cast<int>(s % grid.q), grid.along_row);
    pass(b, static_cast<int>(s % grid.p), grid.along_col);
    multiply(a, b, panels.c, threads);
  }
}
// [/chain]

}  // namespace mpi::exercises
