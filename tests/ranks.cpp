// A step as MPI programs are: the small variant of spread.hpp under mpirun.
#include "common/mpi_world.hpp"
#include "runner/run.hpp"
#include "spread.hpp"

int main(int argc, char** argv) {
  const course::MpiWorld world(&argc, &argv);
  return course::run(argc, argv,
                     {"ranks", "rows of C shared out among ranks", "-O3", "", Spread<float>::all(),
                      Spread<double>::all(), Spread<std::int32_t>::all()},
                     world);
}
