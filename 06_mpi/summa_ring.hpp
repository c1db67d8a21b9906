// SUMMA whose panels go from neighbour to neighbour: each rank sends a panel once, whatever the grid.
#pragma once

#include <tuple>

#include "summa.hpp"

namespace mpi {

/// The order in which panels are multiplied: any will do, if it is the same on all ranks.
enum class Order {
  dealt,    // as they were dealt out: each has another owner than the one before
  by_owner  // all of one grid column, then all of the next
};

/// The panel that is multiplied at turn `turn`.
constexpr Index panel_at(Order order, Index turn, const Cyclic& panels) {
  if (order == Order::dealt) return turn;
  Index owner = 0;
  while (turn >= panels.blocks_of(owner)) turn -= panels.blocks_of(owner++);
  return turn * panels.parts + owner;
}

/// A ring of ranks along which panels of one matrix go, from a panel's owner on until all have it. It keeps a
/// request for the panel that comes and one for the panel that is passed on.
template <class T>
class Ring {
 public:
  Ring(MPI_Comm ranks, MPI_Request* coming, MPI_Request* going)
      : ranks_(ranks), me_(rank_in(ranks)), size_(size_of(ranks)), coming_(coming), going_(going) {}

  /// Begins to receive another rank's panel.
  void expect(View<T> panel, int owner) {
    if (owner == me_) return;
    MPI_Irecv(panel.data(), rows_in(panel), row_type(panel), (me_ + size_ - 1) % size_, 0, ranks_, coming_);
  }
  /// Sends a panel that is here to the next rank, if that is not its owner.
  void pass_on(View<T> panel, int owner) {
    const int next = (me_ + 1) % size_;
    if (owner != next) MPI_Isend(panel.data(), rows_in(panel), row_type(panel), next, 0, ranks_, going_);
  }

 private:
  MPI_Comm ranks_;
  int me_, size_;
  MPI_Request *coming_, *going_;
};

/// At each turn a rank passes on the panel that has arrived and begins to receive the next; meanwhile it
/// multiplies, slice by slice.
template <class T>
void summa_ring_in_slices(const Panels<T>& panels, const Grid& grid, Multiply<T> multiply, int threads,
                          Index slice, Order order) {
  MPI_Request flying[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  Ring<T> of_a(grid.along_row, &flying[0], &flying[1]), of_b(grid.along_col, &flying[2], &flying[3]);
  const auto at = [&](Index turn) {
    const Index s = panel_at(order, turn, panels.of_a);
    const int col = static_cast<int>(s % grid.q), row = static_cast<int>(s % grid.p);
    View<T> a = panels.panel_a(s, grid.col), b = panels.panel_b(s, grid.row);
    if (col != grid.col) a = {panels.buffer_a[turn % 2], a.rows(), a.cols(), a.ld()};
    if (row != grid.row) b = {panels.buffer_b[turn % 2], b.rows(), b.cols(), b.ld()};
    return std::tuple{a, b, col, row};
  };
  const auto expect = [&](Index turn) {
    if (turn == panels.count()) return;
    const auto [a, b, col, row] = at(turn);
    of_a.expect(a, col), of_b.expect(b, row);
  };
  expect(0);
  for (Index turn = 0; turn < panels.count(); ++turn) {
    MPI_Waitall(4, flying, MPI_STATUSES_IGNORE);  // this turn's have come, the last turn's buffers are free
    expect(turn + 1);
    const auto [a, b, col, row] = at(turn);
    of_a.pass_on(a, col), of_b.pass_on(b, row);
    multiply_in_slices(a, b, panels.c, multiply, threads, slice, flying);
  }
  MPI_Waitall(4, flying, MPI_STATUSES_IGNORE);
}

/// Every panel's ring starts one rank further on than the last one's.
template <class T>
void summa_ring_dealt(const Panels<T>& panels, const Grid& grid, Multiply<T> multiply, int threads) {
  summa_ring_in_slices<T>(panels, grid, multiply, threads, four_slices(panels), Order::dealt);
}

/// Rings start at one rank for as long as it has panels.
template <class T>
void summa_ring(const Panels<T>& panels, const Grid& grid, Multiply<T> multiply, int threads) {
  summa_ring_in_slices<T>(panels, grid, multiply, threads, four_slices(panels), Order::by_owner);
}

}  // namespace mpi
