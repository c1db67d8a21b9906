// Compiled plainly: with fast-math the comparisons below would let NaN pass.
#include "common/verify.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <future>
#include <numeric>
#include <set>
#include <thread>

#include "common/fill.hpp"

namespace course {
namespace {

// clang-format off
template <class T> struct Wider;
template <> struct Wider<float> { using type = double; };
template <> struct Wider<double> { using type = long double; };
template <> struct Wider<std::int32_t> { using type = std::int64_t; };
// clang-format on

template <class W>
using Dense = Eigen::Matrix<W, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
auto mapped(View<const T> view) {
  return Eigen::Map<const Dense<T>, 0, Eigen::OuterStride<>>(view.data(), view.rows(), view.cols(),
                                                             Eigen::OuterStride<>(view.ld()));
}

/// c += a·b on all cores (long double runs at 0.8 GFLOP/s on one). What a worker throws is thrown here.
template <class W>
void multiply(const Dense<W>& a, const Dense<W>& b, Dense<W>& c) {
  const Index threads =
      std::clamp<Index>(std::thread::hardware_concurrency(), 1, std::max<Index>(1, c.rows()));
  std::vector<std::future<void>> parts;
  for (Index t = 0; t < threads; ++t) {
    const Index from = c.rows() * t / threads, count = c.rows() * (t + 1) / threads - from;
    // No policy: where no thread can be had, the part is computed by get().
    parts.push_back(std::async(
        [&a, &b, &c, from, count] { c.middleRows(from, count).noalias() += a.middleRows(from, count) * b; }));
  }
  for (auto& part : parts) part.wait();
  for (auto& part : parts) part.get();
}

/// A maximum that NaN wins: std::max would lose it.
void raise(double& most, double value) {
  if (std::isnan(most)) return;
  if (!(value <= most)) most = value;
}

}  // namespace

template <class T>
struct Reference<T>::Data {
  using W = typename Wider<T>::type;

  Problem<T> problem;
  bool exact;
  std::vector<Index> rows, cols;
  Dense<W> of_rows, of_cols;             // the reference: picked rows × n, m × picked columns
  std::vector<double> a_norms, b_norms;  // ||a_i||₂ of all rows of A, ||b_j||₂ of all columns of B

  /// The allowed error of element (i, j) with the right value `want`.
  double allowed(Index i, Index j, W want) const {
    if (exact) return 0;
    constexpr double u = std::numeric_limits<T>::epsilon() / 2.0;
    return 8 * u * a_norms[static_cast<std::size_t>(i)] * b_norms[static_cast<std::size_t>(j)] +
           2 * u * (std::abs(static_cast<double>(want)) + std::abs(static_cast<double>(problem.c(i, j))));
  }

