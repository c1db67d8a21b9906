// SUMMA on a cluster that is not there, under SimGrid's SMPI: messages have their sizes and no contents, the
// product is replaced by what it costs, and seconds are the simulator's. simulate.py starts it and knows the
// rest.
#include <smpi/smpi.h>

#include <charconv>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "06_mpi/cost.hpp"
#include "06_mpi/summa_ring.hpp"

namespace {

using namespace mpi;

// Of each rank: SMPI keeps a copy of the program's variables for every one.
void* contents = nullptr;  // of all panels: memory that all ranks share, and SMPI neither reads nor writes
double received = 0;       // bytes

int bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return count * size;
}

/// What is delivered to this rank is counted, as in received.cpp.
int delivered(int bytes, bool here = true) {
  if (here) received += bytes;
  return bytes;
}
int broadcast(int count, MPI_Datatype type, int root, MPI_Comm ranks) {
  int me = 0;
  PMPI_Comm_rank(ranks, &me);
  return delivered(bytes_of(count, type), me != root);
}

// [cost]
/// Instead of a product, its operations; the platform says how many a node computes in a second.
void cost_of(View<const float> a, View<const float>, View<float> c, int) {
  smpi_execute_flops(2. * static_cast<double>(c.rows()) * static_cast<double>(c.cols()) *
                     static_cast<double>(a.cols()));
}
// [/cost]

}  // namespace

// Over MPI's profiling interface: what SUMMA sends becomes as many bytes of nothing.
extern "C" {
int MPI_Bcast(void*, int count, MPI_Datatype type, int root, MPI_Comm ranks) {
  return PMPI_Bcast(contents, broadcast(count, type, root, ranks), MPI_BYTE, root, ranks);
}
int MPI_Ibcast(void*, int count, MPI_Datatype type, int root, MPI_Comm ranks, MPI_Request* request) {
  return PMPI_Ibcast(contents, broadcast(count, type, root, ranks), MPI_BYTE, root, ranks, request);
}
int MPI_Isend(const void*, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
              MPI_Request* request) {
  return PMPI_Isend(contents, bytes_of(count, type), MPI_BYTE, to, tag, ranks, request);
}
int MPI_Irecv(void*, int count, MPI_Datatype type, int from, int tag, MPI_Comm ranks, MPI_Request* request) {
  return PMPI_Irecv(contents, delivered(bytes_of(count, type)), MPI_BYTE, from, tag, ranks, request);
}
}

namespace {

using Kernel = void (*)(const Panels<float>& panels, const Grid& grid, Multiply<float> multiply, int threads);

/// Rings without slices: simulated messages get on by themselves, and seconds are the same with them.
template <Order order>
void ring(const Panels<float>& panels, const Grid& grid, Multiply<float> multiply, int threads) {
  summa_ring_in_slices(panels, grid, multiply, threads, panels.c.cols() + 1, order);
}
const std::map<std::string, Kernel> kernels = {{"summa_blocking", summa_blocking<float>},
                                               {"summa_unaided", summa_unaided<float>},
                                               {"summa", summa<float>},
                                               {"summa_ring_dealt", ring<Order::dealt>},
                                               {"summa_ring", ring<Order::by_owner>}};

/// A whole number from 1 on; 0 is what none is.
Index number(const std::string& text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 && value <= 1 << 30 ? value
                                                                                                   : 0;
}

double most(double mine) {
  double all = 0;
  PMPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/// VARIANT N BLOCK P Q: seconds of the slowest rank, words received by the one that receives most.
int simulate(const std::vector<std::string>& given, bool first) {
  const auto refuse = [first](const std::string& line) {
    if (first) std::fprintf(stderr, "06_mpi_simulate: %s\n", line.c_str());
    return 2;
  };
  if (given.size() != 5) return refuse("give VARIANT N BLOCK P Q");
  const auto kernel = kernels.find(given[0]);
  if (kernel == kernels.end()) return refuse("'" + given[0] + "' is unknown");
  for (std::size_t i = 1; i < 5; ++i)
    if (number(given[i]) == 0) return refuse("'" + given[i] + "' is not a whole number from 1 to 2^30");
  const Index n = number(given[1]), block = number(given[2]), p = number(given[3]), q = number(given[4]);
  if (p * q != size_of(MPI_COMM_WORLD))
    return refuse(given[3] + "x" + given[4] + " is not the number of ranks");

  const Cyclic rows{n, block, p}, cols{n, block, q};
  const Index panel =
      4 * std::min(n, block) * std::max(rows.count(0), cols.count(0));  // bytes of the largest
  if (p * q > 1 && panel > 2147483647) return refuse("a panel has more than 2^31 - 1 bytes");
  contents = SMPI_SHARED_MALLOC(static_cast<std::size_t>(panel));
  Grid grid(p, q);
  grid.connect();
  float* const nowhere = static_cast<float*>(contents);
  const View<float> c(nowhere, rows.count(grid.row), cols.count(grid.col), cols.count(grid.col));
  const Panels<float> panels = {cols, rows, c, nowhere, nowhere, {nowhere, nowhere}, {nowhere, nowhere}};
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  kernel->second(panels, grid, cost_of, 1);
  const double seconds = most(MPI_Wtime() - start), words = most(received / sizeof(float));
  if (first) std::printf("%.9g %.0f\n", seconds, words);
  if (words == cost::summa({n, n, n}, static_cast<int>(p), static_cast<int>(q), block, block)) return 0;
  return refuse("the words counted are not those of the formula"), 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = simulate({argv + 1, argv + argc}, rank_in(MPI_COMM_WORLD) == 0);
  MPI_Finalize();
  return status;
}
