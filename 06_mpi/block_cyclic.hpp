// C block-cyclic on a grid of ranks, A's rows and B's columns dealt out to match: from rank 0 and back.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "messages.hpp"

namespace mpi {

/// Datatypes of what parts of a matrix there are, by their rows (or columns): no more than three, since a
/// part has one block more than another or the short one.
using Types = std::map<Index, Type>;

/// The rows of A or C that a part has, from its first one on: blocks of so many elements at given distances.
template <class T>
Types row_types(const Cyclic& rows, View<const T> matrix) {
  Types types;
  for (Index part = 0; part < rows.parts; ++part) {
    std::vector<MPI_Aint> places;  // in bytes
    for (Index local = 0; local < rows.count(part); ++local)
      places.push_back((rows.global(part, local) - rows.global(part, 0)) * matrix.ld() * Index{sizeof(T)});
    if (types.contains(std::ssize(places))) continue;
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed_block(static_cast<int>(places.size()), static_cast<int>(matrix.cols()),
                                   places.data(), element<T>(), &made);
    types.emplace(std::ssize(places), made);
  }
  return types;
}

/// What a row of B or C has in a part's columns, from the first one on, reaching to the next row.
template <class T>
Types column_types(const Cyclic& cols, Index ld) {
  Types types;
  for (Index part = 0; part < cols.parts; ++part) {
    std::vector<int> sizes, places;
    for (Index b = part; b < cols.blocks(); b += cols.parts) {
      sizes.push_back(static_cast<int>(cols.size(b)));
      places.push_back(static_cast<int>((b - part) * cols.block));
    }
    if (types.contains(cols.count(part))) continue;
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_indexed(static_cast<int>(sizes.size()), sizes.data(), places.data(), element<T>(), &made);
    types.emplace(cols.count(part), resized(made, static_cast<MPI_Aint>(ld) * MPI_Aint{sizeof(T)}));
  }
  return types;
}

/// The parts of A, B and C that a rank has.
template <class T>
struct Dealt {
  Cyclic rows, cols;                                 // of C
  View<const T> all_a = {}, all_b = {}, all_c = {};  // at rank 0
  View<T> result = {};                               // at rank 0: where C comes back to
  View<T> c_rows;   // in the first grid column: whole rows of C, the grid row's
  View<T> a, b, c;  // this rank's: rows of A, columns of B, blocks of C
};
/// And how parts of whole matrices are sent: nine datatypes at most.
struct NineTypes {
  Types rows_of_a, rows_of_c, columns;
};

enum { a_rows, b_cols, c_rows, c_blocks };  // tags

/// The first row (or column) of a part; the end if the part is empty.
inline Index first_of(const Cyclic& dealt, Index part) {
  return std::min(part * dealt.block, dealt.extent);
}

/// 1. Rank 0 sends each grid row's rows of A and C to the first rank of the row, and each grid column's
/// columns of B to the first rank of the column. 2. The first rank of a row broadcasts A's rows there and
/// distributes the columns of C; the first rank of a column broadcasts B's columns.
template <class T>
void deal(const Dealt<T>& d, const NineTypes& types, const Grid& grid) {
  std::vector<MPI_Request> sent;
  const auto send = [&sent](const T* data, Index count, MPI_Datatype type, int to, int tag, MPI_Comm ranks) {
    MPI_Isend(data, static_cast<int>(count), type, to, tag, ranks, &sent.emplace_back());
  };
  const bool is_root = grid.row == 0 && grid.col == 0;
  for (int p = 0; is_root && p < grid.p; ++p) {
    const Index count = d.rows.count(p), first = first_of(d.rows, p);
    send(d.all_a.data() + first * d.all_a.ld(), 1, types.rows_of_a.at(count), p, a_rows, grid.along_col);
    send(d.all_c.data() + first * d.all_c.ld(), 1, types.rows_of_c.at(count), p, c_rows, grid.along_col);
  }
  for (int q = 0; is_root && q < grid.q; ++q) {
    const Index count = d.cols.count(q), first = first_of(d.cols, q);
    send(d.all_b.data() + first, d.all_b.rows(), types.columns.at(count), q, b_cols, grid.along_row);
  }
  if (grid.col == 0) {
    MPI_Recv(d.a.data(), rows_in(d.a), row_type(d.a), 0, a_rows, grid.along_col, MPI_STATUS_IGNORE);
    MPI_Recv(d.c_rows.data(), rows_in(d.c_rows), row_type(d.c_rows), 0, c_rows, grid.along_col,
             MPI_STATUS_IGNORE);
  }
  if (grid.row == 0)
    MPI_Recv(d.b.data(), rows_in(d.b), row_type(d.b), 0, b_cols, grid.along_row, MPI_STATUS_IGNORE);

  MPI_Bcast(d.a.data(), rows_in(d.a), row_type(d.a), 0, grid.along_row);
  MPI_Bcast(d.b.data(), rows_in(d.b), row_type(d.b), 0, grid.along_col);
  for (int q = 0; grid.col == 0 && q < grid.q; ++q) {
    const Index count = d.cols.count(q), first = first_of(d.cols, q);
    send(d.c_rows.data() + first, d.c_rows.rows(), types.columns.at(count), q, c_blocks, grid.along_row);
  }
  MPI_Recv(d.c.data(), rows_in(d.c), row_type(d.c), 0, c_blocks, grid.along_row, MPI_STATUS_IGNORE);
  MPI_Waitall(static_cast<int>(sent.size()), sent.data(), MPI_STATUSES_IGNORE);
}

/// The same way back, for C alone.
template <class T>
void collect(const Dealt<T>& d, const NineTypes& types, const Grid& grid) {
  MPI_Request sent[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Isend(d.c.data(), rows_in(d.c), row_type(d.c), 0, c_blocks, grid.along_row, &sent[0]);
  for (int q = 0; grid.col == 0 && q < grid.q; ++q) {
    const Index count = d.cols.count(q), first = first_of(d.cols, q);
    MPI_Recv(d.c_rows.data() + first, rows_in(d.c_rows), types.columns.at(count), q, c_blocks, grid.along_row,
             MPI_STATUS_IGNORE);
  }
  if (grid.col == 0)
    MPI_Isend(d.c_rows.data(), rows_in(d.c_rows), row_type(d.c_rows), 0, c_rows, grid.along_col, &sent[1]);
  for (int p = 0; grid.row == 0 && grid.col == 0 && p < grid.p; ++p) {
    const Index count = d.rows.count(p), first = first_of(d.rows, p);
    MPI_Recv(d.result.data() + first * d.result.ld(), 1, types.rows_of_c.at(count), p, c_rows, grid.along_col,
             MPI_STATUS_IGNORE);
  }
  MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
}

}  // namespace mpi
