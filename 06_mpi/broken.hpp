// Wrong on purpose: what goes wrong on the way back from other ranks. Two ranks are needed to see it.
#pragma once

#include "rows.hpp"
#include "summa.hpp"

namespace mpi::wrong {

/// Rank 0 takes m / ranks rows from each rank: what the last rank computes beyond that is lost.
template <class T>
void rest_lost(const Shared<T>& s, MPI_Comm ranks) {
  const int me = rank_in(ranks), size = size_of(ranks);
  int each = static_cast<int>(s.result.rows() / size);  // at rank 0
  MPI_Bcast(&each, 1, MPI_INT, 0, ranks);
  if (me > 0) MPI_Send(s.c.data(), each, row_type(s.c), 0, of_c, ranks);
  for (int of = 1; me == 0 && of < size; ++of) {
    const View<T> c = s.result.block(part(s.result.rows(), size, of).from, 0, each, s.result.cols());
    MPI_Recv(c.data(), each, row_type(c), of, of_c, ranks, MPI_STATUS_IGNORE);
  }
}

/// Rows go where those of the rank before belong, as if rank 0 had none: it sends none.
template <class T>
void wrong_displacement(const Shared<T>& s, MPI_Comm ranks) {
  const int me = rank_in(ranks), size = size_of(ranks);
  if (me > 0) MPI_Send(s.c.data(), rows_in(s.c), row_type(s.c), 0, of_c, ranks);
  for (int of = 1; me == 0 && of < size; ++of) {
    const Index from = part(s.result.rows(), size, of - 1).from,
                count = part(s.result.rows(), size, of).count;
    const View<T> c = s.result.block(from, 0, count, s.result.cols());
    MPI_Recv(c.data(), rows_in(c), row_type(c), of, of_c, ranks, MPI_STATUS_IGNORE);
  }
}

/// A message a row, its tag the row, the last row first; who receives takes any tag, and the first for the
/// first row.
template <class T>
void wrong_tag(const Shared<T>& s, MPI_Comm ranks) {
  const int me = rank_in(ranks), size = size_of(ranks);
  // [wrong_tag]
  for (int i = rows_in(s.c) - 1; me > 0 && i >= 0; --i) MPI_Send(&s.c(i, 0), 1, row_type(s.c), 0, i, ranks);
  for (int of = 1; me == 0 && of < size; ++of) {
    const auto [from, count] = part(s.result.rows(), size, of);
    for (Index i = 0; i < count; ++i)
      MPI_Recv(&s.result(from + i, 0), 1, row_type(s.result), of, MPI_ANY_TAG, ranks, MPI_STATUS_IGNORE);
  }
  // [/wrong_tag]
}

/// Takes a rank's rows out of the buffer before they are waited for. A barrier keeps them from coming in
/// time.
template <class T>
void not_waited_for(const Shared<T>& s, MPI_Comm ranks) {
  const int me = rank_in(ranks), size = size_of(ranks);
  for (int of = 1; of < size; ++of) {
    MPI_Request flying = MPI_REQUEST_NULL;
    std::vector<T> buffer;
    if (me == 0) {
      const auto [from, count] = part(s.result.rows(), size, of);
      const Index cols = s.result.cols();
      buffer.resize(static_cast<std::size_t>(count * cols));
      MPI_Irecv(buffer.data(), static_cast<int>(count * cols), element<T>(), of, of_c, ranks, &flying);
      copy<T>(View<const T>(buffer.data(), count, cols, cols), s.result.block(from, 0, count, cols));
    }
    MPI_Barrier(ranks);
    if (me == of) MPI_Send(s.c.data(), rows_in(s.c), row_type(s.c), 0, of_c, ranks);
    MPI_Wait(&flying, MPI_STATUS_IGNORE);
  }
}

/// The rank next to a panel's owner broadcasts it, and sends what lies in its buffer.
template <class T>
void wrong_root(const Panels<T>& panels, const Grid& grid, Multiply<T> multiply, int threads) {
  for (Index s = 0; s < panels.count(); ++s) {
    const View<T> a = panels.panel_a(s, grid.col), b = panels.panel_b(s, grid.row);
    MPI_Bcast(a.data(), rows_in(a), row_type(a), static_cast<int>((s + 1) % grid.q), grid.along_row);
    MPI_Bcast(b.data(), rows_in(b), row_type(b), static_cast<int>((s + 1) % grid.p), grid.along_col);
    multiply(a, b, panels.c, threads);
  }
}

/// Adds to a row of C more than the rank has, in memory that rank 0 does not see.
template <class T>
void row_too_far(const Panels<T>& panels, const Grid& grid, Multiply<T> multiply, int threads) {
  summa_blocking<T>(panels, grid, multiply, threads);
  const View<T> c = panels.c;
  for (Index j = 0; c.rows() > 0 && j < c.cols(); ++j) c.data()[c.rows() * c.ld() + j] += 1;
}

}  // namespace mpi::wrong
