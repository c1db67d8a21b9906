// Summa in turns with ScaLAPACK's p?gemm, or with other versions of itself, on the same grid and blocks. On
// one rank summa and p?gemm each meet the kernel that they multiply with, too. A program like any step's,
// with the option --against. ScaLAPACK's BLAS is the one that was linked.
#include <omp.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <map>

#include "06_mpi/mpi_world.hpp"
#include "06_mpi/variants.hpp"
#include "runner/cpu.hpp"
#include "runner/run.hpp"
#include "runner/table.hpp"
#include "runner/text.hpp"
#include "runner/turns.hpp"

// Debian packages no headers.
extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int cols);
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb,
               const int* first_row, const int* first_col, const int* context, const int* ld, int* info);
#define COURSE_GEMM(name, T)                                                                              \
  void name(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const T* alpha, \
            const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc)
#define COURSE_PGEMM(name, T)                                                                             \
  void name(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const T* alpha, \
            const T* a, const int* ia, const int* ja, const int* a_is, const T* b, const int* ib,         \
            const int* jb, const int* b_is, const T* beta, T* c, const int* ic, const int* jc,            \
            const int* c_is)
void openblas_set_num_threads(int threads) __attribute__((weak));  // its build on pthreads heeds no OpenMP
COURSE_GEMM(sgemm_, float);
COURSE_GEMM(dgemm_, double);
COURSE_PGEMM(psgemm_, float);
COURSE_PGEMM(pdgemm_, double);
}

namespace {

using namespace mpi;

/// The one of the two functions that is for T.
template <class T, class F, class D>
constexpr auto of_type(F* of_float, D* of_double) {
  if constexpr (std::is_same_v<T, float>)
    return of_float;
  else
    return of_double;
}
void set_blas_threads(int threads) {
  omp_set_num_threads(threads);
  if (openblas_set_num_threads) openblas_set_num_threads(threads);
}

/// C += A·B by the BLAS that ScaLAPACK multiplies with; column-major as well: Cᵀ += Bᵀ·Aᵀ.
template <class T>
void blas(View<const T> a, View<const T> b, View<T> c, int threads) {
  set_blas_threads(threads);
  const auto number = [](Index value) { return static_cast<int>(value); };
  const int m = number(c.rows()), n = number(c.cols()), k = number(a.cols()), lda = number(a.ld()),
            ldb = number(b.ld()), ldc = number(c.ld());
  const T one = 1;
  of_type<T>(sgemm_, dgemm_)("N", "N", &n, &m, &k, &one, b.data(), &ldb, a.data(), &lda, &one, c.data(),
                             &ldc);
}

/// ScaLAPACK's matrices are column-major: what it sees is Cᵀ += Bᵀ·Aᵀ, with rows and columns of the grid
/// changed over. Not for one rank's 2^31 elements and more.
template <class T>
class Scalapack : public OnGrid<T> {
 public:
  Scalapack(const Problem<T>& problem, const Settings& settings) : OnGrid<T>(problem, settings) {
    const Grid& grid = this->grid_;
    const Index m = this->rows_.count(grid.row), n = this->cols_.count(grid.col);
    a_ = this->take(m, this->k_of_a_.count(grid.col), 0),
    b_ = this->take(this->k_of_b_.count(grid.row), n, 0);
    this->c_ = this->take(m, n, 0);
    this->fill(a_, this->rows_, this->k_of_a_, [&](Index i, Index p) { return problem.a(i, p); });
    this->fill(b_, this->k_of_b_, this->cols_, [&](Index p, Index j) { return problem.b(p, j); });
  }
  /// BLACS's grid is made once and kept, as Grid's communicators are.
  void connect() override {
    static std::map<std::pair<int, int>, int> contexts;
    const Grid& grid = this->grid_;
    const auto [known, is_new] = contexts.try_emplace({grid.p, grid.q}, -1);
    if (is_new) {
      Cblacs_get(-1, 0, &known->second);
      Cblacs_gridinit(&known->second, "Column", grid.q, grid.p);
    }
    OnGrid<T>::connect();
    context_ = known->second;
    of_a_ = descriptor(this->k_of_a_, this->rows_, a_.ld()),
    of_b_ = descriptor(this->cols_, this->k_of_b_, b_.ld());
    of_c_ = descriptor(this->cols_, this->rows_, this->c_.ld());
  }

  void multiply() override {
    set_blas_threads(this->settings_.threads);
    const auto [m, n, k] = this->problem_.shape;
    const int one = 1, rows = static_cast<int>(n), cols = static_cast<int>(m), inner = static_cast<int>(k);
    const T alpha = 1;
    of_type<T>(psgemm_, pdgemm_)("N", "N", &rows, &cols, &inner, &alpha, b_.data(), &one, &one, of_b_.data(),
                                 a_.data(), &one, &one, of_a_.data(), &alpha, this->c_.data(), &one, &one,
                                 of_c_.data());
  }

