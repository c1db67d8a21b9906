// Is C right? Three answers: the whole matrix against Eigen, sampled rows and columns, Freivalds' check.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/variant.hpp"

namespace course {

/// What a check found. `error_share` is the largest |C - reference| over what is allowed at that element:
/// right means every share is at most 1. Where equality is demanded it is 0 or infinite.
struct Check {
  bool right = false;
  double error_share = 0;
  double relative_error = 0;  // infinity norm of the difference over that of the reference
  Index differences = 0;      // elements beyond what is allowed
  double worst_case_share =
      0;                // at the worst element: error over gamma_k |a_i||b_j|, the bound that never fails
  std::string trouble;  // empty, or what was wrong and where
};

/// The right C for a problem, in a wider type (f32 → double, f64 → long double, i32 → 64 bits), for the rows
/// and columns named. Integers and exact inputs demand equality; other inputs allow
///   |C - Ĉ| <= 8u ||a_i||₂ ||b_j||₂ + 2u (|Ĉ| + |C₀|),   C₀: what C held before, u: the unit roundoff of T,
/// the size that rounding has for zero-mean input (Higham & Mary 2019 give the probabilistic argument).
template <class T>
class Reference {
 public:
  Reference(const Problem<T>& problem, bool exact, std::vector<Index> rows, std::vector<Index> cols);

  /// Every element.
  static Reference whole(const Problem<T>& problem, bool exact);
  /// Up to 8 rows and 8 columns drawn with the seed, the first and the last always among them.
  static Reference sampled(const Problem<T>& problem, bool exact, std::uint64_t seed);

  Check compare(View<const T> c) const;

  /// Bytes that a reference for a shape needs at most, while it is computed.
  static double bytes(const Shape& shape, bool whole);

 private:
  struct Data;
  std::shared_ptr<Data> data_;
};

/// Freivalds (1977): C - C₀ = A·B is tested as C·x - C₀·x = A·(B·x) for several random x, exactly (modulo
/// 2^64; all entries of x are odd, so that one wrong element never escapes). Inputs must be integers. O(mn +
/// mk + kn) a vector.
template <class T>
Check freivalds(const Problem<T>& problem, View<const T> c, std::uint64_t seed, int vectors = 4);

}  // namespace course
