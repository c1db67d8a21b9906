// The smallest program of two ranks: rank 0 sends a number, rank 1 receives it. mpirun -n 2 06_mpi_first.
// [first]
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, number = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) number = 42;
  if (rank == 0) MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::printf("rank %d has %d\n", rank, number);
  MPI_Finalize();
}
// [/first]
