#include "common/mpi_world.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace course {
namespace {

template <class V>
void reduce(std::span<V> mine, MPI_Datatype type, MPI_Op operation, MPI_Comm among = MPI_COMM_WORLD) {
  MPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), type, operation, among);
}

}  // namespace

MpiWorld::MpiWorld(int* argc, char*** argv) {
  int given;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &given);  // OpenMP inside a rank, MPI outside of it
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host_);
}

MpiWorld::~MpiWorld() {
  MPI_Comm_free(&host_);
  MPI_Finalize();
}

void MpiWorld::sum(std::span<std::uint64_t> mine) const {
  reduce(mine, MPI_UINT64_T, MPI_SUM);
}

void MpiWorld::sum(std::span<double> mine) const {
  reduce(mine, MPI_DOUBLE, MPI_SUM);
}

void MpiWorld::max(std::span<double> mine) const {
  std::vector<std::uint64_t> lost(mine.size());  // MPI does not say what its maximum makes of NaN
  for (std::size_t i = 0; i < mine.size(); ++i)
    if (std::isnan(mine[i])) lost[i] = 1, mine[i] = 0;
  reduce(mine, MPI_DOUBLE, MPI_MAX);
  sum(std::span(lost));
  for (std::size_t i = 0; i < mine.size(); ++i)
    if (lost[i] > 0) mine[i] = std::nan("");
}

std::string MpiWorld::first(const std::string& mine) const {
  int speaker = mine.empty() ? size_ : rank_;
  reduce(std::span(&speaker, 1), MPI_INT, MPI_MIN);
  if (speaker == size_) return {};
  int length = static_cast<int>(mine.size());
  MPI_Bcast(&length, 1, MPI_INT, speaker, MPI_COMM_WORLD);
  std::string text = mine;
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, speaker, MPI_COMM_WORLD);
  return text;
}

std::uint64_t MpiWorld::root(std::uint64_t mine) const {
  MPI_Bcast(&mine, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  return mine;
}

double MpiWorld::on_this_host(double mine) const {
  reduce(std::span(&mine, 1), MPI_DOUBLE, MPI_SUM, host_);
  return mine;
}

void MpiWorld::abort(const std::string& line) const {
  std::fprintf(stderr, "%s\n", line.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::_Exit(1);
}

}  // namespace course