 private:
  using Descriptor = std::array<int, 9>;
  /// The descriptor of a matrix as ScaLAPACK sees it: column-major, its rows distributed as `rows`.
  Descriptor descriptor(const Cyclic& rows, const Cyclic& cols, Index ld) const {
    Descriptor made{};
    const auto number = [](Index value) { return static_cast<int>(std::max<Index>(1, value)); };
    const int m = static_cast<int>(rows.extent), n = static_cast<int>(cols.extent), mb = number(rows.block),
              nb = number(cols.block), first = 0, local = number(ld);
    int info = 0;
    descinit_(made.data(), &m, &n, &mb, &nb, &first, &first, &context_, &local, &info);
    if (info != 0) throw std::runtime_error("descinit_ refuses argument " + std::to_string(-info));
    return made;
  }

  View<T> a_, b_;
  Descriptor of_a_{}, of_b_{}, of_c_{};
  int context_ = -1;
};

constexpr const char* pgemm = "p?gemm";
/// Other versions of summa that it may be compared with.
template <class T>
const std::map<std::string, typename Summa<T>::Kernel> other_summas = {{"summa_blocking", summa_blocking<T>},
                                                                       {"summa_unaided", summa_unaided<T>},
                                                                       {"summa_ring", summa_ring<T>}};

template <class T>
std::shared_ptr<course::Variant<T>> variant_called(const std::string& name) {
  if (name == pgemm) return on_ranks<Scalapack<T>>(name, "");
  return on_ranks<Summa<T>>(name, "", other_summas<T>.at(name));
}

/// One product a sample, so that all ranks make equally many.
template <class T>
std::shared_ptr<course::Variant<T>> in_turns(const std::shared_ptr<course::Variant<T>>& first,
                                             const std::string& against,
                                             const std::shared_ptr<course::Variant<T>>& second) {
  course::VariantInfo info = first->info;
  info.idea = "in turns with " + against, info.against = against, info.copies = 2;
  return std::make_shared<course::InTurns<T>>(info, course::Variants<T>{first, second}, course::Timing{});
}

template <class T>
course::Variants<T> variants(const std::vector<std::string>& against, int ranks) {
  using course::KernelArgs, course::cpu;
  const auto summa_here = on_ranks<Summa<T>>("summa", "", summa<T>);
  course::Variants<T> list;
  for (const std::string& name : against)
    list.push_back(in_turns<T>(summa_here, name, variant_called<T>(name)));
  if (ranks > 1) return list;
  list.push_back(in_turns<T>(summa_here, "05_avx2", cpu<T>("", "", [](const KernelArgs<T>& x) {
                               avx2::best<T>(x.a, x.b, x.c, x.threads);
                             })));
  list.push_back(in_turns<T>(variant_called<T>(pgemm), "BLAS", cpu<T>("", "", [](const KernelArgs<T>& x) {
                               blas<T>(x.a, x.b, x.c, x.threads);
                             })));
  return list;
}

int run(int argc, char** argv, const course::World& world) {
  std::vector<const char*> words(argv, argv + argc);
  std::vector<std::string> known = {pgemm};
  for (const auto& [name, kernel] : other_summas<float>) known.push_back(name);
  const std::vector<std::string> against = course::split(course::taken(words, "--against", pgemm));
  for (const std::string& name : against) course::one_of("--against", name, known);
  course::Step step;
  step.program = COURSE_PROGRAM, step.flags = COURSE_FLAGS;
  step.idea = "summa in turns with others; besides the options below --against, of " +
              course::joined(known, ",") + " (default p?gemm)";
  step.options = " --against " + course::joined(against, ",");
  step.f32 = variants<float>(against, world.size()), step.f64 = variants<double>(against, world.size());
  step.grids = {squarest(world.size())}, step.blocks = {{256, 256}};
  return course::run(static_cast<int>(words.size()), words.data(), step, world);
}

/// OpenBLAS chooses its kernel while it is loaded, and badly on processors newer than itself.
void choose_blas(char** argv) {
  if (std::getenv("OPENBLAS_CORETYPE")) return;
  const bool wide = std::string(avx2::best_vector()) == "avx512";
  setenv("OPENBLAS_CORETYPE", wide ? "SkylakeX" : "Haswell", 1);
  execv("/proc/self/exe", argv);
}

}  // namespace

int main(int argc, char** argv) {
  choose_blas(argv);
  const course::MpiWorld world(&argc, &argv);
  return course::exit_status(
      COURSE_PROGRAM, [&] { return run(argc, argv, world); }, world);
}
