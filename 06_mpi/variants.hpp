// The step's variants behind the interface that all variants have: phases between barriers, words counted.
#pragma once

#include <memory>
#include <optional>

#include "05_avx2/library/best.hpp"
#include "block_cyclic.hpp"
#include "common/stopwatch.hpp"
#include "common/variant.hpp"
#include "profiling/received.hpp"
#include "rows.hpp"
#include "summa_ring.hpp"

namespace mpi {

using course::Matrix, course::Piece, course::Problem, course::Settings, course::Shape, course::Sides,
    course::Times;

/// The squarest grid, no higher than wide.
inline Sides squarest(int ranks) {
  int p = 1;
  for (int rows = 1; rows * rows <= ranks; ++rows)
    if (ranks % rows == 0) p = rows;
  return {p, ranks / p};
}

/// Bytes of a matrix.
/// What the variants have in common. A phase begins when all ranks are ready for it and ends when this one's
/// part is done; messages begin with the first distribution.
template <class T>
class MpiVariant : public course::Variant<T> {
 public:
  using course::Variant<T>::Variant;

  std::string skip_reason(const Problem<T>&, const Settings&, const course::World& world) const override {
    const bool harmless = this->traits.broken && world.size() < 2;  // nothing to get wrong
    return harmless ? "needs 2 ranks" : "";
  }

 protected:
  /// Allocates nothing and sends nothing.
  void begin(const Problem<T>& problem, const Settings& settings) {
    problem_ = &problem, threads_ = settings.threads;
  }
  template <class Work>
  Times phase(Times::Field Times::*which, Work work) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double before = bytes_received();
    const course::Stopwatch watch;
    work();
    Times times{.words_received = (bytes_received() - before) / sizeof(T)};
    times.*which = watch.seconds();
    return times;
  }
  static int rank() { return rank_in(MPI_COMM_WORLD); }
  static int ranks() { return size_of(MPI_COMM_WORLD); }

  const Problem<T>* problem_ = nullptr;
  int threads_ = 1;
};

/// Rank 0 has the matrices, each rank multiplies rows of C. `scatter` and `gather` are what it is about.
template <class T>
class RowsVariant : public MpiVariant<T> {
 public:
  using Move = void (*)(const Shared<T>& shared, MPI_Comm ranks);
  RowsVariant(course::Traits traits, Move scatter, Move gather)
      : MpiVariant<T>(std::move(traits)), scatter_(scatter), gather_(gather) {}

  Times allocate(const Problem<T>& problem, const Settings& settings, const course::World&) override {
    this->begin(problem, settings);
    const auto [m, n, k] = problem.shape;
    const Index mine = mine_of(m).count, pad = problem.pad;
    if (this->rank() == 0) {
      const auto& [a, b, c] = problem.whole();
      c_ = Matrix<T>(m, n, pad, settings.threads);
      // MPI takes the root's data of a broadcast, too, as if it were to be written: it is not.
      const View<const T> all_b = b.view(), rows = a.view().block(0, 0, mine, k);
      shared_ = {a.view(),
                 c.view(),
                 c_.view(),
                 mutable_view(rows),
                 mutable_view(all_b),
                 c_.view().block(0, 0, mine, n)};
    } else {
      a_ = Matrix<T>(mine, k, pad, settings.threads), b_ = Matrix<T>(k, n, pad, settings.threads);
      c_ = Matrix<T>(mine, n, pad, settings.threads);
      shared_ = {{}, {}, {}, a_.view(), b_.view(), c_.view()};
    }
    return {};
  }
  Times distribute() override {
    return this->phase(&Times::distribute, [this] { scatter_(shared_, MPI_COMM_WORLD); });
  }
  /// Others have just been sent their rows of C; rank 0 puts its own back, and waits for the rest on poison.
  void reset() override {
    if (this->rank() > 0) return;
    const Index mine = shared_.c.rows(), n = shared_.c.cols();
    course::poison_all(shared_.result);
    course::copy(shared_.all_c.block(0, 0, mine, n), shared_.c);
  }
  Times run() override {
    return this->phase(&Times::product,
                       [this] { avx2::best<T>(shared_.a, shared_.b, shared_.c, this->threads_); });
  }
  Times fetch(Piece<T>& piece) override {
    const Times times = this->phase(&Times::collect, [this] { gather_(shared_, MPI_COMM_WORLD); });
    const auto [m, n, k] = this->problem_->shape;
    piece = {};
    if (this->rank() == 0) piece = {course::all_of(m), course::all_of(n), std::as_const(c_).view()};
    return times;
  }
  bool guards_intact() const override {
    return a_.guards_intact() && b_.guards_intact() && c_.guards_intact();
  }
  void release() override { a_ = {}, b_ = {}, c_ = {}, shared_ = {}; }

