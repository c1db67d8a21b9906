// The processes that mpirun started, as a World.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "runner/machine.hpp"

namespace course {

/// Starts MPI at construction and ends it at destruction: a program has one, in main.
class MpiWorld : public World {
 public:
  MpiWorld(int* argc, char*** argv) {
    int given;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &given);  // OpenMP inside a rank, MPI outside of it
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    if (rank_ == 0 && given < MPI_THREAD_FUNNELED)
      abort("this MPI allows no threads in a rank (MPI_THREAD_FUNNELED); use one that does", 2);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host_);
  }
  ~MpiWorld() override {
    MPI_Comm_free(&host_);
    MPI_Finalize();
  }
  MpiWorld(const MpiWorld&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void max(std::span<double> mine) const override {
    MPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_MAX,
                  MPI_COMM_WORLD);
  }
  std::int64_t broadcast(std::int64_t mine) const override {
    MPI_Bcast(&mine, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    return mine;
  }
  double on_this_host(double mine) const override {
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, host_);
    return mine;
  }
  [[noreturn]] void abort(const std::string& line, int status) const override {
    std::fprintf(stderr, "%s\n", line.c_str());
    MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
  }

 private:
  MPI_Comm host_ = MPI_COMM_NULL;  // the ranks that share this one's memory
  int rank_, size_;
};

}  // namespace course
