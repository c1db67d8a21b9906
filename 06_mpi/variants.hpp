// The step's schemes as variants: phases between barriers, words counted.
#pragma once

#include <list>
#include <memory>

#include "05_avx2/library.hpp"
#include "block_cyclic.hpp"
#include "common/stopwatch.hpp"
#include "rows.hpp"
#include "runner/variant.hpp"
#include "summa_ring.hpp"

namespace mpi {

using course::Matrix, course::Problem, course::Settings, course::Shape, course::Dim2, course::Times;

/// The squarest grid, no higher than wide.
inline Dim2 squarest(int ranks) {
  int p = 1;
  for (int rows = 1; rows * rows <= ranks; ++rows)
    if (ranks % rows == 0) p = rows;
  return {p, ranks / p};
}

/// A rank's part of a product, and its phases. Constructor and destructor send nothing: one rank may throw.
template <class T>
class Scheme {
 public:
  Scheme(const Problem<T>& problem, const Settings& settings) : problem_(problem), settings_(settings) {}
  Scheme(const Scheme&) = delete;
  virtual ~Scheme() = default;

  virtual void connect() {}     // all ranks together, before the first message
  virtual void distribute() {}  // from rank 0
  virtual void reset() = 0;
  virtual void multiply() = 0;
  virtual void collect() {}  // to rank 0
  /// C at rank 0, to which it is gathered first if it was not collected.
  virtual View<const T> result() = 0;

  bool guards_intact() const {
    return std::all_of(taken_.begin(), taken_.end(),
                       [](const auto& matrix) { return matrix.guards_intact(); });
  }

 protected:
  /// Memory for a matrix.
  View<T> take(Index rows, Index cols, Index pad) {
    return taken_.emplace_back(rows, cols, pad, settings_.threads).view();
  }
  View<T> take(Index rows, Index cols) { return take(rows, cols, problem_.pad); }
  /// All of matrix 'A', 'B' or 'C', with its elements.
  View<T> whole(char name, Index rows, Index cols) {
    const View<T> matrix = take(rows, cols);
    course::fill_matrix(matrix, problem_.fill, problem_.seed, name);
    return matrix;
  }
  static int rank() { return rank_in(MPI_COMM_WORLD); }

  const Problem<T>& problem_;
  const Settings settings_;

 private:
  std::list<Matrix<T>> taken_;
};

/// Rank 0 has the matrices, each rank multiplies rows of C. Variants differ in `scatter` and `gather`.
template <class T>
class ByRows : public Scheme<T> {
 public:
  using Element = T;
  static constexpr bool on_grid = false, distributed = false;
  using Move = void (*)(const Shared<T>& shared, MPI_Comm ranks);

  ByRows(const Problem<T>& problem, const Settings& settings, Move scatter, Move gather)
      : Scheme<T>(problem, settings), scatter_(scatter), gather_(gather) {
    const auto [m, n, k] = problem.shape;
    const Index mine = part(m, size_of(MPI_COMM_WORLD), this->rank()).count;
    if (this->rank() == 0) {
      const View<T> a = this->whole('A', m, k), b = this->whole('B', k, n), c = this->whole('C', m, n);
      const View<T> result = this->take(m, n);
      shared_ = {a, c, result, a.block(0, 0, mine, k), b, result.block(0, 0, mine, n)};
    } else {
      shared_ = {{}, {}, {}, this->take(mine, k), this->take(k, n), this->take(mine, n)};
    }
  }
  void distribute() override { scatter_(shared_, MPI_COMM_WORLD); }
  /// Others have just been sent their rows of C; rank 0 puts its own back, and waits for the rest on poison.
  void reset() override {
    if (this->rank() > 0) return;
    const View<T> mine = shared_.c;
    course::poison_all(shared_.result);
    course::copy(shared_.all_c.block(0, 0, mine.rows(), mine.cols()), mine);
  }
  void multiply() override { avx2::best<T>(shared_.a, shared_.b, shared_.c, this->settings_.threads); }
  void collect() override { gather_(shared_, MPI_COMM_WORLD); }
  View<const T> result() override { return shared_.result; }

 private:
  Move scatter_, gather_;
  Shared<T> shared_;
};

/// From whole matrices at rank 0 to blocks on the grid, and back.
template <class T>
class BlockCyclic : public Scheme<T> {
 public:
  using Element = T;
  static constexpr bool on_grid = true, distributed = false;

