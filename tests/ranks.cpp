// A step as MPI programs are, for mpirun: row i of C belongs to rank i mod P. What goes wrong, goes wrong on
// rank 1.
#include <limits>
#include <new>
#include <stdexcept>

#include "06_mpi/mpi_world.hpp"
#include "runner/run.hpp"

using namespace course;

namespace {

const World* world = nullptr;

template <class T>
class Spread : public Variant<T> {
 public:
  /// `fault`: its name, or one of those below.
  explicit Spread(const std::string& fault)
      : Variant<T>({.name = fault, .idea = "row i of C on rank i mod P"}) {}

  std::string refuses(const Problem<T>& problem, const Settings&) const override {
    if (has("throw_in_refuses") && problem.shape.m > 0) throw std::runtime_error("no answer");
    return this->info.name == "refusal" && world->is_root() ? "rank 0 will not" : "";
  }
  Times allocate(const Problem<T>& problem, const Settings&) override {
    if (has("no_memory")) throw std::bad_alloc();
    problem_ = &problem, c_ = Matrix<T>(problem.shape.m, problem.shape.n, problem.pad);
    return {.alloc = 0.5 + world->rank()};
  }
  Times distribute() override {
    const double words = static_cast<double>(problem_->shape.k * problem_->shape.n);
    return {.distribute = 1.0 + world->rank(), .words_received = world->is_root() ? 0.0 : words};
  }
  void reset() override {
    for_mine([this](Index i, Index j) { return problem_->c(i, j); });
  }
  Times run() override {
    if (has("throw_in_run")) throw std::runtime_error("it broke");
    if (has("no_memory_in_run")) throw std::bad_alloc();
    MPI_Barrier(MPI_COMM_WORLD);  // others wait here for one that threw
    for_mine([this](Index i, Index j) {
      T sum = c_.view()(i, j);
      for (Index p = 0; p < problem_->shape.k; ++p) sum += problem_->a(i, p) * problem_->b(p, j);
      return sum;
    });
    const auto [m, n, k] = problem_->shape;
    const Index last = (m - 2) / 3 * 3 + 1;  // of rank 1's rows
    if (has("wrong_element") && m > 1 && n > 0) c_.view()(last, n / 2) += 1;
    if (has("nan_element") && m > 1 && n > 0) c_.view()(last, n / 2) = std::numeric_limits<T>::quiet_NaN();
    if (has("broken_guard")) c_.view().data()[-1] = 0;
    return {.product = this->info.name == "slow" ? 1e3 : 0.002 + 0.001 * world->rank()};
  }
  View<const T> result() override {
    const auto [m, n, k] = problem_->shape;
    std::vector<double> all(static_cast<std::size_t>(m * n));
    const View<double> view(all.data(), m, n, n);
    for (Index i = world->rank(); i < m; i += world->size())
      for (Index j = 0; j < n; ++j) view(i, j) = static_cast<double>(c_.view()(i, j));
    MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(m * n), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) c_.view()(i, j) = static_cast<T>(view(i, j));
    if (this->info.name == "small_result") return c_.view().block(0, 0, m - 1, n);
    return c_.view();
  }
  bool guards_intact() const override { return c_.guards_intact(); }
  void release() override { c_ = {}; }

  /// All there are, and one without a fault.
  static Variants<T> all() {
    Variants<T> list;
    for (const char* name :
         {"right", "wrong_element", "nan_element", "small_result", "broken_guard", "throw_in_refuses",
          "throw_in_run", "no_memory", "no_memory_in_run", "refusal", "slow"})
      list.push_back(std::make_shared<Spread<T>>(name));
    return list;
  }

 private:
  bool has(const char* fault) const { return this->info.name == fault && world->rank() == 1; }
  template <class Element>
  void for_mine(Element element) {
    for (Index i = world->rank(); i < problem_->shape.m; i += world->size())
      for (Index j = 0; j < problem_->shape.n; ++j) c_.view()(i, j) = element(i, j);
  }

  const Problem<T>* problem_ = nullptr;
  Matrix<T> c_;
};

}  // namespace

int main(int argc, char** argv) {
  const MpiWorld ranks(&argc, &argv);
  world = &ranks;
  return run(argc, argv,
             {"ranks", "rows of C shared out among ranks", "-O3", "", Spread<float>::all(),
              Spread<double>::all(), Spread<std::int32_t>::all()},
             ranks);
}