 private:
  static Part mine_of(Index m) { return part(m, MpiVariant<T>::ranks(), MpiVariant<T>::rank()); }
  static View<T> mutable_view(View<const T> view) {
    return {const_cast<T*>(view.data()), view.rows(), view.cols(), view.ld()};
  }

  Move scatter_, gather_;
  Matrix<T> a_, b_, c_;  // at rank 0 c_ is all of C, elsewhere this rank's rows
  Shared<T> shared_;
};

/// What the variants on a grid have in common.
template <class T>
class GridVariant : public MpiVariant<T> {
 public:
  explicit GridVariant(course::Traits traits) : MpiVariant<T>(std::move(traits)) {
    this->traits.grids = this->traits.blocks = true;
  }

 protected:
  /// Where a rank is, and what it has, on the grid of these settings; Grid says the same later on.
  struct Place {
    Index p, q, row, col;
    Cyclic rows, cols;      // of C
    Cyclic k_of_a, k_of_b;  // if k is dealt out, too
    Index m() const { return rows.count(row); }
    Index n() const { return cols.count(col); }
  };
  void begin(const Problem<T>& problem, const Settings& settings) {
    MpiVariant<T>::begin(problem, settings);
    const auto [m, n, k] = problem.shape;
    const auto [p, q] = settings.grid;
    const auto [mb, nb] = settings.block;
    const Index rank = MpiVariant<T>::rank();
    place_ = {p, q, rank / q, rank % q, {m, mb, p}, {n, nb, q}, {k, nb, q}, {k, nb, p}};
  }
  /// Makes the grid; collective, so not before a row's first distribution.
  void make_grid() {
    if (!grid_) grid_.emplace(static_cast<int>(place_.p), static_cast<int>(place_.q));
  }
  /// This rank's part of a matrix whose rows and columns are dealt out so, from `element`, its recipe.
  template <class Element>
  void fill(View<T> part, const Cyclic& rows, const Cyclic& cols, Element element) const {
    course::share_rows(part.rows(), this->threads_, [&](Index i) {
      for (Index j = 0; j < part.cols(); ++j)
        part(i, j) = element(rows.global(place_.row, i), cols.global(place_.col, j));
    });
  }
  /// This rank's part of C as it was before the product.
  void put_back(View<T> c) const {
    fill(c, place_.rows, place_.cols, [this](Index i, Index j) { return this->problem_->c(i, j); });
  }
  /// Which rows and columns of C this rank has.
  Piece<T> piece_of(View<const T> c) const {
    Piece<T> piece{{}, {}, c};
    for (Index i = 0; i < place_.m(); ++i) piece.rows.push_back(place_.rows.global(place_.row, i));
    for (Index j = 0; j < place_.n(); ++j) piece.cols.push_back(place_.cols.global(place_.col, j));
    return piece;
  }

  Place place_{};
  std::optional<Grid> grid_;
};

/// From whole matrices at rank 0 to blocks on the grid, and back.
template <class T>
class BlockCyclic : public GridVariant<T> {
 public:
  using GridVariant<T>::GridVariant;

  Times allocate(const Problem<T>& problem, const Settings& settings, const course::World&) override {
    this->begin(problem, settings);
    const auto& at = this->place_;
    const auto [m, n, k] = problem.shape;
    const Index pad = problem.pad;
    const int threads = settings.threads;
    a_ = Matrix<T>(at.m(), k, pad, threads), b_ = Matrix<T>(k, at.n(), pad, threads);
    c_ = Matrix<T>(at.m(), at.n(), pad, threads);
    if (at.col == 0) c_rows_ = Matrix<T>(at.m(), n, pad, threads);
    dealt_ = {.rows = at.rows,
              .cols = at.cols,
              .c_rows = c_rows_.view(),
              .a = a_.view(),
              .b = b_.view(),
              .c = c_.view()};
    if (at.col == 0) types_.columns = column_types<T>(at.cols, n + pad);
    if (this->rank() > 0) return {};
    const auto& [a, b, c] = problem.whole();
    result_ = Matrix<T>(m, n, pad, threads);
    dealt_.all_a = a.view(), dealt_.all_b = b.view(), dealt_.all_c = c.view();
    dealt_.result = result_.view();
    types_.rows_of_a = row_types<T>(at.rows, a.view()), types_.rows_of_c = row_types<T>(at.rows, c.view());
    return {};
  }
  Times distribute() override {
    this->make_grid();
    return this->phase(&Times::distribute, [this] { deal(dealt_, types_, *this->grid_); });
  }
  /// C has just been dealt out; rank 0 waits for what comes back on poison.
  void reset() override { course::poison_all(result_.view()); }
  Times run() override {
    return this->phase(&Times::product,
                       [this] { avx2::best<T>(dealt_.a, dealt_.b, dealt_.c, this->threads_); });
  }
  Times fetch(Piece<T>& piece) override {
    const Times times = this->phase(&Times::collect, [this] { collect(dealt_, types_, *this->grid_); });
    const auto [m, n, k] = this->problem_->shape;
    piece = {};
    if (this->rank() == 0) piece = {course::all_of(m), course::all_of(n), std::as_const(result_).view()};
    return times;
  }
  bool guards_intact() const override {
    return a_.guards_intact() && b_.guards_intact() && c_.guards_intact() && c_rows_.guards_intact() &&
           result_.guards_intact();
  }
  void release() override {
    a_ = {}, b_ = {}, c_ = {}, c_rows_ = {}, result_ = {}, dealt_ = {}, types_ = {};
    this->grid_.reset();
  }