  /// γ_k·(|a_i||b_j| + |c|) at one element: no right order of summation exceeds it.
  double worst_case(Index i, Index j) const {
    double sum = std::abs(static_cast<double>(problem.c(i, j)));
    for (Index p = 0; p < problem.shape.k; ++p)
      sum += std::abs(static_cast<double>(problem.a(i, p)) * static_cast<double>(problem.b(p, j)));
    const double ku = static_cast<double>(problem.shape.k + 1) * std::numeric_limits<T>::epsilon() / 2;
    return ku / (1 - ku) * sum;
  }
};

template <class T>
Reference<T>::Reference(const Problem<T>& problem, bool exact, std::vector<Index> rows,
                        std::vector<Index> cols)
    : data_(std::make_shared<Data>()) {
  using W = typename Data::W;
  Data& d = *data_;
  d.problem = problem, d.exact = exact || std::is_integral_v<T>;
  d.rows = std::move(rows), d.cols = std::move(cols);
  const auto a = mapped(problem.a), b = mapped(problem.b), c = mapped(problem.c);
  if (!d.rows.empty()) {
    const Dense<W> some_a = a(d.rows, Eigen::all).template cast<W>(), wide_b = b.template cast<W>();
    d.of_rows = c(d.rows, Eigen::all).template cast<W>();
    multiply<W>(some_a, wide_b, d.of_rows);
  }
  if (!d.cols.empty()) {
    const Dense<W> wide_a = a.template cast<W>(), some_b = b(Eigen::all, d.cols).template cast<W>();
    d.of_cols = c(Eigen::all, d.cols).template cast<W>();
    multiply<W>(wide_a, some_b, d.of_cols);
  }
  for (Index i = 0; i < a.rows(); ++i) d.a_norms.push_back(a.row(i).template cast<double>().norm());
  for (Index j = 0; j < b.cols(); ++j) d.b_norms.push_back(b.col(j).template cast<double>().norm());
}

template <class T>
Reference<T> Reference<T>::whole(const Problem<T>& problem, bool exact) {
  std::vector<Index> rows(static_cast<std::size_t>(problem.shape.m));
  std::iota(rows.begin(), rows.end(), 0);
  return Reference(problem, exact, std::move(rows), {});
}

template <class T>
Reference<T> Reference<T>::sampled(const Problem<T>& problem, bool exact, std::uint64_t seed) {
  const auto draw = [seed](Index count, char what) {
    std::set<Index> drawn;
    if (count > 0) drawn = {0, count - 1};
    for (Index d = 0; d < 6 && count > 0; ++d)
      drawn.insert(static_cast<Index>(element_hash(seed, what, d, 0) % static_cast<std::uint64_t>(count)));
    return std::vector<Index>(drawn.begin(), drawn.end());
  };
  return Reference(problem, exact, draw(problem.shape.m, 'r'), draw(problem.shape.n, 'c'));
}

template <class T>
Check Reference<T>::compare(View<const T> c) const {
  using W = typename Data::W;
  const Data& d = *data_;
  Check check;
  Index worst_i = -1, worst_j = -1;
  double widest = 0, norm = 0, worst_error = 0;
  const auto inspect = [&](Index i, Index j, W want, double& row_error, double& row_norm) {
    const W error = c(i, j) >= want ? c(i, j) - want : want - c(i, j);
    const double allowed = d.allowed(i, j, want), size = static_cast<double>(error);
    row_error += size, row_norm += std::abs(static_cast<double>(want));
    if (!(size <= allowed)) ++check.differences;  // written so that NaN counts
    const double share = size == 0 ? 0 : size / allowed;
    if (worst_i < 0 || (!std::isnan(check.error_share) && !(share <= check.error_share)))
      worst_i = i, worst_j = j, worst_error = size;
    raise(check.error_share, share);
  };
  for (std::size_t r = 0; r < d.rows.size(); ++r) {
    double row_error = 0, row_norm = 0;
    for (Index j = 0; j < d.of_rows.cols(); ++j)
      inspect(d.rows[r], j, d.of_rows(static_cast<Index>(r), j), row_error, row_norm);
    raise(widest, row_error), raise(norm, row_norm);
  }
  for (Index i = 0; i < d.of_cols.rows(); ++i) {
    double row_error = 0, row_norm = 0;
    if (std::binary_search(d.rows.begin(), d.rows.end(), i)) continue;  // seen above
    for (std::size_t s = 0; s < d.cols.size(); ++s)
      inspect(i, d.cols[s], d.of_cols(i, static_cast<Index>(s)), row_error, row_norm);
    raise(widest, row_error), raise(norm, row_norm);
  }
  check.relative_error = widest == 0 ? 0 : widest / norm;
  check.right = check.differences == 0;
  if (worst_i >= 0 && worst_error != 0 && !d.exact)
    check.worst_case_share = worst_error / d.worst_case(worst_i, worst_j);
  if (!check.right) {
    char text[200];
    std::snprintf(text, sizeof text, "%lld elements differ, the worst is C(%lld, %lld) = %.9g",
                  static_cast<long long>(check.differences), static_cast<long long>(worst_i),
                  static_cast<long long>(worst_j), static_cast<double>(c(worst_i, worst_j)));
    check.trouble = text;
  }
  return check;
}

template <class T>
double Reference<T>::bytes(const Shape& s, bool whole) {
  const auto m = static_cast<double>(s.m), n = static_cast<double>(s.n), k = static_cast<double>(s.k);
  const double elements = whole ? m * k + k * n + m * n : std::max(m * k, k * n) + 8 * (m + n + 2 * k);
  return sizeof(typename Data::W) * elements + 8 * (2 * m + n);
}

template <class T>
Check freivalds(const Problem<T>& problem, View<const T> c, std::uint64_t seed, int vectors) {
  using Vector = std::vector<std::uint64_t>;
  Check check;
  bool whole_numbers = true;
  const auto integer = [&](T value) {
    // 2^53 holds every exact product of the course; NaN and fractions fail here.
    if (!(std::abs(static_cast<double>(value)) <= 0x1p53) ||
        static_cast<T>(static_cast<std::int64_t>(value)) != value) {
      whole_numbers = false;
      return std::uint64_t{0};
    }
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  };
  const auto times = [&](View<const T> matrix, const Vector& x) {
    Vector y(static_cast<std::size_t>(matrix.rows()), 0);
    for (Index i = 0; i < matrix.rows(); ++i)
      for (Index j = 0; j < matrix.cols(); ++j)
        y[static_cast<std::size_t>(i)] += integer(matrix(i, j)) * x[static_cast<std::size_t>(j)];
    return y;
  };
  std::set<std::size_t> wrong_rows;
  for (int v = 0; v < vectors; ++v) {
    Vector x(static_cast<std::size_t>(problem.shape.n));
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = element_hash(seed, 'x', v, static_cast<Index>(j)) | 1u;
    const Vector before = times(problem.c, x), product = times(problem.a, times(problem.b, x)),
                 after = times(c, x);
    for (std::size_t i = 0; i < after.size(); ++i)
      if (after[i] != before[i] + product[i]) wrong_rows.insert(i);
  }
  check.differences = static_cast<Index>(wrong_rows.size());
  check.right = whole_numbers && wrong_rows.empty();
  check.error_share = check.right ? 0 : std::numeric_limits<double>::infinity();
  if (!whole_numbers)
    check.trouble = "Freivalds: C holds a fraction, NaN or a number beyond 2^53 where integers are due";
  else if (!check.right)
    check.trouble = "Freivalds: " + std::to_string(wrong_rows.size()) + " rows are wrong, the first is " +
                    std::to_string(*wrong_rows.begin());
  return check;
}

#define COURSE_VERIFY(T)       \
  template class Reference<T>; \
  template Check freivalds<T>(const Problem<T>&, View<const T>, std::uint64_t, int);
COURSE_VERIFY(float)
COURSE_VERIFY(double)
COURSE_VERIFY(std::int32_t)

}  // namespace course
