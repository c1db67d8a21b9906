// MPI's profiling interface: every MPI_X is PMPI_X, too, so a function MPI_X of ours takes its place and
// calls it. These add up what each call delivers to this rank, and keep the requests that nobody has
// completed; what a rank passes on for others inside of a broadcast is not seen, and not meant. One thread
// alone calls MPI (MPI_THREAD_FUNNELED).
#include <mpi.h>

#include <map>
#include <vector>

#include "06_mpi/messages.hpp"

namespace {

double received = 0;  // bytes
// What each request will have delivered when it completes; small sends may all have the same request.
std::multimap<MPI_Request, double> flying;

double bytes_of(int count, MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return static_cast<double>(count) * static_cast<double>(size);
}

/// What a broadcast or a message delivers to this rank: nothing if it comes from here, or from nowhere.
double delivered(int count, MPI_Datatype type, int from, MPI_Comm ranks) {
  return from == mpi::rank_in(ranks) || from == MPI_PROC_NULL ? 0 : bytes_of(count, type);
}

/// A call that completes some of the requests.
template <class Call>
int watched(int count, MPI_Request* requests, const Call& call) {
  const std::vector<MPI_Request> before(requests, requests + count);
  const int error = call();
  for (std::size_t r = 0; r < before.size(); ++r)
    if (const auto found = flying.find(before[r]); requests[r] == MPI_REQUEST_NULL && found != flying.end())
      received += found->second, flying.erase(found);
  return error;
}

}  // namespace

double mpi::bytes_received() {
  return received;
}
int mpi::requests_under_way() {
  return static_cast<int>(flying.size());
}

extern "C" {

int MPI_Recv(void* to, int count, MPI_Datatype type, int source, int tag, MPI_Comm ranks,
             MPI_Status* status) {
  MPI_Status own;
  const int error = PMPI_Recv(to, count, type, source, tag, ranks, &own);
  received += delivered(count, type, own.MPI_SOURCE, ranks);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return error;
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm ranks) {
  received += delivered(count, type, root, ranks);
  return PMPI_Bcast(data, count, type, root, ranks);
}

int MPI_Irecv(void* to, int count, MPI_Datatype type, int source, int tag, MPI_Comm ranks,
              MPI_Request* request) {
  const int error = PMPI_Irecv(to, count, type, source, tag, ranks, request);
  flying.emplace(*request, delivered(count, type, source, ranks));
  return error;
}

int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm ranks, MPI_Request* request) {
  const int error = PMPI_Ibcast(data, count, type, root, ranks, request);
  flying.emplace(*request, delivered(count, type, root, ranks));
  return error;
}

int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
              MPI_Request* request) {
  const int error = PMPI_Isend(from, count, type, to, tag, ranks, request);
  flying.emplace(*request, 0);
  return error;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return watched(1, request, [=] { return PMPI_Wait(request, status); });
}
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return watched(count, requests, [=] { return PMPI_Waitall(count, requests, statuses); });
}
int MPI_Waitany(int count, MPI_Request* requests, int* which, MPI_Status* status) {
  return watched(count, requests, [=] { return PMPI_Waitany(count, requests, which, status); });
}
int MPI_Waitsome(int count, MPI_Request* requests, int* done, int* which, MPI_Status* statuses) {
  return watched(count, requests, [=] { return PMPI_Waitsome(count, requests, done, which, statuses); });
}
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  return watched(1, request, [=] { return PMPI_Test(request, done, status); });
}
int MPI_Testall(int count, MPI_Request* requests, int* all, MPI_Status* statuses) {
  return watched(count, requests, [=] { return PMPI_Testall(count, requests, all, statuses); });
}
int MPI_Testany(int count, MPI_Request* requests, int* which, int* any, MPI_Status* status) {
  return watched(count, requests, [=] { return PMPI_Testany(count, requests, which, any, status); });
}
int MPI_Testsome(int count, MPI_Request* requests, int* done, int* which, MPI_Status* statuses) {
  return watched(count, requests, [=] { return PMPI_Testsome(count, requests, done, which, statuses); });
}
int MPI_Request_free(MPI_Request* request) {
  return watched(1, request, [=] { return PMPI_Request_free(request); });
}

}  // extern "C"
