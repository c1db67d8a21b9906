// Diagnosis of a wrong C: where its wrong elements lie, and which well-known fault explains them.
#pragma once

#include <functional>
#include <string>

#include "common/problem.hpp"

namespace course {

/// What is wrong, a sentence each; empty if nothing is, or nothing is known.
struct Diagnosis {
  std::string element, where, fault;  // the first wrong one, where they lie, what has exactly these values
  bool unwritten = false;             // it comes from memory that nobody has written
};
using Owner = std::function<int(Index i, Index j)>;  // the rank that makes C(i, j)

/// Of C. It works out each element again: meant for small products.
template <class T>
Diagnosis diagnose(const Problem<T>& problem, View<const Result<T>> c, const Owner& owner = {});

}  // namespace course
