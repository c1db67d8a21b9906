// Rows of A and of C to each rank, all of B to everybody.
#pragma once

#include <vector>

#include "messages.hpp"

namespace mpi {

/// A rank's matrices: each has its rows of A and C, and B; rank 0 has whole ones, whose rows it sends.
template <class T>
struct Shared {
  View<const T> all_a, all_c;  // at rank 0
  View<T> result;              // at rank 0: where the rows of C come back to
  View<T> a, b, c;             // a and c: this rank's rows; rank 0 has had its own from the beginning
};

enum { of_a, of_c };  // tags

// [scatter_blocking]
/// Sends each rank its rows, one message after the other: MPI_Send may wait until the other has received.
template <class T>
void scatter_blocking(const Shared<T>& s, MPI_Comm ranks) {
  const int me = rank_in(ranks), size = size_of(ranks);
  for (int to = 1; me == 0 && to < size; ++to) {
    const auto [from, count] = part(s.all_a.rows(), size, to);
    const View<const T> a = s.all_a.block(from, 0, count, s.all_a.cols()),
                        c = s.all_c.block(from, 0, count, s.all_c.cols());
    MPI_Send(a.data(), rows_in(a), row_type(a), to, of_a, ranks);
    MPI_Send(c.data(), rows_in(c), row_type(c), to, of_c, ranks);
  }
  if (me > 0) {
    MPI_Recv(s.a.data(), rows_in(s.a), row_type(s.a), 0, of_a, ranks, MPI_STATUS_IGNORE);
    MPI_Recv(s.c.data(), rows_in(s.c), row_type(s.c), 0, of_c, ranks, MPI_STATUS_IGNORE);
  }
  MPI_Bcast(s.b.data(), rows_in(s.b), row_type(s.b), 0, ranks);
}
// [/scatter_blocking]

/// Rank 0 receives the rows of C in the order of the ranks.
template <class T>
void gather_blocking(const Shared<T>& s, MPI_Comm ranks) {
  const int me = rank_in(ranks), size = size_of(ranks);
  if (me > 0) MPI_Send(s.c.data(), rows_in(s.c), row_type(s.c), 0, of_c, ranks);
  for (int of = 1; me == 0 && of < size; ++of) {
    const auto [from, count] = part(s.result.rows(), size, of);
    const View<T> c = s.result.block(from, 0, count, s.result.cols());
    MPI_Recv(c.data(), rows_in(c), row_type(c), of, of_c, ranks, MPI_STATUS_IGNORE);
  }
}

/// Messages on their way.
struct Flying {
  std::vector<MPI_Request> requests = {};
  MPI_Request* next() { return &requests.emplace_back(MPI_REQUEST_NULL); }
  void wait() { MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE); }
};

// [scatter_immediate]
/// Starts every message and then waits for all: messages travel in any order, and none waits for another.
template <class T>
void scatter_immediate(const Shared<T>& s, MPI_Comm ranks) {
  const int me = rank_in(ranks), size = size_of(ranks);
  Flying flying;
  for (int to = 1; me == 0 && to < size; ++to) {
    const auto [from, count] = part(s.all_a.rows(), size, to);
    const View<const T> a = s.all_a.block(from, 0, count, s.all_a.cols()),
                        c = s.all_c.block(from, 0, count, s.all_c.cols());
    MPI_Isend(a.data(), rows_in(a), row_type(a), to, of_a, ranks, flying.next());
    MPI_Isend(c.data(), rows_in(c), row_type(c), to, of_c, ranks, flying.next());
  }
  if (me > 0) {
    MPI_Irecv(s.a.data(), rows_in(s.a), row_type(s.a), 0, of_a, ranks, flying.next());
    MPI_Irecv(s.c.data(), rows_in(s.c), row_type(s.c), 0, of_c, ranks, flying.next());
  }
  MPI_Ibcast(s.b.data(), rows_in(s.b), row_type(s.b), 0, ranks, flying.next());
  flying.wait();
}
// [/scatter_immediate]

/// Rank 0 receives the rows of C as they come.
template <class T>
void gather_immediate(const Shared<T>& s, MPI_Comm ranks) {
  const int me = rank_in(ranks), size = size_of(ranks);
  Flying flying;
  if (me > 0) MPI_Isend(s.c.data(), rows_in(s.c), row_type(s.c), 0, of_c, ranks, flying.next());
  for (int of = 1; me == 0 && of < size; ++of) {
    const auto [from, count] = part(s.result.rows(), size, of);
    const View<T> c = s.result.block(from, 0, count, s.result.cols());
    MPI_Irecv(c.data(), rows_in(c), row_type(c), of, of_c, ranks, flying.next());
  }
  flying.wait();
}

}  // namespace mpi
