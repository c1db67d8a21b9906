// Many ranks with real data in one process: SimGrid's SMPI in place of mpirun. What the ranks send each other
// is real, and each checks its piece; the local product is the plainest there is.
//   simulated_test PxQ
#include <cstdio>
#include <string>

#include "06_mpi/cost.hpp"
#include "06_mpi/variants.hpp"
#include "common/mpi_world.hpp"
#include "common/verify.hpp"

/// SMPI 3.32 has no such function; this one is for fewer than 2^31 bytes.
extern "C" int PMPI_Get_elements_x(MPI_Status* status, MPI_Datatype type, MPI_Count* elements) {
  int count = 0;
  const int error = PMPI_Get_count(status, type, &count);
  return *elements = count, error;
}

namespace avx2 {

/// Where the course's last rungs would be: they are not compiled for a shared object, and threads are no
/// ranks.
template <class T>
void best(course::View<const T> a, course::View<const T> b, course::View<T> c, int) {
  for (course::Index i = 0; i < c.rows(); ++i)
    for (course::Index p = 0; p < a.cols(); ++p)
      for (course::Index j = 0; j < c.cols(); ++j) c(i, j) += a(i, p) * b(p, j);
}
template <class T>
double best_packs(course::Index, course::Index, course::Index, int) {
  return 0;
}

}  // namespace avx2

namespace {

using namespace mpi;
using T = float;

bool right(course::Variant<T>& variant, const Problem<T>& problem, const Settings& settings,
           const course::World& world, double words) {
  variant.allocate(problem, settings, world);
  Times times = variant.distribute();
  variant.reset();
  Piece<T> piece;
  times += variant.run(), times += variant.fetch(piece);
  course::Verifier<T> verifier(problem, true);
  const course::Check check = verifier.check(piece, world);
  double most = times.words_received.value_or(-1);
  world.max({&most, 1});
  if (world.rank() == 0)
    std::printf("%-17s %s; %.0f words, %.0f by the formula\n", variant.traits.name.c_str(),
                check.right ? "right" : check.message.c_str(), most, words);
  variant.release();
  return check.right && most == words;
}

}  // namespace

int main(int argc, char** argv) {
  const course::MpiWorld world(&argc, &argv);
  int p = 0, q = 0;
  if (argc != 2 || std::sscanf(argv[1], "%dx%d", &p, &q) != 2 || p * q != world.size()) {
    if (world.rank() == 0) std::fputs("simulated_test: give the grid of all ranks, such as 16x16\n", stderr);
    return 2;
  }
  const Problem<T> problem{.shape = {331, 347, 353},
                           .pad = 3};  // divisible by nothing; 51 panels on 16 owners
  const Settings settings{.grid = {p, q}, .block = {11, 7}};
  bool all_right = true;
  const auto in_place = [&](const char* name, auto kernel) {
    Summa<T> variant(course::Traits{.name = name, .idea = "simulated"}, kernel);
    all_right &= right(variant, problem, settings, world, cost::summa(problem.shape, p, q, 11, 7));
  };
  in_place("summa_blocking", summa_blocking<T>);
  in_place("summa_unaided", summa_unaided<T>);
  in_place("summa", summa<T>);
  in_place("summa_ring_dealt", summa_ring_dealt<T>);
  in_place("summa_ring", summa_ring<T>);
  BlockCyclic<T> dealt(course::Traits{.name = "block_cyclic", .idea = "simulated"});
  all_right &= right(dealt, problem, settings, world, cost::block_cyclic(problem.shape, p, q, 11, 7));
  return all_right ? 0 : 1;
}
