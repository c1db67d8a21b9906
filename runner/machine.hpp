// The machine and the build: threads, memory, instruction sets, names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/world.hpp"

namespace course {

/// Where a variant runs: on the processor, on a gpu, on the emulator, or as fallback on the host in a GPU's
/// place.
struct Device {
  std::string kind = "processor", name = {};
  int cores = 0;  // that this process may use; of no GPU
  bool is_processor() const { return kind == "processor"; }
  std::string text() const { return cores == 0 ? name : name + " (" + std::to_string(cores) + " cores)"; }
};

/// How many hardware threads this process may use at once, even where OpenMP has bound the calling one to a
/// core: by affinity or by processor_quota, the least. tools/report/placed.py counts alike.
int usable_cpus();
/// How many processors' time the cgroups, versions 1 and 2, leave this process (docker --cpus), else
/// infinity.
double processor_quota(const std::string& groups = "/proc/self/cgroup",
                       const std::string& root = "/sys/fs/cgroup");
/// Throws Refusal, on every rank, if this process cannot start one of these numbers of threads (it tries), or
/// OpenMP is limited to fewer.
void require_threads(const std::vector<int>& counts, const World& world = {});
/// As require_threads; throws also if one of the numbers is more than usable_cpus.
void require_cpus(const std::vector<int>& counts);
/// The processor, by the name that /proc/cpuinfo gives it, and usable_cpus.
Device processor();
std::string host_name();
/// Now, in UTC: 2026-11-21T07:48:24.125Z.
std::string utc_now();
/// "g++ 12.2.0"; and the commit built from, with +xxxxxx, a hash of the sources, if they are not its.
extern const std::string compiler, commit;

/// Processor time used by all threads of this process, in seconds.
double process_seconds();
/// Bytes a process may still take without being killed: /proc/meminfo and the cgroup's limit, the smaller.
double available_memory();
/// The bytes that the ranks of a host need, each its `bytes`, and those they may take, by RLIMIT_AS too: of
/// the host, on every rank the same, that is worst off.
std::pair<double, double> memory_of(double bytes, const World& world = {});
/// Throws Refusal, on every rank, if that is more than they may take.
void require_memory(const std::string& what, double bytes, const World& world = {});
/// The vector registers that every processor of this kind has.
#ifdef __aarch64__
constexpr const char* every_vector = "neon";
#else
constexpr const char* every_vector = "sse2";
#endif
/// The features of a comma-separated list ("avx2,fma") that this processor, or an emulated one, lacks.
std::string lacking(std::string_view features);

}  // namespace course
