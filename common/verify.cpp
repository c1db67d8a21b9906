// Compiled plainly: with fast-math the comparisons below would let NaN pass.
#include "common/verify.hpp"

// The reference shares its rows out itself; Eigen would start a team for each share.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
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
using Residues = std::vector<std::uint64_t>;  // integers modulo 2^64

constexpr Index panel = 256;  // columns of A and rows of B that are held at a time

/// Raises a maximum and returns whether it did. NaN counts as the largest, which std::max would lose.
bool raise_maximum(double& most, double value) {
  if (std::isnan(most) || value <= most) return false;
  return most = value, true;
}

/// An Index as the size type of std::vector.
std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

/// Up to 8 of 0 … count - 1, the first and the last among them.
Indices sample(Index count, std::uint64_t seed, char what) {
  if (count == 0) return {};
  std::set<Index> drawn = {0, count - 1};
  for (Index d = 0; d < 6; ++d)
    drawn.insert(static_cast<Index>(element_hash(seed, what, d, 0) % static_cast<std::uint64_t>(count)));
  return {drawn.begin(), drawn.end()};
}

/// A random vector of Freivalds' check: odd numbers, a different one for each index.
Residues weights(Index count, std::uint64_t seed, char what, Index vector = 0) {
  Residues odd(at(count));
  for (const Index i : all_of(count)) odd[at(i)] = element_hash(seed, what, vector, i) | 1u;
  return odd;
}

std::uint64_t sum_at(const Residues& values, const Indices& indices) {
  std::uint64_t sum = 0;
  for (const Index i : indices) sum += values[at(i)];
  return sum;
}

/// An error message if the piece's indices are not of C or do not fit its matrix; else empty.
template <class T>
std::string shape_error(const Piece<T>& piece, const Shape& s) {
  const auto inside = [](const Indices& some, Index count) {
    return std::all_of(some.begin(), some.end(), [count](Index i) { return 0 <= i && i < count; });
  };
  const bool fits = inside(piece.rows, s.m) && inside(piece.cols, s.n) &&
                    piece.c.rows() == std::ssize(piece.rows) && piece.c.cols() == std::ssize(piece.cols);
  return fits ? "" : "a piece of C has rows or columns that C has not";
}

/// True if the pieces cover C, each element once: Σ over pieces (Σ uᵢ)(Σ xⱼ) = (Σ all u)(Σ all x) for random
/// u, x.
template <class T>
bool covered(const Problem<T>& problem, const Piece<T>& piece, const World& world) {
  const auto [m, n, k] = problem.shape;
  const Residues u = weights(m, problem.seed, 'u'), x = weights(n, problem.seed, 'x');
  std::uint64_t pieces = sum_at(u, piece.rows) * sum_at(x, piece.cols);
  world.sum({&pieces, 1});
  return pieces == sum_at(u, all_of(m)) * sum_at(x, all_of(n));
}

}  // namespace

/// The right C at some rows and columns of a piece, and the norms that bound its rounding error.
template <class T>
struct Verifier<T>::Reference {
  using W = Wider<T>;

  Indices rows, cols;  // their places in the piece
  Dense<W> c;
  Dense<W> a_norms, b_norms;  // ||aᵢ||₂² of these rows of A, ||bⱼ||₂² of these columns of B
  double truncated;           // √k / 4 for BF16 and TF32, else 0

  /// The allowed error of element (r, s), which held `before`.
  double allowed(Index r, Index s, double before) const {
    constexpr double u = std::numeric_limits<Result<T>>::epsilon() / 2.0;
    const double norms = std::sqrt(static_cast<double>(a_norms(r, 0)) * static_cast<double>(b_norms(0, s)));
    return (8 + truncated) * u * norms + 2 * u * (std::abs(static_cast<double>(c(r, s))) + std::abs(before));
  }
};

template <class T>
Verifier<T>::Verifier(Problem<T> problem, bool whole) : problem_(std::move(problem)), whole_(whole) {
  problem_.forget();  // it needs the recipe only
}