 private:
  Matrix<T> a_, b_, c_, c_rows_, result_;
  Dealt<T> dealt_;
  NineTypes types_;
};

/// A, B and C where they are multiplied, from the problem's recipe; nobody holds more of them than his share.
template <class T>
class Summa : public GridVariant<T> {
 public:
  using Kernel = void (*)(const Panels<T>& panels, const Grid& grid, Multiply<T> multiply, int threads);
  Summa(course::Traits traits, Kernel kernel) : GridVariant<T>(std::move(traits)), kernel_(kernel) {
    this->traits.dealt = true;
  }

  Times allocate(const Problem<T>& problem, const Settings& settings, const course::World&) override {
    this->begin(problem, settings);
    const auto& at = this->place_;
    const int threads = settings.threads;
    const Index depth = std::min(at.k_of_a.block, problem.shape.k);
    a_ = Matrix<T>(at.k_of_a.count(at.col), at.m(), 0, threads);
    b_ = Matrix<T>(at.k_of_b.count(at.row), at.n(), 0, threads);
    c_ = Matrix<T>(at.m(), at.n(), problem.pad, threads);
    panels_ = {at.k_of_a, at.k_of_b, c_.view(), a_.view().data(), b_.view().data(), {}, {}};
    for (const int turn : {0, 1}) {  // a grid of one row or column has nothing to receive there
      if (at.q > 1) room_a_[turn] = Matrix<T>(depth, at.m(), 0, threads);
      if (at.p > 1) room_b_[turn] = Matrix<T>(depth, at.n(), 0, threads);
      panels_.room_a[turn] = room_a_[turn].view().data(), panels_.room_b[turn] = room_b_[turn].view().data();
    }
    for (Index s = at.col; s < panels_.count(); s += at.q) {
      const View<T> a = panels_.panel_a(s, at.col);
      course::share_rows(a.rows(), threads, [&](Index i) {
        for (Index p = 0; p < a.cols(); ++p)
          a(i, p) = problem.a(at.rows.global(at.row, i), s * at.k_of_a.block + p);
      });
    }
    for (Index s = at.row; s < panels_.count(); s += at.p) {
      const View<T> b = panels_.panel_b(s, at.row);
      course::share_rows(b.rows(), threads, [&](Index p) {
        for (Index j = 0; j < b.cols(); ++j)
          b(p, j) = problem.b(s * at.k_of_b.block + p, at.cols.global(at.col, j));
      });
    }
    return {};
  }
  Times distribute() override { return this->make_grid(), Times{}; }
  void reset() override { this->put_back(c_.view()); }
  Times run() override {
    return this->phase(&Times::product,
                       [this] { kernel_(panels_, *this->grid_, avx2::best<T>, this->threads_); });
  }
  Times fetch(Piece<T>& piece) override { return piece = this->piece_of(std::as_const(c_).view()), Times{}; }
  bool guards_intact() const override {
    bool intact = a_.guards_intact() && b_.guards_intact() && c_.guards_intact();
    for (const int turn : {0, 1}) intact &= room_a_[turn].guards_intact() && room_b_[turn].guards_intact();
    return intact;
  }
  void release() override {
    a_ = {}, b_ = {}, c_ = {}, panels_ = {};
    for (const int turn : {0, 1}) room_a_[turn] = {}, room_b_[turn] = {};
    this->grid_.reset();
  }

 private:
  Kernel kernel_;
  Matrix<T> a_, b_, c_, room_a_[2], room_b_[2];
  Panels<T> panels_{};
};

}  // namespace mpi
