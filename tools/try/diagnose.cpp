#include "tools/try/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace course {
namespace {

const std::string untouched = "C is as it was before: nothing was added to it there.";

struct Element {
  Index i, j;
  double is = 0, before = 0, added = 0;  // C(i, j) as computed, before the product, and what A·B adds
  double size = 0;                       // Σ|a·b| + |before|: rounding grows with it
};
using Elements = std::vector<Element>;

template <class T>
bool close(double is, double should, double size) {
  const double u = std::is_integral_v<T> ? 0 : std::numeric_limits<Result<T>>::epsilon() / 2.0;
  return std::abs(is - should) <= 8 * u * size;  // false for NaN
}

bool all(const Elements& elements, const std::function<bool(const Element&)>& holds) {
  return std::all_of(elements.begin(), elements.end(), holds);
}

/// Σ a(i, p)·b(p, j) over from <= p < to, by the problem's recipe.
template <class T>
double products(const Problem<T>& problem, const Element& e, Index from, Index to) {
  double sum = 0;
  for (Index p = from; p < to; ++p)
    sum += static_cast<double>(problem.a(e.i, p)) * static_cast<double>(problem.b(p, e.j));
  return sum;
}

/// The first wrong row or column, if every element from there on is wrong; else 0.
Index edge(const Elements& wrong, const Elements& right, Index Element::*index) {
  const auto less = [index](const Element& x, const Element& y) { return x.*index < y.*index; };
  const Index first = (*std::min_element(wrong.begin(), wrong.end(), less)).*index;
  return all(right, [=](const Element& e) { return e.*index < first; }) ? first : 0;
}

std::string beyond(const char* name, Index first) {
  return fmt::format("All wrong elements have {} ≥ {}, and all of those are wrong", name, first);
}
/// Fewer are left over than a tile has, if `first` ends whole tiles.
std::string left_over(Index first, Index extent, const char* what) {
  const bool tiles = first % 4 == 0 && extent - first < (first & -first);
  return tiles ? fmt::format(": what about the {} that are left over? ({} = {} · 4: only whole tiles?)", what,
                             first, first / 4)
               : fmt::format(": does a loop, or the grid, reach these {}?", what);
}

/// Where the wrong elements lie; and `asks`, where no fault explains them, what is left over there.
std::string where(const Elements& wrong, const Elements& right, const Shape& shape, bool asks,
                  const Owner& owner) {
  if (right.empty()) return wrong.size() > 1 ? "Every element is wrong." : "";
  if (owner) {
    const int rank = owner(wrong[0].i, wrong[0].j);
    const auto of_rank = [&](const Element& e) { return owner(e.i, e.j) == rank; };
    if (all(wrong, of_rank) && std::none_of(right.begin(), right.end(), of_rank))
      return fmt::format("All elements of rank {}, and no others, are wrong.", rank);
    if (all(wrong, of_rank)) return fmt::format("All wrong elements are rank {}'s.", rank);
  }
  if (const Index i = edge(wrong, right, &Element::i); i > 0)
    return beyond("i", i) + (asks ? left_over(i, shape.m, "rows") : ".");
  if (const Index j = edge(wrong, right, &Element::j); j > 0)
    return beyond("j", j) + (asks ? left_over(j, shape.n, "columns") : ".");
  for (Index i = shape.m - 1; i > 0; --i)
    for (Index j = shape.n - 1; j > 0; --j) {
      const auto outside = [=](const Element& e) { return e.i >= i || e.j >= j; };
      if (all(wrong, outside) && std::none_of(right.begin(), right.end(), outside))
        return fmt::format("All wrong elements have i ≥ {} or j ≥ {}, and all of those are wrong{}", i, j,
                           asks ? ": what about the rows and columns that are left over?" : ".");
    }
  for (const auto& [name, index] : {std::pair{"i", &Element::i}, std::pair{"j", &Element::j}})
    for (const Index period : {32, 16, 8, 4, 2}) {
      const Index place = wrong[0].*index % period;
      if (wrong.size() > 2 &&
          all(wrong, [=, index = index](const Element& e) { return e.*index % period == place; }))
        return fmt::format("All wrong elements have {} % {} = {}.", name, period, place);
    }
  return wrong.size() == 1
             ? "It is the only wrong one."
             : fmt::format("{} of {} elements are wrong.", wrong.size(), wrong.size() + right.size());
}

/// That a factor has another index than it should.
template <class T>
std::string wrong_index(const Problem<T>& problem, const Elements& wrong) {
  const Index m = problem.shape.m, n = problem.shape.n, k = problem.shape.k;
  const Index extents[] = {m, n, k}, dimensions[] = {m, k, k, n};
  constexpr char names[] = "ijp";
  for (int code = 0; code < 81; ++code) {
    const int of[] = {code / 27, code / 9 % 3, code / 3 % 3, code % 3};  // of a(., .) and b(., .)
    bool there = true;
    for (int place = 0; place < 4; ++place) there &= extents[of[place]] <= dimensions[place];
    const auto should = [&](const Element& e) {
      double sum = e.before;
      for (Index p = 0; p < k; ++p) {
        const Index at[] = {e.i, e.j, p};
        sum += static_cast<double>(problem.a(at[of[0]], at[of[1]])) *
               static_cast<double>(problem.b(at[of[2]], at[of[3]]));
      }
      return sum;
    };
    if (there && all(wrong, [&](const Element& e) { return close<T>(e.is, should(e), e.size); }))
      return fmt::format("It holds the sum of a({}, {}) · b({}, {}), not of a(i, p) · b(p, j).", names[of[0]],
                         names[of[1]], names[of[2]], names[of[3]]);
  }
  return "";
}

/// What a kernel holds in `e` that computes from a(i, p) and b(p, j) as it takes them for.
template <class A, class B>
double product(const Element& e, Index k, const A& a, const B& b) {
  double sum = e.before;
  for (Index p = 0; p < k; ++p) sum += a(e.i, p) * b(p, e.j);
  return sum;
}

/// That tiles, or a tensor core's fragments, were transposed.
template <class T>
std::string transposed(const Problem<T>& problem, const Elements& wrong) {
  const Index m = problem.shape.m, n = problem.shape.n, k = problem.shape.k;  // lambdas take no bindings
  const auto a = [&](Index i, Index p) { return i < m && p < k ? static_cast<double>(problem.a(i, p)) : 0; };
  const auto b = [&](Index p, Index j) { return p < k && j < n ? static_cast<double>(problem.b(p, j)) : 0; };
  for (const Index side : {8, 16})
    for (const char of : {'A', 'B', 'C'}) {
      const auto swapped = [side](Index i, Index j, const auto& element) {
        return element(i - i % side + j % side, j - j % side + i % side);
      };
      const auto explains = [&](const Element& e) {
        const auto turned_a = [&](Index i, Index p) { return of == 'A' ? swapped(i, p, a) : a(i, p); };
        const auto turned_b = [&](Index p, Index j) { return of == 'B' ? swapped(p, j, b) : b(p, j); };
        const auto sum = [&](Index i, Index j) {
          return product({i, j, 0, e.before}, k, turned_a, turned_b);
        };
        return close<T>(e.is, of == 'C' ? swapped(e.i, e.j, sum) : sum(e.i, e.j),
                        e.size + static_cast<double>(k));
      };
      if (all(wrong, explains))
        return fmt::format("Each {} × {} elements of {} are transposed.", side, side, of);
    }
  return "";
}

/// That a sum was not set back: the elements of the row, or all, before each are in it, too.
template <class T>
std::string carried_on(const Problem<T>& problem, const Elements& wrong) {
  const Index m = problem.shape.m, n = problem.shape.n, k = problem.shape.k;
  for (const bool of_row : {true, false})
    for (const bool keeps : {true, false}) {  // what C held
      double sum = 0, size = 0;
      auto next = wrong.begin();
      bool same = true;
      for (Index i = 0; i < m && same; ++i) {
        if (of_row) sum = size = 0;
        for (Index j = 0; j < n && same; ++j) {
          const double before = keeps ? static_cast<double>(problem.c(i, j)) : 0;
          sum += products(problem, {i, j}, 0, k), size += static_cast<double>(k);
          if (next == wrong.end() || next->i != i || next->j != j) continue;
          same = close<T>(next->is, before + sum, next->size + size), ++next;
        }
      }
      if (same)
        return fmt::format(
            "It holds the products of the elements before it{}, too: the sum is not set back for each "
            "element.",
            of_row ? " in its row" : "");
    }
  return "";
}

/// That only whole tiles were multiplied: nothing was added beyond the last one, and to the others too
/// little.
template <class T>
std::string whole_tiles(const Problem<T>& problem, const Elements& wrong) {
  const Index k = problem.shape.k;
  Elements within, beyond;
  for (const Element& e : wrong) (close<T>(e.is, e.before, e.size) ? beyond : within).push_back(e);
  if (beyond.empty() || within.empty()) return "";
  for (Index q = k - 1; q > 0; --q)
    if (all(within,
            [&](const Element& e) { return close<T>(e.is, e.before + products(problem, e, 0, q), e.size); }))
      return fmt::format(
          "Nothing was added to {} elements, and to the others only the products of p < {}: only whole "
          "tiles? What about the rows, columns and products that are left over?",
          beyond.size(), q);
  return "";
}

/// The fault that has exactly these values, or nothing.
template <class T>
std::string fault(const Problem<T>& problem, const Elements& wrong, bool unwritten) {
  const Index m = problem.shape.m, n = problem.shape.n, k = problem.shape.k;
  const auto of_all = [&](auto should) {
    return all(wrong, [&](const Element& e) { return close<T>(e.is, should(e), e.size); });
  };
  if (k == 0) return "k is 0: there is nothing to add. Does a sum begin with p = 0 all the same?";
  if (unwritten) {
    const bool nan = !all(wrong, [](const Element& e) { return !std::isnan(e.is); });
    return fmt::format(
        "{} comes from memory that nobody has written: a sum that was not initialised, or a read beyond "
        "a row's end.",
        nan ? "NaN" : "So large a number");
  }
  if (of_all([](const Element& e) { return e.before; })) return untouched;
  if (of_all([](const Element& e) { return e.added; }))
    return "It holds A·B alone: C += A·B keeps what C held before.";
  if (of_all([](const Element&) { return 0.0; }))
    return "It is 0: is a sum an int, or was C set to 0? C += A·B keeps what C held before.";
  for (int times = 2; times <= 64; ++times)
    if (of_all([=](const Element& e) { return e.before + times * e.added; }))
      return fmt::format("A·B was added {} times instead of once.", times);
  for (Index q = k - 1; q > 0; --q) {
    if (of_all([&](const Element& e) { return e.before + products(problem, e, 0, q); }))
      return fmt::format("The products of p ≥ {} are missing: what about the end of k?", q);
    if (of_all([&](const Element& e) { return e.before + products(problem, e, q, k); }))
      return fmt::format("The products of p < {} are missing.", q);
    if (of_all([&](const Element& e) { return products(problem, e, q, k); }))
      return fmt::format("Only the products of p ≥ {} are there: the sum begins anew on the way through k.",
                         q);
  }
  if (std::string tiles = whole_tiles(problem, wrong); !tiles.empty()) return tiles;
  if (n == m && of_all([&](const Element& e) { return e.before + products(problem, {e.j, e.i}, 0, k); }))
    return "It holds what C(j, i) should: i and j are exchanged.";
  if (std::string index = wrong_index(problem, wrong); !index.empty()) return index;
  if (std::string tiles = transposed(problem, wrong); !tiles.empty()) return tiles;
  const auto whole = [k](const Element& e) {  // or what was added is
    const double rest = e.is - e.before;
    return std::abs(e.is) <= e.size + static_cast<double>(k) &&
           (e.is == std::round(e.is) || std::abs(rest - std::round(rest)) < 1e-6);
  };
  if (!std::is_integral_v<T> && problem.fill == Fill::uniform && wrong.size() > 4 && all(wrong, whole))
    return "All of them are whole numbers: is a sum an int?";
  return carried_on(problem, wrong);
}

}  // namespace

