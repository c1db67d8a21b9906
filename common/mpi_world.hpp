// The processes that mpirun started, as a World.
#pragma once

#include <mpi.h>

#include "common/world.hpp"

namespace course {

/// Starts MPI when it is made and ends it when it goes: one a program, in main.
class MpiWorld : public World {
 public:
  MpiWorld(int* argc, char*** argv);
  ~MpiWorld() override;
  MpiWorld(const MpiWorld&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void sum(std::span<std::uint64_t> mine) const override;
  void sum(std::span<double> mine) const override;
  void max(std::span<double> mine) const override;
  std::string first(const std::string& mine) const override;
  std::uint64_t root(std::uint64_t mine) const override;
  double on_this_host(double mine) const override;
  [[noreturn]] void abort(const std::string& line) const override;

 private:
  MPI_Comm host_ = MPI_COMM_NULL;  // the ranks that share this one's memory
  int rank_, size_;
};

}  // namespace course
