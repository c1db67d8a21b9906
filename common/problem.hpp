// What is to be multiplied: C += A·B, as a recipe.
#pragma once

#include <memory>
#include <numeric>
#include <vector>

#include "common/fill.hpp"
#include "common/matrix.hpp"

namespace course {

/// C (m × n) += A (m × k) · B (k × n).
struct Shape {
  Index m = 0, n = 0, k = 0;
  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  /// Elements of A, B and C together.
  double elements() const {
    const auto m_ = static_cast<double>(m), n_ = static_cast<double>(n), k_ = static_cast<double>(k);
    return m_ * k_ + k_ * n_ + m_ * n_;
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
/// GPU. So nobody need hold a whole matrix, and whoever has a piece of C can check it.
template <class T>
struct Problem {
  Shape shape;
  Fill fill = Fill::uniform;
  std::uint64_t seed = 987654;
  Index pad = 0;    // what every leading dimension exceeds its columns by
  int threads = 1;  // that first touch whole matrices: the most of any row of results

  T a(Index i, Index p) const { return element<T>(fill, seed, 'A', i, p); }
  T b(Index p, Index j) const { return element<T>(fill, seed, 'B', p, j); }
  Result<T> c(Index i, Index j) const { return element<Result<T>>(fill, seed, 'C', i, j); }

  /// True if every sum is exact in C's type, so that equality can be demanded.
  bool exact() const { return std::is_integral_v<T> || fill == Fill::digits; }

  /// A, B and C in this process's memory, made at the first call and kept until forget(). Throws
  /// std::bad_alloc.
  const Inputs<T>& whole() const {
    if (made) return *made;
    made =
        std::make_shared<Inputs<T>>(Inputs<T>{Matrix<T>(shape.m, shape.k, pad, threads, Use::input),
                                              Matrix<T>(shape.k, shape.n, pad, threads, Use::input),
                                              Matrix<Result<T>>(shape.m, shape.n, pad, threads, Use::input)});
    fill_matrix(made->a.view(), fill, seed, 'A');
    fill_matrix(made->b.view(), fill, seed, 'B');
    fill_matrix(made->c.view(), fill, seed, 'C');
    return *made;
  }
  void forget() const { made = nullptr; }
  bool guards_intact() const { return !made || made->guards_intact(); }
  /// Bytes that whole() takes.
  double whole_bytes() const {
    const auto of = [this](Index rows, Index cols) {
      return static_cast<double>(rows) * static_cast<double>(cols + pad);
    };
    const auto [m, n, k] = shape;
    return sizeof(T) * (of(m, k) + of(k, n)) + sizeof(Result<T>) * of(m, n);
  }

  mutable std::shared_ptr<Inputs<T>> made = nullptr;  // what whole() keeps; no part of the recipe
};

using Indices = std::vector<Index>;

/// What one rank has of C: c(i, j) is C(rows[i], cols[j]), however rows and columns were shared out.
template <class T>
struct Piece {
  Indices rows, cols;
  View<const Result<T>> c;
};

/// 0, 1, …, count - 1.
inline Indices all_of(Index count) {
  Indices indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

}  // namespace course
