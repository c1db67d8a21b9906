// The machine and the build, as far as records and refusals need them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/world.hpp"

namespace course {

/// How many hardware threads this process may use, even where OpenMP has bound the calling one to a core.
int usable_cpus();
/// Throws Refusal, on every rank, if one of --threads' counts is more than a process can start. Tries it.
void require_threads(const std::vector<int>& counts, const World& world = {});
/// The same, and if one of them is more than usable_cpus.
void require_cpus(const std::vector<int>& counts);
/// The processor's name as /proc/cpuinfo gives it, and that number: "AMD EPYC (2 cores)".
std::string processor();
std::string host_name();
/// Now, in UTC: 2026-11-21T07:48:24Z.
std::string utc_now();
/// For example "g++ 12.2.0"; and the commit built from, with +xxxxxx (a hash of the difference) when the
/// source differs from it. By cmake/commit.cmake, at every build.
extern const std::string compiler, commit;

/// Seconds for which this process had processors, of all its threads together.
double processor_seconds();
/// Bytes a process may still take without being killed: /proc/meminfo and the cgroup's limit, the smaller.
double available_memory();
/// Throws Refusal, on every rank, if `bytes` of each rank of a host are more than it has: `what` needs them.
void require_memory(const std::string& what, double bytes, const std::string& what_would_do = "",
                    const World& world = {});

/// Which of a comma-separated list of features ("avx2,fma") this processor lacks, in the same form. Asked of
/// the processor itself, so that an emulated one is believed.
std::string lacking(std::string_view features);

}  // namespace course
