// Each well-known fault, made on purpose: what does the tutor say of it?
#include "tools/try/diagnose.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

namespace {

using course::Index, course::Matrix, course::Problem, course::View;
using Element = std::function<double(Index i, Index j, double before, double added)>;

constexpr Index m = 33, n = 20, k = 20;
const Problem<float> problem{.shape = {m, n, k}};

double added(Index i, Index j, Index from = 0, Index to = k) {
  double sum = 0;
  for (Index p = from; p < to; ++p) sum += double(problem.a(i, p)) * double(problem.b(p, j));
  return sum;
}

/// All lines said of a C whose elements are `made` so.
std::string said(const Element& made, const course::Owner& owner = {}) {
  Matrix<float> c(m, n);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) c.view()(i, j) = float(made(i, j, problem.c(i, j), added(i, j)));
  std::string lines;
  const View<float> view = c.view();
  const course::Diagnosis found = course::diagnose<float>(problem, view, owner);
  for (const std::string& line : {found.element, found.where, found.fault})
    if (!line.empty()) lines += line + "\n";
  return lines;
}
bool says(const Element& made, const std::string& what, const course::Owner& owner = {}) {
  const std::string lines = said(made, owner);
  const bool there = lines.find(what) != std::string::npos;
  if (!there) MESSAGE(lines);
  return there;
}

}  // namespace

TEST_CASE("of a right C nothing, of one wrong element its value and place") {
  CHECK(said([](Index, Index, double before, double sum) { return before + sum; }).empty());
  const auto one = [](Index i, Index j, double before, double sum) {
    return before + sum + (i == 7 && j == 4);
  };
  CHECK(says(one, "C(7, 4) is "));
  CHECK(says(one, "It is the only wrong one."));
}

TEST_CASE("where the wrong ones lie") {
  const auto wrong_at = [](auto place) {
    return [place](Index i, Index j, double before, double sum) { return before + sum + 1e3 * place(i, j); };
  };
  CHECK(says(wrong_at([](Index i, Index) { return i >= 32; }),
             "have i ≥ 32, and all of those are wrong: what about the rows"));
  CHECK(says(wrong_at([](Index i, Index) { return i >= 32; }), "(32 = 8 · 4: only whole tiles?)"));
  CHECK(says(wrong_at([](Index, Index j) { return j >= 17; }),
             "have j ≥ 17, and all of those are wrong: does a loop, or the grid, reach these columns"));
  CHECK(says(wrong_at([](Index i, Index j) { return i >= 32 || j >= 16; }), "have i ≥ 32 or j ≥ 16"));
  const course::Owner by_rows = [](Index i, Index) { return i < 16 ? 0 : 1; };
  CHECK(says(wrong_at([](Index i, Index) { return i >= 16; }), "All elements of rank 1, and no others,",
             by_rows));
  CHECK(says(wrong_at([](Index i, Index j) { return i == 20 && j % 2 == 0; }), "are rank 1's", by_rows));
  CHECK(says(wrong_at([](Index, Index j) { return j % 4 == 3; }), "have j % 4 = 3"));
  CHECK(says(wrong_at([](Index i, Index) { return i % 8 == 5; }), "have i % 8 = 5"));
  CHECK(says(wrong_at([](Index i, Index j) { return (i * j) % 7 == 3; }), " of 660 elements are wrong."));
  CHECK(says(wrong_at([](Index, Index) { return true; }), "Every element is wrong."));
}

TEST_CASE("which fault has these values") {
  CHECK(says([](Index i, Index, double before, double sum) { return i > 30 ? before : before + sum; },
             "as it was before"));
  CHECK(says([](Index, Index, double, double sum) { return sum; }, "keeps what C held before"));
  CHECK(says([](Index i, Index, double before, double sum) { return i > 30 ? 0 : before + sum; }, "It is 0"));
  CHECK(says(
      [](Index i, Index j, double before, double) {
        double sum = before;
        for (Index p = 0; p < k; ++p) sum += double(problem.a(i, p)) * double(problem.b(j, p));
        return sum;
      },
      "It holds the sum of a(i, p) · b(j, p), not of"));
  CHECK(says([](Index, Index, double before, double sum) { return before + 3 * sum; }, "added 3 times"));
  CHECK(says([](Index i, Index j, double before, double) { return before + added(i, j, 0, 16); },
             "p ≥ 16 are missing"));
  CHECK(says([](Index i, Index j, double before, double) { return before + added(i, j, 1); },
             "p < 1 are missing"));
  CHECK(says([](Index i, Index j, double, double) { return added(i, j, k - 1); },
             "Only the products of p ≥ 19"));
  CHECK(says([](Index i, Index j, double before,
                double sum) { return i == 5 && j > 2 ? std::nan("") : before + sum; },
             "NaN comes from"));
  CHECK(says(
      [](Index i, Index j, double before, double) {
        double sum = before;
        for (Index of = 0; of <= j; ++of) sum += added(i, of);
        return sum;
      },
      "not set back for each element"));
  CHECK(
      says([](Index i, Index j, double before, double sum) { return before + (i + j > 0 ? int(sum) : sum); },
           "is a sum an int?"));
  double all = 0;
  const auto carried = [&all](Index i, Index j, double before, double sum) {
    return before + (all = (i + j > 0 ? all : 0) + sum);
  };
  CHECK(says(carried, "have i ≥ 1 or j ≥ 1, and all of those are wrong.\n"));  // and nothing is left over
  CHECK(says(carried, "not set back for each element"));
  CHECK(says([](Index i, Index j, double before,
                double) { return before + (i < 32 && j < 16 ? added(i, j, 0, 16) : 0); },
             "the others only the products of p < 16: only whole tiles?"));
}

TEST_CASE("fragments that are transposed") {
  const auto a = [](Index i, Index p) { return i < m && p < k ? double(problem.a(i, p)) : 0; };
  const auto b = [](Index p, Index j) { return p < k && j < n ? double(problem.b(p, j)) : 0; };
  const auto turned = [](const auto& of, Index side, Index i, Index j) {
    return of(i / side * side + j % side, j / side * side + i % side);
  };
  CHECK(says(
      [&](Index i, Index j, double before, double) {
        for (Index p = 0; p < k; ++p) before += turned(a, 8, i, p) * b(p, j);
        return before;
      },
      "Each 8 × 8 elements of A are transposed."));
  CHECK(says(
      [&](Index i, Index j, double before, double) {
        for (Index p = 0; p < k; ++p) before += a(i, p) * turned(b, 16, p, j);
        return before;
      },
      "Each 16 × 16 elements of B are transposed."));
}

TEST_CASE("indices that are exchanged") {
  const Problem<float> square{.shape = {k, k, k}};
  Matrix<float> of_c(k, k), of_a(k, k);
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < k; ++j) {
      double transposed = square.c(i, j);
      for (Index p = 0; p < k; ++p) transposed += double(square.a(p, i)) * double(square.b(p, j));
      of_a.view()(i, j) = float(transposed), of_c.view()(i, j) = float(square.c(i, j) + added(j, i));
    }
  CHECK(course::diagnose<float>(square, of_c.view()).fault ==
        "It holds what C(j, i) should: i and j are exchanged.");
  CHECK(course::diagnose<float>(square, of_a.view()).fault ==
        "It holds the sum of a(p, i) · b(p, j), not of a(i, p) · b(p, j).");
}
