// Verifies C: every element against Eigen, or sampled rows and columns, or Freivalds' check.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/problem.hpp"

namespace course {

/// The findings of a check.
struct Check {
  bool right = false;
  double error_share = 0;     // the largest |C - reference| / allowed of any element; 0 or ∞ for equality
  double relative_error = 0;  // ∞-norm of the difference over that of C, of what was compared
  Index differences = 0;      // elements beyond what is allowed; of Freivalds' check, rows
  double worst_case_share = 0;  // at the worst element: error / (γₖ₊₁ (|aᵢ||bⱼ| + |C₀|)), γₖ = ku / (1 - ku)
  std::string message = {};  // what was wrong and where, else empty
};

/// Compares C with the right values, made in a wider type (f32, bf16, tf32 → double, f64 → long double, i32 →
/// 64 bits) from the recipe, inputs of TF32 rounded, panel by panel of k. Integers and exact inputs demand
/// equality; others:
///   |C - Ĉ| <= 8u ||aᵢ||₂ ||bⱼ||₂ + 2u (|Ĉ| + |C₀|),   C₀: what C held before, u: the unit roundoff of C,
/// for with zero-mean input rounding errors grow as √k, not k (Higham & Mary 2019). For bf16 and tf32 8 +
/// √k / 4, not 8: a tensor core cuts off, towards 0, what the sum s of each g products has beyond 24 bits, at
/// most 2u |s|. After p products |s| is about √p σ², where ||aᵢ||₂ ||bⱼ||₂ is k σ²: the k / g cuts add up to
/// (4/3) (√k / g) u k σ², for g = 8 to √k / 6.
template <class T>
class Verifier {
 public:
  /// Not `whole`: up to 8 rows and 8 columns drawn with the seed, the first and the last always among them.
  Verifier(Problem<T> problem, bool whole) : problem_(problem), whole_(whole) {}

  /// A C that is not m × n is wrong. The right values are made at the first call, and kept.
  Check check(View<const Result<T>> c);

 private:
  struct Reference;

  Problem<T> problem_;
  bool whole_;
  std::vector<std::shared_ptr<const Reference>> references_;  // shared: Reference is known to verify.cpp only
};

/// Freivalds (1977): (C − C₀) x = A (B x), row by row, for random vectors x, exactly, modulo 2^64. Their
/// entries are odd, so that one wrong element of a row is always found. Inputs must be integers.
template <class T>
Check freivalds(const Problem<T>& problem, View<const Result<T>> c);

}  // namespace course
