// How much a rank has received: counted where MPI delivers it (received.cpp), not worked out.
#pragma once

namespace mpi {

/// Bytes that this rank has received from others since the program began.
double bytes_received();
/// Its sends, receives and broadcasts that have begun and that no call has completed.
int requests_under_way();

}  // namespace mpi
