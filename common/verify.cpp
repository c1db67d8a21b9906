#include "common/verify.hpp"

#if __FINITE_MATH_ONLY__  // of -ffast-math, which may stand in CXXFLAGS
#error "With fast-math the comparisons below would let NaN pass."
#endif

// The reference shares its rows out itself; Eigen would start a team for each share.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <future>
#include <numeric>
#include <set>
#include <thread>

namespace course {
namespace {

template <class T>
using Wider = std::conditional_t<std::is_same_v<Result<T>, float>, double,
                                 std::conditional_t<std::is_same_v<T, double>, long double, std::int64_t>>;
template <class W>
using Dense = Eigen::Matrix<W, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Indices = std::vector<Index>;
using Residues = std::vector<std::uint64_t>;  // integers modulo 2^64

constexpr Index panel = 256;  // columns of A and rows of B that are held at a time
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr const char* other_size = "the result is not m x n";

/// Raises a maximum and returns whether it did. NaN counts as the largest, which std::max would lose.
bool raise_maximum(double& most, double value) {
  if (std::isnan(most) || value <= most) return false;
  return most = value, true;
}

/// An Index as the size type of std::vector.
std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

Indices all_of(Index count) {
  Indices indices(at(count));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

/// Calls work(from, count) for each share of the rows in a thread of its own, as far as threads can be had
/// (libc++'s std::async waits for one forever). 2^18 steps are worth a thread.
void in_threads(Index rows, Index steps, const std::function<void(Index from, Index count)>& work) {
  const Index parts = std::clamp<Index>(steps >> 18, 1, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::packaged_task<void()>> shares;
  std::vector<std::thread> threads;
  for (Index from = 0, part = 1, to; part <= parts; from = to, ++part)
    to = rows * part / parts, shares.emplace_back([=, &work] { work(from, to - from); });
  for (auto& share : shares) try {
      threads.emplace_back(std::ref(share));
    } catch (const std::exception&) {  // no more
      share();
    }
  for (auto& thread : threads) thread.join();
  for (auto& share : shares) share.get_future().get();
}

/// Up to 8 of 0 … count - 1, the first and the last among them.
Indices sample(Index count, std::uint64_t seed, char what) {
  if (count == 0) return {};
  std::set<Index> drawn = {0, count - 1};
  for (Index d = 0; d < 6; ++d)
    drawn.insert(static_cast<Index>(element_hash(seed, what, d, 0) % static_cast<std::uint64_t>(count)));
  return {drawn.begin(), drawn.end()};
}

/// The findings on C so far: errors and sizes by row, and the element whose error is largest for its bound.
struct Found {
  explicit Found(Index m) : error_of_row(at(m)), norm_of_row(at(m)) {}
  std::vector<double> error_of_row, norm_of_row;
  Index differences = 0;
  double share = 0;  // error / allowed of the worst
  struct {
    Index i = 0, j = 0;
    double error = 0, value = 0;
  } worst;
};

/// The worst element's error over γₖ₊₁ (|aᵢ||bⱼ| + |C₀|): k products and k additions round.
template <class T>
double worst_case_share(const Problem<T>& problem, const Found& found) {
  const auto size = [](Result<T> value) { return std::abs(static_cast<double>(value)); };
  const auto& [i, j, error, value] = found.worst;
  double sum = size(problem.c(i, j));
  for (Index p = 0; p < problem.shape.k; ++p) sum += size(problem.a(i, p)) * size(problem.b(p, j));
  const double ku = static_cast<double>(problem.shape.k + 1) * std::numeric_limits<Result<T>>::epsilon() / 2;
  return error / (ku / (1 - ku) * sum);
}

}  // namespace

/// The right C at some rows and columns, and the norms that bound its rounding error.
template <class T>
struct Verifier<T>::Reference {
  using W = Wider<T>;

  Reference(const Problem<T>& problem, Indices rows_, Indices cols_)
      : rows(std::move(rows_)), cols(std::move(cols_)) {
    const Index m = std::ssize(rows), n = std::ssize(cols), k = problem.shape.k;
    a_norms = Dense<W>::Zero(m, 1), b_norms = Dense<W>::Zero(1, n);
    c = Dense<W>::NullaryExpr(m, n, [&](Index r, Index s) { return problem.c(rows[at(r)], cols[at(s)]); });
    if (!std::is_same_v<T, Result<T>>) truncated = std::sqrt(static_cast<double>(k)) / 4;
    for (Index p = 0; p < k && m * n > 0; p += panel) {
      const Index depth = std::min(panel, k - p);
      const Eigen::Matrix<W, Eigen::Dynamic, Eigen::Dynamic> b =
          Dense<W>::NullaryExpr(depth, n, [&](Index q, Index s) { return problem.b(p + q, cols[at(s)]); });
      b_norms += b.colwise().squaredNorm();
      in_threads(m, m * n * depth, [&](Index from, Index count) {  // c += a·b
        const Dense<W> a = Dense<W>::NullaryExpr(
            count, depth, [&](Index r, Index q) { return problem.a(rows[at(from + r)], p + q); });
        a_norms.middleRows(from, count) += a.rowwise().squaredNorm();
        if constexpr (std::is_same_v<W, double>)
          c.middleRows(from, count).noalias() += a * b;
        else  // without vectors Eigen's blocks gain nothing, and take long to compile
          c.middleRows(from, count).noalias() += a.lazyProduct(b);
      });
    }
  }

  /// The allowed error of element (r, s), which held `before`.
  double allowed(Index r, Index s, double before) const {
    constexpr double u = std::numeric_limits<Result<T>>::epsilon() / 2.0;
    const double norms = std::sqrt(static_cast<double>(a_norms(r, 0)) * static_cast<double>(b_norms(0, s)));
    return (8 + truncated) * u * norms + 2 * u * (std::abs(static_cast<double>(c(r, s))) + std::abs(before));
  }

  /// Adds the findings on these elements of C.
  void compare(const Problem<T>& problem, View<const Result<T>> computed, Found& found) const {
    const bool exact = problem.exact();
    for (Index r = 0; r < c.rows(); ++r)
      for (Index s = 0; s < c.cols(); ++s) {
        const Index i = rows[at(r)], j = cols[at(s)];
        const auto want = c(r, s);
        const Result<T> have = computed(i, j);
        const double error = std::abs(static_cast<double>(have - want));
        const double bound = exact ? 0 : allowed(r, s, static_cast<double>(problem.c(i, j)));
        found.error_of_row[at(i)] += error;
        found.norm_of_row[at(i)] += std::abs(static_cast<double>(want));
        if (!(error <= bound)) ++found.differences;  // written so that NaN counts
        if (raise_maximum(found.share, error == 0 ? 0 : error / bound))
          found.worst = {i, j, error, static_cast<double>(have)};
      }
  }

  Indices rows, cols;
  Dense<W> c;
  Dense<W> a_norms, b_norms;  // ||aᵢ||₂² of these rows of A, ||bⱼ||₂² of these columns of B
  double truncated = 0;       // √k / 4 for BF16 and TF32
};

template <class T>
Check Verifier<T>::check(View<const Result<T>> c) {
  const auto [m, n, k] = problem_.shape;
  if (c.rows() != m || c.cols() != n) return {.error_share = infinity, .message = other_size};
  const auto refer_to = [this](Indices rows, Indices cols) {
    references_.push_back(std::make_shared<const Reference>(problem_, std::move(rows), std::move(cols)));
  };
  if (references_.empty() && whole_) refer_to(all_of(m), all_of(n));
  if (references_.empty()) {  // some rows, and some columns of the others
    const Indices rows = sample(m, problem_.seed, 'r');
    Indices others = all_of(m);
    std::erase_if(others, [&](Index i) { return std::binary_search(rows.begin(), rows.end(), i); });
    refer_to(rows, all_of(n)), refer_to(others, sample(n, problem_.seed, 'c'));
  }
  Found found(m);
  for (const auto& right : references_) right->compare(problem_, c, found);
  double widest = 0, norm = 0;
  for (const double error : found.error_of_row) raise_maximum(widest, error);
  for (const double size : found.norm_of_row) raise_maximum(norm, size);
  Check check{.right = found.differences == 0,
              .error_share = found.share,
              .relative_error = widest == 0 ? 0 : widest / norm,
              .differences = found.differences,
              .worst_case_share = problem_.exact() ? 0 : worst_case_share(problem_, found)};
  if (!check.right)
    check.message = std::to_string(found.differences) + " elements differ, the worst is C(" +
                    std::to_string(found.worst.i) + ", " + std::to_string(found.worst.j) +
                    ") = " + std::to_string(found.worst.value);
  return check;
}

template <class T>
Check freivalds(const Problem<T>& problem, View<const Result<T>> c) {
  const Index m = problem.shape.m, n = problem.shape.n, k = problem.shape.k;
  Check wrong{.error_share = infinity, .relative_error = infinity, .message = other_size};
  if (c.rows() != m || c.cols() != n) return wrong;
  for (Index i = 0; i < m; ++i)  // 2^53 holds every exact product of the course; NaN and fractions fail here
    for (Index j = 0; j < n; ++j)
      wrong.differences += !(std::abs(static_cast<double>(c(i, j))) <= 0x1p53 &&
                             static_cast<Result<T>>(static_cast<std::int64_t>(c(i, j))) == c(i, j));
  wrong.message = "Freivalds: C holds a fraction, NaN or a number beyond 2^53 where integers are due";
  if (wrong.differences > 0) return wrong;
  const auto dot = [](auto element, const Residues& factors) {
    std::uint64_t sum = 0;
    for (Index j = 0; j < std::ssize(factors); ++j)
      sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(Result<T>(element(j)))) * factors[at(j)];
    return sum;
  };
  Index first = 0;
  for (Index v = 0; v < 4 && wrong.differences == 0; ++v) {
    Residues x(at(n)), bx(at(k)), differs(at(m));
    for (Index j = 0; j < n; ++j) x[at(j)] = element_hash(problem.seed, 'x', v, j) | 1u;
    in_threads(k, k * n, [&](Index from, Index size) {
      for (Index p = from; p < from + size; ++p) bx[at(p)] = dot([&](Index j) { return problem.b(p, j); }, x);
    });
    in_threads(m, m * (n + k), [&](Index from, Index size) {  // (C − C₀) x and A (B x)
      for (Index i = from; i < from + size; ++i)
        differs[at(i)] = dot([&](Index j) { return c(i, j); }, x) -
                         dot([&](Index j) { return problem.c(i, j); }, x) -
                         dot([&](Index p) { return problem.a(i, p); }, bx);
    });
    for (Index i = m - 1; i >= 0; --i)
      if (differs[at(i)] != 0) first = i, ++wrong.differences;
  }
  if (wrong.differences == 0) return {.right = true};
  wrong.message = "Freivalds: C and A·B differ in " + std::to_string(wrong.differences) +
                  " rows, the first is " + std::to_string(first);
  return wrong;
}

#define COURSE_VERIFY(T)      \
  template class Verifier<T>; \
  template Check freivalds(const Problem<T>&, View<const Result<T>>);
COURSE_VERIFY(float)
COURSE_VERIFY(double)
COURSE_VERIFY(std::int32_t)
COURSE_VERIFY(bf16)
COURSE_VERIFY(tf32)

}  // namespace course
