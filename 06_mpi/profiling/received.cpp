// MPI's profiling interface: every MPI_X is PMPI_X, too, so a function MPI_X of ours takes its place and
// calls it. These add up what each call delivers to this rank, and keep the requests that nobody has
// completed; what a rank passes on for others inside of a broadcast is not seen, and not meant. One thread
// alone calls MPI (MPI_THREAD_FUNNELED).
#include "received.hpp"

#include <mpi.h>

#include <map>
#include <vector>

namespace {

double received = 0;  // bytes

/// What a request will have delivered when it completes: of a broadcast, so many bytes; of a receive, what
/// its status says, unless it comes from this rank itself.
struct Delivery {
  bool by_status;
  double bytes;
  int me;
};
std::multimap<MPI_Request, Delivery> flying;  // small sends may all have the same request

double bytes_of(int count, MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return static_cast<double>(count) * static_cast<double>(size);
}

int rank_in(MPI_Comm ranks) {
  int rank = 0;
  return PMPI_Comm_rank(ranks, &rank), rank;
}

// [delivered]
/// What a broadcast delivers to this rank: nothing at its root.
double broadcast(int count, MPI_Datatype type, int root, MPI_Comm ranks) {
  return rank_in(ranks) == root ? 0 : bytes_of(count, type);
}

/// What a message did that was received by rank `me`.
double message(MPI_Status status, int me) {  // a copy: SMPI asks for one that is not const
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  return status.MPI_SOURCE == me ? 0 : static_cast<double>(bytes);
}

/// Counts a request that this call has completed.
void completed(MPI_Request request, const MPI_Status& status) {
  const auto found = flying.find(request);
  if (found == flying.end()) return;
  const auto [by_status, bytes, me] = found->second;
  received += by_status ? message(status, me) : bytes;
  flying.erase(found);
}
// [/delivered]

/// A call that completes some of the requests, whose statuses it writes to an array of our own.
template <class Call>
int watched(int count, MPI_Request* requests, MPI_Status* statuses, const Call& call) {
  const std::vector<MPI_Request> before(requests, requests + count);
  std::vector<MPI_Status> own(before.size());
  const int error = call(own.data());
  for (std::size_t r = 0; r < before.size(); ++r) {
    if (requests[r] == MPI_REQUEST_NULL) completed(before[r], own[r]);
    if (statuses != MPI_STATUSES_IGNORE) statuses[r] = own[r];
  }
  return error;
}
/// The same by a call that says how many, which, and their statuses.
template <class Call>
int watched(int count, MPI_Request* requests, const int* done, const int* which, MPI_Status* statuses,
            const Call& call) {
  return watched(count, requests, MPI_STATUSES_IGNORE, [=](MPI_Status* own) {
    std::vector<MPI_Status> found(static_cast<std::size_t>(count) + 1);
    const int error = call(found.data());
    for (int f = 0; f < *done && which[f] >= 0; ++f) {  // below 0: none
      own[which[f]] = found[static_cast<std::size_t>(f)];
      if (statuses != MPI_STATUSES_IGNORE) statuses[f] = own[which[f]];
    }
    return error;
  });
}
const int one = 1;

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
  received += message(own, rank_in(ranks));
  if (status != MPI_STATUS_IGNORE) *status = own;
  return error;
}

int MPI_Irecv(void* to, int count, MPI_Datatype type, int source, int tag, MPI_Comm ranks,
              MPI_Request* request) {
  const int error = PMPI_Irecv(to, count, type, source, tag, ranks, request);
  flying.insert({*request, {true, 0, rank_in(ranks)}});
  return error;
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm ranks) {
  received += broadcast(count, type, root, ranks);
  return PMPI_Bcast(data, count, type, root, ranks);
}

int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm ranks, MPI_Request* request) {
  const int error = PMPI_Ibcast(data, count, type, root, ranks, request);
  flying.insert({*request, {false, broadcast(count, type, root, ranks), root}});
  return error;
}

int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
              MPI_Request* request) {
  const int error = PMPI_Isend(from, count, type, to, tag, ranks, request);
  flying.insert({*request, {false, 0, 0}});
  return error;
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return watched(count, requests, statuses,
                 [=](MPI_Status* own) { return PMPI_Waitall(count, requests, own); });
}

int MPI_Testall(int count, MPI_Request* requests, int* all, MPI_Status* statuses) {
  return watched(count, requests, statuses,
                 [=](MPI_Status* own) { return PMPI_Testall(count, requests, all, own); });
}

int MPI_Waitany(int count, MPI_Request* requests, int* which, MPI_Status* status) {
  return watched(count, requests, &one, which, status,
                 [=](MPI_Status* own) { return PMPI_Waitany(count, requests, which, own); });
}

int MPI_Testany(int count, MPI_Request* requests, int* which, int* any, MPI_Status* status) {
  return watched(count, requests, any, which, status,
                 [=](MPI_Status* own) { return PMPI_Testany(count, requests, which, any, own); });
}

int MPI_Waitsome(int count, MPI_Request* requests, int* done, int* which, MPI_Status* statuses) {
  return watched(count, requests, done, which, statuses,
                 [=](MPI_Status* own) { return PMPI_Waitsome(count, requests, done, which, own); });
}

int MPI_Testsome(int count, MPI_Request* requests, int* done, int* which, MPI_Status* statuses) {
  return watched(count, requests, done, which, statuses,
                 [=](MPI_Status* own) { return PMPI_Testsome(count, requests, done, which, own); });
}

int MPI_Request_free(MPI_Request* request) {
  return watched(1, request, MPI_STATUSES_IGNORE, [=](MPI_Status*) { return PMPI_Request_free(request); });
}

// For ScaLAPACK, whose messages are counted with the same measure.
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return watched(1, request, status, [=](MPI_Status* own) { return PMPI_Wait(request, own); });
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  return watched(1, request, status, [=](MPI_Status* own) { return PMPI_Test(request, done, own); });
}

}  // extern "C"