template <class T>
Diagnosis diagnose(const Problem<T>& problem, View<const Result<T>> c, const Owner& owner) {
  Elements wrong, right;
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      Element e{i, j, static_cast<double>(c(i, j)), 0, 0, 0};
      e.before = static_cast<double>(problem.c(e.i, e.j));
      e.size = std::abs(e.before);
      for (Index p = 0; p < problem.shape.k; ++p) {
        const double product =
            static_cast<double>(problem.a(e.i, p)) * static_cast<double>(problem.b(p, e.j));
        e.added += product, e.size += std::abs(product);
      }
      (close<T>(e.is, e.before + e.added, e.size) ? right : wrong).push_back(e);
    }
  if (wrong.empty()) return {};
  const Element& first = wrong[0];
  const double should = first.before + first.added;
  int digits = 4;  // as many as tell them apart
  while (digits < 17 && fmt::format("{:.{}g}", first.is, digits) == fmt::format("{:.{}g}", should, digits))
    ++digits;
  Diagnosis found;
  found.element = fmt::format("C({}, {}) is {:.{}g}, should be {:.{}g}.", first.i, first.j, first.is, digits,
                              should, digits);
  found.unwritten = !all(wrong, [](const Element& e) { return std::abs(e.is) < 1e30; });
  found.fault = fault(problem, wrong, found.unwritten);
  const bool asks = found.fault.empty() || found.fault == untouched;
  found.where = where(wrong, right, problem.shape, asks, owner);
  return found;
}

#define COURSE_DIAGNOSE(T) \
  template Diagnosis diagnose(const Problem<T>&, View<const Result<T>>, const Owner&);
COURSE_DIAGNOSE(float)
COURSE_DIAGNOSE(double)
COURSE_DIAGNOSE(std::int32_t)
COURSE_DIAGNOSE(bf16)
COURSE_DIAGNOSE(tf32)

}  // namespace course
