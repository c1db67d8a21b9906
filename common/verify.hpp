// Is C right? Three answers: every element against Eigen, sampled rows and columns, Freivalds' check.
#pragma once

#include "common/problem.hpp"
#include "common/world.hpp"

namespace course {

/// What a check found, the same on every rank. `error_share` is the largest |C - reference| over what is
/// allowed at that element: right means every share is at most 1. Where equality is demanded it is 0 or
/// infinite.
struct Check {
  bool right = false;
  double error_share = 0, relative_error = 0;  // relative: ∞-norm of the difference over that of C, of what
                                               // was compared
  Index differences = 0;                       // elements beyond what is allowed
  double worst_case_share = 0;  // at the worst element: error over the bound that no right order of summation
                                // exceeds, γₖ₊₁ (|aᵢ||bⱼ| + |C₀|) with γₖ = ku / (1 - ku)
  std::string trouble = {};     // empty, or what was wrong and where
};

/// Compares pieces of C with the right values, made in a wider type (f32 → double, f64 → long double, i32 →
/// 64 bits) from the recipe, panel by panel of k. Integers and exact inputs demand equality; others allow
///   |C - Ĉ| <= 8u ||aᵢ||₂ ||bⱼ||₂ + 2u (|Ĉ| + |C₀|),   C₀: what C held before, u: the unit roundoff of T,
/// since errors of either sign cancel in part: with zero-mean input they grow as √k, not k (Higham & Mary
/// 2019). The reference is computed at the first check and kept for pieces of the same rows and columns.
template <class T>
class Verifier {
 public:
  /// Not `whole`: up to 8 rows and 8 columns drawn with the seed, the first and the last always among them.
  Verifier(Problem<T> problem, bool whole);

  /// Of the ranks' pieces together, each rank giving its own: they must cover C, each element once.
  Check check(const Piece<T>& piece, const World& world);

  /// Bytes that a check of one of so many equal pieces needs at most.
  static double bytes(const Shape& shape, bool whole, int ranks = 1);

 private:
  struct Reference;
  void refer_to(const Piece<T>& piece);
  void add_reference(const Piece<T>& piece, Indices rows, Indices cols);

  Problem<T> problem_;
  bool whole_;
  Indices rows_, cols_;                                       // of the piece that references_ are for
  std::vector<std::shared_ptr<const Reference>> references_;  // shared: Reference is known to verify.cpp only
};

/// Freivalds (1977), in one number for each pair u, x: Σ uᵢ (C − C₀)ᵢⱼ xⱼ = Σₚ (uᵀA)ₚ (B x)ₚ for several
/// random u and x, exactly (modulo 2^64; all entries are odd, so that one wrong element never escapes).
/// Inputs must be integers. Each rank adds its piece and its share of p: (mn + mk + kn) / ranks a vector.
template <class T>
Check freivalds(const Problem<T>& problem, const Piece<T>& piece, const World& world);

}  // namespace course
