// What the machine can do: how long an instruction takes, how many fit in a second, how fast memory is.
#pragma once

#include <string>

#include "runner/options.hpp"
#include "topology.hpp"

namespace machine {

/// The state that the parts of the program share.
struct Session {
  const course::Options& options;
  const Topology& machine;
  Sheet& sheet;

  bool asks_for(const std::string& type) const;
};

/// Measures a row if it is wanted: `fill` says what to write.
template <class F>
void add_if_wanted(Session& session, Row row, F fill) {
  if (!session.sheet.wants(row)) return;
  fill(row);
  if (!row.value.empty()) session.sheet.add(row);
}

void add_latencies(Session& session);
void add_chains(Session& session);
void add_cycles(Session& session);
/// Why they cannot be measured here; nothing if they can.
std::string chains_missing();
/// How fast a loop on registers is at best.
void add_paces(Session& session);
void add_peaks(Session& session);
void add_bandwidths(Session& session);
void add_reads(Session& session);

// Of a GPU, in a program that nvcc had a part in.
#ifdef COURSE_HAS_NVCC
/// Why there is nothing to measure; or nothing.
std::string gpu_missing();
/// The GPU's description, clock and roofs.
void add_gpu(Session& session);
/// The peaks, the bandwidths and the copies.
void add_gpu_roofs(Session& session);
#else
inline std::string gpu_missing() {
  return "built without nvcc";
}
inline void add_gpu(Session&) {}
inline void add_gpu_roofs(Session&) {}
#endif

}  // namespace machine