  BlockCyclic(const Problem<T>& problem, const Settings& settings)
      : Scheme<T>(problem, settings), grid_(settings.grid.x, settings.grid.y) {
    const auto [m, n, k] = problem.shape;
    const auto [mb, nb] = settings.block;
    dealt_.rows = {m, mb, grid_.p}, dealt_.cols = {n, nb, grid_.q};
    const Index rows = dealt_.rows.count(grid_.row), cols = dealt_.cols.count(grid_.col);
    dealt_.a = this->take(rows, k), dealt_.b = this->take(k, cols), dealt_.c = this->take(rows, cols);
    if (grid_.col == 0) {
      dealt_.c_rows = this->take(rows, n);
      types_.columns = column_types<T>(dealt_.cols, n + problem.pad);
    }
    if (this->rank() > 0) return;
    dealt_.all_a = this->whole('A', m, k), dealt_.all_b = this->whole('B', k, n);
    dealt_.all_c = this->whole('C', m, n), dealt_.result = this->take(m, n);
    types_.rows_of_a = row_types<T>(dealt_.rows, dealt_.all_a);
    types_.rows_of_c = row_types<T>(dealt_.rows, dealt_.all_c);
  }
  void connect() override { grid_.connect(); }
  void distribute() override { deal(dealt_, types_, grid_); }
  /// C has just been distributed; rank 0 waits for what comes back on poison.
  void reset() override { course::poison_all(dealt_.result); }
  void multiply() override { avx2::best<T>(dealt_.a, dealt_.b, dealt_.c, this->settings_.threads); }
  void collect() override { mpi::collect(dealt_, types_, grid_); }
  View<const T> result() override { return dealt_.result; }

 private:
  Grid grid_;
  Dealt<T> dealt_;
  NineTypes types_;
};

/// Matrices that stay distributed on a grid: no rank holds more than its share.
template <class T>
class OnGrid : public Scheme<T> {
 public:
  using Element = T;
  static constexpr bool on_grid = true, distributed = true;

  OnGrid(const Problem<T>& problem, const Settings& settings)
      : Scheme<T>(problem, settings),
        grid_(settings.grid.x, settings.grid.y),
        rows_{problem.shape.m, settings.block.x, grid_.p},
        cols_{problem.shape.n, settings.block.y, grid_.q},
        k_of_a_{problem.shape.k, settings.block.y, grid_.q},
        k_of_b_{problem.shape.k, settings.block.y, grid_.p} {}

  void connect() override { grid_.connect(); }
  void reset() override {
    fill(c_, rows_, cols_, [this](Index i, Index j) { return this->problem_.c(i, j); });
  }
  /// Rank 0 takes the ranks' parts of C one after the other.
  View<const T> result() override {
    if (this->rank() > 0) return MPI_Send(c_.data(), rows_in(c_), row_type(c_), 0, 0, grid_.all), View<T>();
    const View<T> all = this->take(rows_.extent, cols_.extent);
    for (int of = 0; of < grid_.p * grid_.q; ++of) {
      const Index row = of / grid_.q, col = of % grid_.q;
      Matrix<T> received(of > 0 ? rows_.count(row) : 0, cols_.count(col));
      const View<T> theirs = of > 0 ? received.view() : c_;
      if (of > 0)
        MPI_Recv(theirs.data(), rows_in(theirs), row_type(theirs), of, 0, grid_.all, MPI_STATUS_IGNORE);
      for (Index i = 0; i < theirs.rows(); ++i)
        for (Index j = 0; j < theirs.cols(); ++j)
          all(rows_.global(row, i), cols_.global(col, j)) = theirs(i, j);
    }
    return all;
  }

 protected:
  /// This rank's part of a matrix whose rows and columns are distributed so, from `element`, its recipe.
  template <class Element>
  void fill(View<T> part, const Cyclic& rows, const Cyclic& cols, Element element) const {
    course::share_rows(part.rows(), this->settings_.threads, [&](Index i) {
      for (Index j = 0; j < part.cols(); ++j)
        part(i, j) = element(rows.global(grid_.row, i), cols.global(grid_.col, j));
    });
  }

  Grid grid_;
  Cyclic rows_, cols_, k_of_a_, k_of_b_;  // of C; of k in A and in B
  View<T> c_;                             // this rank's part
};

/// SUMMA: panels of A and B pass by.
template <class T>
class Summa : public OnGrid<T> {
 public:
  using Kernel = void (*)(const Panels<T>& panels, const Grid& grid, Multiply<T> multiply, int threads);

