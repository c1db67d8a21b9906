// How much a rank has received: counted where MPI delivers it (received.cpp), not worked out.
#pragma once

namespace mpi {

/// Bytes that this rank has received from others since the program began.
double bytes_received();

}  // namespace mpi