template <class T>
void Verifier<T>::add_reference(const Piece<T>& piece, Indices rows, Indices cols) {
  using W = typename Reference::W;
  const Index m = std::ssize(rows), n = std::ssize(cols), k = problem_.shape.k;
  // r: in the reference, rows[r]: in the piece, piece.rows[…]: in C.
  const auto i_of = [&](Index r) { return piece.rows[at(rows[at(r)])]; };
  const auto j_of = [&](Index s) { return piece.cols[at(cols[at(s)])]; };
  Dense<W> a_norms = Dense<W>::Zero(m, 1), b_norms = Dense<W>::Zero(1, n);
  Dense<W> c = Dense<W>::NullaryExpr(m, n, [&](Index r, Index s) { return problem_.c(i_of(r), j_of(s)); });
  const Index parts =  // of 2^18 multiply-adds of a panel: worth a thread
      std::clamp<Index>(m * n * std::min(k, panel) >> 18, 1,
                        std::max(1u, std::thread::hardware_concurrency()));
  for (Index p = 0; p < k && m * n > 0; p += panel) {
    const Index depth = std::min(panel, k - p);
    const Dense<W> b =
        Dense<W>::NullaryExpr(depth, n, [&](Index q, Index s) { return problem_.b(p + q, j_of(s)); });
    b_norms += b.colwise().squaredNorm();
    // c += a·b, rows shared out. No launch policy: where no thread can be had, get() computes the part.
    std::vector<std::future<void>> started;
    for (Index t = 0; t < parts; ++t)
      started.push_back(std::async([&, from = m * t / parts, end = m * (t + 1) / parts] {
        const Dense<W> a = Dense<W>::NullaryExpr(
            end - from, depth, [&](Index r, Index q) { return problem_.a(i_of(from + r), p + q); });
        a_norms.middleRows(from, end - from) += a.rowwise().squaredNorm();
        c.middleRows(from, end - from).noalias() += a * b;
      }));
    for (auto& part : started) part.get();
  }
  references_.push_back(std::make_shared<const Reference>(
      Reference{std::move(rows), std::move(cols), std::move(c), std::move(a_norms), std::move(b_norms),
                std::is_same_v<T, Result<T>> ? 0 : std::sqrt(static_cast<double>(k)) / 4}));
}

/// Makes the references for a new piece. Of a sample: some rows, and some columns of the other rows.
template <class T>
void Verifier<T>::refer_to(const Piece<T>& piece) {
  if (piece.rows == rows_ && piece.cols == cols_) return;
  references_.clear(), rows_ = piece.rows, cols_ = piece.cols;
  const Indices all_rows = all_of(std::ssize(rows_)), all_cols = all_of(std::ssize(cols_));
  if (whole_) return add_reference(piece, all_rows, all_cols);
  const auto places = [](const Indices& all, const Indices& drawn, bool among) {
    Indices found = all_of(std::ssize(all));
    std::erase_if(found, [&](Index place) {
      return std::binary_search(drawn.begin(), drawn.end(), all[at(place)]) != among;
    });
    return found;
  };
  const Indices rows = sample(problem_.shape.m, problem_.seed, 'r'),
                cols = sample(problem_.shape.n, problem_.seed, 'c');
  add_reference(piece, places(rows_, rows, true), all_cols);
  add_reference(piece, places(rows_, rows, false), places(cols_, cols, true));
}

template <class T>
Check Verifier<T>::check(const Piece<T>& given, const World& world) {
  std::string message = shape_error(given, problem_.shape);
  const Piece<T> none, &piece = message.empty() ? given : none;
  const bool exact = problem_.exact();
  refer_to(piece);
  std::vector<double> error_of_row(at(problem_.shape.m)), norm_of_row(error_of_row.size());
  double share_most = 0;
  struct {
    Index i, j;
    double error, value;
  } worst = {};
  std::uint64_t differences = 0;
  for (const auto& right : references_)
    for (Index r = 0; r < right->c.rows(); ++r)
      for (Index s = 0; s < right->c.cols(); ++s) {
        const Index i = rows_[at(right->rows[at(r)])], j = cols_[at(right->cols[at(s)])];
        const auto want = right->c(r, s);
        const Result<T> have = piece.c(right->rows[at(r)], right->cols[at(s)]);
        const double error = std::abs(static_cast<double>(have - want));
        const double allowed = exact ? 0 : right->allowed(r, s, static_cast<double>(problem_.c(i, j)));
        error_of_row[at(i)] += error, norm_of_row[at(i)] += std::abs(static_cast<double>(want));
        if (!(error <= allowed)) ++differences;  // written so that NaN counts
        const double share = error == 0 ? 0 : error / allowed;
        if (raise_maximum(share_most, share)) worst = {i, j, error, static_cast<double>(have)};
      }
  double worst_case_share = 0;
  if (!exact) {  // γₖ₊₁ (|aᵢ||bⱼ| + |C₀|): k products and k additions round
    const auto size = [](Result<T> value) { return std::abs(static_cast<double>(value)); };
    double sum = size(problem_.c(worst.i, worst.j));
    for (Index p = 0; p < problem_.shape.k; ++p)
      sum += size(problem_.a(worst.i, p)) * size(problem_.b(p, worst.j));
    const double ku =
        static_cast<double>(problem_.shape.k + 1) * std::numeric_limits<Result<T>>::epsilon() / 2;
    worst_case_share = worst.error / (ku / (1 - ku) * sum);
  }
  if (differences > 0)
    message = std::to_string(differences) + " elements differ, the worst is C(" + std::to_string(worst.i) +
              ", " + std::to_string(worst.j) + ") = " + std::to_string(worst.value);

  // Reductions over the ranks.
  const bool whole_c = covered(problem_, piece, world);
  double shares[] = {whole_c ? share_most : std::numeric_limits<double>::infinity(), worst_case_share};
  world.sum({&differences, 1}), world.max(shares);
  world.sum(error_of_row), world.sum(norm_of_row);
  message = world.first(message);
  if (!whole_c && message.empty()) message = "not every element of C came back exactly once";
  double widest = 0, norm = 0;
  for (const double error : error_of_row) raise_maximum(widest, error);
  for (const double size : norm_of_row) raise_maximum(norm, size);
  return {.right = message.empty(),
          .error_share = shares[0],
          .relative_error = widest == 0 ? 0 : widest / norm,
          .differences = static_cast<Index>(differences),
          .worst_case_share = shares[1],
          .message = message};
}

