// What a message takes from one rank to another, by its size, as CSV: α is the time of the smallest, β the
// bandwidth of the largest. mpirun -n 2 06_mpi_ping_pong. With the argument `buffers`: messages of 2 MiB from
// 1 to 16 places in turn. Status 1: a message came back wrong; 2: there are not two ranks.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

namespace {

// [ping_pong]
/// Seconds that a message takes one way: there and back `rounds` times. Rank 1 adds one to its first byte.
double one_way(std::vector<unsigned char>& message, int rank, int rounds) {
  const int bytes = static_cast<int>(message.size()), other = 1 - rank;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int round = 0; round < rounds; ++round) {
    if (rank == 0) MPI_Send(message.data(), bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    MPI_Recv(message.data(), bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) ++message[0], MPI_Send(message.data(), bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
  }
  return (MPI_Wtime() - start) / (2 * rounds);
}
// [/ping_pong]

/// A row for each size: the median of 25 times. False: a message came back wrong.
bool rows(int rank) {
  bool well = true;
  if (rank == 0) std::printf("bytes,us,gb_s\n");
  for (int bytes = 8; bytes <= 16 << 20; bytes *= 8) {
    std::vector<unsigned char> message(static_cast<std::size_t>(bytes));
    const int rounds = std::clamp((1 << 20) / bytes, 1, 100);
    std::array<double, 25> times{};
    for (double& time : times) time = one_way(message, rank, rounds);
    well &= message[0] == static_cast<unsigned char>(25 * rounds);
    std::sort(times.begin(), times.end());
    const double seconds = times[times.size() / 2];
    if (rank == 0) std::printf("%d,%.4g,%.4g\n", bytes, seconds * 1e6, bytes / seconds * 1e-9);
  }
  return well;
}

/// A row for each number of places that messages of 2 MiB take turns to come from and go to.
bool rows_of_buffers(int rank) {
  constexpr int bytes = 2 << 20;
  bool well = true;
  if (rank == 0) std::printf("buffers,us,gb_s\n");
  for (int buffers = 1; buffers <= 16; buffers *= 2) {
    std::vector<std::vector<unsigned char>> messages(static_cast<std::size_t>(buffers),
                                                     std::vector<unsigned char>(bytes));
    std::array<double, 25> times{};
    for (double& time : times)
      for (auto& message : messages) time += one_way(message, rank, 1) / buffers;
    for (const auto& message : messages) well &= message[0] == 25;
    std::sort(times.begin(), times.end());
    if (rank == 0) std::printf("%d,%.4g,%.4g\n", buffers, times[12] * 1e6, bytes / times[12] * 1e-9);
  }
  return well;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2 && rank == 0) std::fprintf(stderr, "06_mpi_ping_pong: needs two ranks: mpirun -n 2\n");
  const int status = size != 2 ? 2 : argc > 1 ? !rows_of_buffers(rank) : !rows(rank);
  MPI_Finalize();
  return status;
}
