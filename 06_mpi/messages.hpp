// Matrices as MPI sees them.
#pragma once

#include <mpi.h>

#include <map>
#include <type_traits>
#include <utility>

#include "layout.hpp"

namespace mpi {

template <class T>
MPI_Datatype element() {
  return std::is_same_v<T, float> ? MPI_FLOAT : std::is_same_v<T, double> ? MPI_DOUBLE : MPI_INT32_T;
}

/// A committed derived datatype, freed at destruction; MPI keeps what messages under way need of it.
class Type {
 public:
  explicit Type(MPI_Datatype made) : made_(made) { MPI_Type_commit(&made_); }
  Type(Type&& other) noexcept : made_(std::exchange(other.made_, MPI_DATATYPE_NULL)) {}
  ~Type() {
    if (made_ != MPI_DATATYPE_NULL) MPI_Type_free(&made_);
  }
  operator MPI_Datatype() const { return made_; }

 private:
  MPI_Datatype made_;
};

/// The same type with another extent, the bytes from one element of a message to the next.
inline MPI_Datatype resized(MPI_Datatype made, MPI_Aint extent) {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  int size = 0;
  if (MPI_Type_size(made, &size); size == 0) return made;  // MPICH 4.2 divides by the size of a resized type
  MPI_Type_create_resized(made, 0, extent, &result);
  MPI_Type_free(&made);
  return result;
}

/// A row of a matrix, reaching to where the next one begins. Messages count rows: an `int` counts no more
/// than 2^31 - 1, which elements may exceed, but rows do not.
template <class T>
Type row_type(const View<T>& rows) {
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(rows.cols()), element<std::remove_const_t<T>>(), &row);
  return Type(resized(row, static_cast<MPI_Aint>(rows.ld()) * MPI_Aint{sizeof(T)}));
}

template <class T>
int rows_in(const View<T>& view) {
  return static_cast<int>(view.rows());
}

inline int rank_in(MPI_Comm ranks) {
  int rank = 0;
  return MPI_Comm_rank(ranks, &rank), rank;
}
inline int size_of(MPI_Comm ranks) {
  int size = 1;
  return MPI_Comm_size(ranks, &size), size;
}

/// Bytes that this rank has received from others since the program began: of each message
/// that MPI delivers, as many as its receiver asked for (profiling/received.cpp).
double bytes_received();
/// Its sends, receives and broadcasts that have begun and that no call has completed.
int requests_under_way();

/// A grid of P × Q ranks, row by row: this rank's place, and the communicators of its row and its column.
struct Grid {
  int p, q, row, col;
  MPI_Comm all = MPI_COMM_NULL, along_row = MPI_COMM_NULL, along_col = MPI_COMM_NULL;

  Grid(Index p_, Index q_)
      : p(static_cast<int>(p_)),
        q(static_cast<int>(q_)),
        row(rank_in(MPI_COMM_WORLD) / q),
        col(rank_in(MPI_COMM_WORLD) % q) {}

  /// Makes the communicators, once for all products on such a grid; MPI_Finalize frees them. The call is
  /// collective, so it is not left to a constructor or destructor, which one rank alone may run.
  void connect() {
    static std::map<std::pair<int, int>, Grid> made;
    const auto [known, is_new] = made.try_emplace({p, q}, *this);
    if (Grid& grid = known->second; is_new) {
      const int sides[] = {p, q}, wraps[] = {0, 0}, in_row[] = {0, 1}, in_col[] = {1, 0};
      MPI_Cart_create(MPI_COMM_WORLD, 2, sides, wraps, 0, &grid.all);
      MPI_Cart_sub(grid.all, in_row, &grid.along_row), MPI_Cart_sub(grid.all, in_col, &grid.along_col);
    }
    *this = known->second;
  }
};

}  // namespace mpi