template <class T>
Check freivalds(const Problem<T>& problem, const Piece<T>& given, const World& world) {
  constexpr Index vectors = 4;
  const Index m = problem.shape.m, n = problem.shape.n, k = problem.shape.k;
  std::string message = shape_error(given, problem.shape);
  const Piece<T> none, &piece = message.empty() ? given : none;
  bool integers = true;
  const auto integer = [&](Result<T> value) {
    // 2^53 holds every exact product of the course; NaN and fractions fail here.
    if (std::abs(static_cast<double>(value)) <= 0x1p53 &&
        static_cast<Result<T>>(static_cast<std::int64_t>(value)) == value)
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    integers = false;
    return std::uint64_t{0};
  };
  const auto row_of_change = [&](Index i, const Residues& x) {  // ((C - C₀) x)ᵢ, i a row of the piece
    std::uint64_t sum = 0;
    for (Index j = 0; const Index col : piece.cols)
      sum += (integer(piece.c(i, j++)) - integer(problem.c(piece.rows[at(i)], col))) * x[at(col)];
    return sum;
  };
  const auto row_of_b = [&](Index p, const Residues& x) {  // (B x)ₚ
    std::uint64_t sum = 0;
    for (Index j = 0; j < n; ++j) sum += integer(problem.b(p, j)) * x[at(j)];
    return sum;
  };
  const Index from = k * world.rank() / world.size(), end = k * (world.rank() + 1) / world.size();
  Residues difference(vectors);  // left side less right side, of this rank
  for (Index v = 0; v < vectors; ++v) {
    const Residues u = weights(m, problem.seed, 'u', v), x = weights(n, problem.seed, 'x', v);
    for (Index i = 0; i < piece.c.rows(); ++i)
      difference[at(v)] += u[at(piece.rows[at(i)])] * row_of_change(i, x);
    Residues ua(at(k));
    for (Index i = 0; i < m; ++i)
      for (Index p = from; p < end; ++p) ua[at(p)] += u[at(i)] * integer(problem.a(i, p));
    for (Index p = from; p < end; ++p) difference[at(v)] -= ua[at(p)] * row_of_b(p, x);
  }
  if (!integers)
    message = "Freivalds: C holds a fraction, NaN or a number beyond 2^53 where integers are due";
  world.sum(difference);
  message = world.first(message);
  if (message.empty() && difference == Residues(vectors)) return {.right = true};
  Index wrong = 0;
  if (message.empty()) message = "Freivalds: the sums over C and over A·B differ";
  if (integers && world.size() == 1) {  // alone, row by row: which are wrong?
    const Residues x = weights(n, problem.seed, 'x');
    Residues bx;
    for (Index p = 0; p < k; ++p) bx.push_back(row_of_b(p, x));
    for (Index i = 0; i < piece.c.rows(); ++i) {
      std::uint64_t row = row_of_change(i, x);
      for (Index p = 0; p < k; ++p) row -= integer(problem.a(piece.rows[at(i)], p)) * bx[at(p)];
      if (row != 0 && ++wrong == 1)
        message += "; the first wrong row is " + std::to_string(piece.rows[at(i)]);
    }
  }
  return {.right = false,
          .error_share = std::numeric_limits<double>::infinity(),
          .differences = std::max<Index>(1, wrong),
          .message = message};
}

#define COURSE_VERIFY(T)      \
  template class Verifier<T>; \
  template Check freivalds(const Problem<T>&, const Piece<T>&, const World&);
COURSE_VERIFY(float)
COURSE_VERIFY(double)
COURSE_VERIFY(std::int32_t)
COURSE_VERIFY(bf16)
COURSE_VERIFY(tf32)

}  // namespace course
