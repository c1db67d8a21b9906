// The processes that mpirun started, as a World.
#pragma once

#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "common/world.hpp"

namespace course {

/// Starts MPI when it is made and ends it when it goes: one a program, in main.
class MpiWorld : public World {
 public:
  MpiWorld(int* argc, char*** argv) {
    int given;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &given);  // OpenMP inside a rank, MPI outside of it
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host_);
  }
  ~MpiWorld() override {
    MPI_Comm_free(&host_);
    MPI_Finalize();
  }
  MpiWorld(const MpiWorld&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void sum(std::span<std::uint64_t> mine) const override { reduce(mine, MPI_UINT64_T, MPI_SUM); }
  void sum(std::span<double> mine) const override { reduce(mine, MPI_DOUBLE, MPI_SUM); }
  void max(std::span<double> mine) const override {
    std::vector<std::uint64_t> nans(mine.size());  // MPI does not say what its maximum makes of NaN
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (std::isnan(mine[i])) nans[i] = 1, mine[i] = 0;
    reduce(mine, MPI_DOUBLE, MPI_MAX);
    sum(std::span(nans));
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (nans[i] > 0) mine[i] = std::nan("");
  }
  std::string first(const std::string& mine) const override {
    int sender = mine.empty() ? size_ : rank_;
    reduce(std::span(&sender, 1), MPI_INT, MPI_MIN);
    if (sender == size_) return {};
    int length = static_cast<int>(mine.size());
    MPI_Bcast(&length, 1, MPI_INT, sender, MPI_COMM_WORLD);
    std::string text = mine;
    text.resize(static_cast<std::size_t>(length));
    MPI_Bcast(text.data(), length, MPI_CHAR, sender, MPI_COMM_WORLD);
    return text;
  }
  std::uint64_t root(std::uint64_t mine) const override {
    MPI_Bcast(&mine, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return mine;
  }
  double on_this_host(double mine) const override {
    reduce(std::span(&mine, 1), MPI_DOUBLE, MPI_SUM, host_);
    return mine;
  }
  [[noreturn]] void abort(const std::string& line) const override {
    std::fprintf(stderr, "%s\n", line.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::_Exit(1);
  }

 private:
  template <class V>
  static void reduce(std::span<V> mine, MPI_Datatype type, MPI_Op operation,
                     MPI_Comm ranks = MPI_COMM_WORLD) {
    MPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), type, operation, ranks);
  }

  MPI_Comm host_ = MPI_COMM_NULL;  // the ranks that share this one's memory
  int rank_, size_;
};

}  // namespace course