  Summa(const Problem<T>& problem, const Settings& settings, Kernel kernel)
      : OnGrid<T>(problem, settings), kernel_(kernel) {
    const Grid& grid = this->grid_;
    const Cyclic &of_a = this->k_of_a_, &of_b = this->k_of_b_;
    const Index m = this->rows_.count(grid.row), n = this->cols_.count(grid.col);
    const Index kb = std::min(of_a.block, problem.shape.k);
    this->c_ = this->take(m, n);
    panels_ = {of_a,
               of_b,
               this->c_,
               this->take(of_a.count(grid.col), m, 0).data(),
               this->take(of_b.count(grid.row), n, 0).data(),
               {},
               {}};
    for (const int one : {0, 1}) {  // a grid of one row or column has nothing to receive there
      if (grid.q > 1) panels_.buffer_a[one] = this->take(kb, m, 0).data();
      if (grid.p > 1) panels_.buffer_b[one] = this->take(kb, n, 0).data();
    }
    for (Index s = grid.col; s < panels_.count(); s += grid.q) {
      const View<T> a = panels_.panel_a(s, grid.col);
      course::share_rows(a.rows(), settings.threads, [&](Index i) {
        for (Index p = 0; p < a.cols(); ++p)
          a(i, p) = problem.a(this->rows_.global(grid.row, i), s * of_a.block + p);
      });
    }
    for (Index s = grid.row; s < panels_.count(); s += grid.p) {
      const View<T> b = panels_.panel_b(s, grid.row);
      course::share_rows(b.rows(), settings.threads, [&](Index p) {
        for (Index j = 0; j < b.cols(); ++j)
          b(p, j) = problem.b(s * of_b.block + p, this->cols_.global(grid.col, j));
      });
    }
  }
  void multiply() override { kernel_(panels_, this->grid_, avx2::best<T>, this->settings_.threads); }

 private:
  Kernel kernel_;
  Panels<T> panels_{};
};

/// A scheme as a variant. A phase begins when all ranks are ready for it and ends when all are done: where
/// ranks take turns on a core, no rank's own time is that of all.
template <class T>
class MpiVariant : public course::Variant<T> {
 public:
  using Make = std::function<std::unique_ptr<Scheme<T>>(const Problem<T>&, const Settings&)>;
  MpiVariant(course::VariantInfo info, Make make)
      : course::Variant<T>(std::move(info)), make_(std::move(make)) {}

  std::shared_ptr<course::Variant<T>> another() const override {
    return std::make_shared<MpiVariant>(this->info, make_);
  }
  std::string refuses(const Problem<T>&, const Settings&) const override {
    const bool harmless = this->info.broken && size_of(MPI_COMM_WORLD) < 2;  // nothing to get wrong
    return harmless ? "needs 2 ranks" : "";
  }
  Times allocate(const Problem<T>& problem, const Settings& settings) override {
    scheme_ = make_(problem, settings), requests_left_ = 0;
    return {};
  }
  Times distribute() override {
    scheme_->connect();
    return moved(&Times::distribute, &Scheme<T>::distribute);
  }
  void reset() override { scheme_->reset(); }
  Times run() override { return phase(&Times::product, &Scheme<T>::multiply); }
  Times fetch() override { return moved(&Times::collect, &Scheme<T>::collect); }
  View<const T> result() override { return scheme_->result(); }
  bool guards_intact() const override { return scheme_->guards_intact(); }
  std::string run_error() const override {
    int most = 0;
    MPI_Allreduce(&requests_left_, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most > 0 ? std::to_string(most) + " requests of a rank were never waited for" : "";
  }
  void release() override { scheme_.reset(); }

 private:
  using Work = void (Scheme<T>::*)();
  Times moved(Times::Field Times::*which, Work work) {
    return this->info.distributed ? Times{} : phase(which, work);
  }
  Times phase(Times::Field Times::*which, Work work) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double before = bytes_received();
    const int requests_before = requests_under_way();
    const course::Stopwatch watch;
    (scheme_.get()->*work)();
    Times times{.words_received = (bytes_received() - before) / sizeof(T)};
    requests_left_ += requests_under_way() - requests_before;
    MPI_Barrier(MPI_COMM_WORLD);
    times.*which = watch.seconds();
    return times;
  }

  Make make_;
  std::unique_ptr<Scheme<T>> scheme_;
  int requests_left_ = 0;  // that it began and never waited for
};

/// The variant of a scheme; its constructor gets these functions, too.
template <class S, class T = typename S::Element, class... Functions>
std::shared_ptr<course::Variant<T>> on_ranks(std::string name, std::string idea, Functions... functions) {
  return std::make_shared<MpiVariant<T>>(course::VariantInfo{.name = std::move(name),
                                                             .idea = std::move(idea),
                                                             .threads = true,
                                                             .blocks = S::on_grid,
                                                             .grids = S::on_grid,
                                                             .distributed = S::distributed,
                                                             .vector = avx2::best_vector(),
                                                             .needs = avx2::best_needs()},
                                         [=](const Problem<T>& problem, const Settings& settings) {
                                           return std::make_unique<S>(problem, settings, functions...);
                                         });
}

}  // namespace mpi
