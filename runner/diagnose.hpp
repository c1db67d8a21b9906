// Diagnosis of a wrong C: where its wrong elements lie, and which well-known fault explains them.
#pragma once

#include <string>
#include <vector>

#include "common/problem.hpp"

namespace course {

/// Of C: the first wrong element, where the wrong ones lie, and which well-known fault has exactly these
/// values. Nothing if none is wrong. It works out each element again: meant for small products.
template <class T>
std::vector<std::string> diagnose(const Problem<T>& problem, View<const Result<T>> c);

}  // namespace course
