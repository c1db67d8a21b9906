// The machine and the build, as far as records and refusals need them.
#pragma once

#include <sched.h>

#include <string>
#include <string_view>

#include "common/world.hpp"

namespace course {

/// The processor's name as /proc/cpuinfo gives it, and how many cores may be used: "AMD EPYC (2 cores)".
std::string processor();
/// The hardware threads that this process may use, even where OpenMP has bound the calling thread to one of
/// them (OMP_PROC_BIND); and how many they are.
cpu_set_t usable_set();
int usable_cpus();
std::string host_name();
/// For example "g++ 12.2.0"; and the commit built from, with +xxxxxx (a hash of the difference) when the
/// source differs from it. By cmake/commit.cmake, at every build.
std::string compiler();
std::string commit();
/// Now, in UTC: 2026-11-21T07:48:24Z.
std::string utc_now();

/// Bytes a process may still take without being killed: /proc/meminfo and the cgroup's limit, the smaller.
double available_memory();
/// Throws Refusal, on every rank, if `bytes` of each rank of a host are more than it has: `what` needs them.
void require_memory(const std::string& what, double bytes, const std::string& what_would_do = "",
                    const World& world = {});

/// Which of a comma-separated list of features ("avx2,fma") this processor lacks, in the same form. Asked of
/// the processor itself, so that an emulated one is believed.
std::string lacking(std::string_view features);

}  // namespace course
