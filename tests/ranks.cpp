// A step as MPI programs are, for mpirun: row i of C belongs to rank i mod P. What goes wrong, goes wrong on
// rank 1.
#include <limits>
#include <new>
#include <stdexcept>

#include "common/mpi_world.hpp"
#include "runner/run.hpp"

using namespace course;

namespace {

template <class T>
class Spread : public Variant<T> {
 public:
  /// `fault`: its name, or one of those below.
  explicit Spread(const std::string& fault)
      : Variant<T>({.name = fault, .idea = "row i of C on rank i mod P"}) {}

  std::string skip_reason(const Problem<T>& problem, const Settings&, const World& world) const override {
    if (has("throw_in_refuses", world) && problem.shape.m > 0) throw std::runtime_error("no answer");
    return has("refusal", world) ? "rank 1 will not" : "";
  }
  Times allocate(const Problem<T>& problem, const Settings&, const World& world) override {
    problem_ = &problem, world_ = &world;
    if (has("no_memory", world)) throw std::bad_alloc();
    rows_.clear(), cols_ = all_of(problem.shape.n);
    const bool lost = has("missing_piece", world);
    for (Index i = world.rank(); i < problem.shape.m && !lost; i += world.size()) rows_.push_back(i);
    c_ = Matrix<T>(std::ssize(rows_), problem.shape.n, problem.pad);
    return {.alloc = 0.5 + world.rank()};
  }
  /// Rank 0 makes B and gives it to all, as sums of bits: zeros of the others.
  Times distribute() override {
    const auto [m, n, k] = problem_->shape;
    b_.assign(static_cast<std::size_t>(k * n), 0);
    for (Index p = 0; p < k && world_->rank() == 0; ++p)
      for (Index j = 0; j < n; ++j) b_[static_cast<std::size_t>(p * n + j)] = problem_->b(p, j);
    world_->sum(b_);
    return {.distribute = 1.0 + world_->rank(), .words_received = world_->rank() == 0 ? 0.0 : double(k * n)};
  }
  void reset() override {
    for (Index r = 0; r < std::ssize(rows_); ++r)
      for (const Index j : cols_) c_.view()(r, j) = problem_->c(rows_[std::size_t(r)], j);
  }
  Times run() override {
    const auto [m, n, k] = problem_->shape;
    if (has("throw_in_run", *world_)) throw std::runtime_error("it broke");
    if (has("no_memory_in_run", *world_)) throw std::bad_alloc();
    double all_here[] = {1};
    world_->sum(all_here);  // others wait here for one that threw
    for (Index r = 0; r < std::ssize(rows_); ++r)
      for (Index p = 0; p < k; ++p)
        for (const Index j : cols_)
          c_.view()(r, j) +=
              problem_->a(rows_[std::size_t(r)], p) * static_cast<T>(b_[std::size_t(p * n + j)]);
    if (has("wrong_element", *world_) && !rows_.empty() && n > 0)
      c_.view()(std::ssize(rows_) - 1, n / 2) += 1;
    if (has("nan_element", *world_) && !rows_.empty() && n > 0)
      c_.view()(std::ssize(rows_) - 1, n / 2) = std::numeric_limits<T>::quiet_NaN();
    if (has("broken_guard", *world_)) c_.view().data()[-1] = 0;
    const bool slow = this->traits.name == "slow" || (this->traits.name == "slow_at_first" && runs_++ == 0);
    return {.product = slow ? 1e3 : 0.002 + 0.001 * world_->rank()};
  }
  Times fetch(Piece<T>& piece) override {
    piece = {rows_, cols_, std::as_const(c_).view()};
    return {};
  }
  bool guards_intact() const override { return c_.guards_intact(); }
  void release() override { c_ = {}, b_ = {}; }

  /// All there are, and one without a fault.
  static Variants<T> all() {
    Variants<T> list;
    for (const char* name :
         {"right", "wrong_element", "nan_element", "missing_piece", "broken_guard", "throw_in_refuses",
          "throw_in_run", "no_memory", "no_memory_in_run", "refusal", "slow", "slow_at_first"})
      list.push_back(std::make_shared<Spread<T>>(name));
    return list;
  }

 private:
  bool has(const char* fault, const World& world) const {
    return this->traits.name == fault && world.rank() == 1;
  }

  const Problem<T>* problem_ = nullptr;
  const World* world_ = nullptr;
  Indices rows_, cols_;
  int runs_ = 0;
  std::vector<double> b_;
  Matrix<T> c_;
};

}  // namespace

int main(int argc, char** argv) {
  const MpiWorld world(&argc, &argv);
  return run(argc, argv,
             {"ranks", "rows of C shared out among ranks", "-O3", "", Spread<float>::all(),
              Spread<double>::all(), Spread<std::int32_t>::all()},
             world);
}
