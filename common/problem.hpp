// What is to be multiplied: C += A·B, as a recipe.
#pragma once

#include "common/fill.hpp"
#include "common/matrix.hpp"

namespace course {

/// C (m × n) += A (m × k) · B (k × n).
struct Shape {
  Index m = 0, n = 0, k = 0;
  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  bool operator==(const Shape&) const = default;
};

/// The whole matrices; `c` is what C holds before the product.
template <class T>
struct Inputs {
  Matrix<T> a, b;
  Matrix<Result<T>> c;
  bool guards_intact() const { return a.guards_intact() && b.guards_intact() && c.guards_intact(); }
};

/// A recipe: element (i, j) of an input is a function of (fill, seed, matrix, i, j), on any thread, rank or
/// GPU, so no process has to hold a whole matrix.
template <class T>
struct Problem {
  Shape shape;
  Fill fill = Fill::uniform;
  std::uint64_t seed = 987654;
  Index pad = 0;  // what every leading dimension exceeds its columns by

  T a(Index i, Index p) const { return element<T>(fill, seed, 'A', i, p); }
  T b(Index p, Index j) const { return element<T>(fill, seed, 'B', p, j); }
  Result<T> c(Index i, Index j) const { return element<Result<T>>(fill, seed, 'C', i, j); }

  /// True if every sum is exact in C's type, so that equality can be demanded.
  bool exact() const { return std::is_integral_v<T> || fill == Fill::digits; }

  /// A, B and C in this process's memory, first touched by so many threads. Throws std::bad_alloc.
  Inputs<T> whole(int threads = 1) const {
    Inputs<T> made{Matrix<T>(shape.m, shape.k, pad, threads, Use::input),
                   Matrix<T>(shape.k, shape.n, pad, threads, Use::input),
                   Matrix<Result<T>>(shape.m, shape.n, pad, threads, Use::input)};
    fill_matrix(made.a.view(), fill, seed, 'A');
    fill_matrix(made.b.view(), fill, seed, 'B');
    fill_matrix(made.c.view(), fill, seed, 'C');
    return made;
  }
};

}  // namespace course
