// The machine and the build: processes, threads, memory, instruction sets, names.
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace course {

/// The processes ("ranks") that run one program together; here there is one, which gets back what it put in.
/// MpiWorld overrides all. max, broadcast and on_this_host are collective: all ranks call them in the
/// same order and wait for one another.
class World {
 public:
  virtual ~World() = default;

  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  bool is_root() const { return rank() == 0; }

  /// Replaces each element by the largest of any rank; none is NaN.
  virtual void max(std::span<double>) const {}
  /// Rank 0's value: it decides for all.
  virtual std::int64_t broadcast(std::int64_t mine) const { return mine; }
  /// The sum over the ranks that share this one's memory.
  virtual double on_this_host(double mine) const { return mine; }

  /// Ends all ranks, `line` on stderr: for one that fails while others may wait for it.
  [[noreturn]] virtual void abort(const std::string&, int) const { std::terminate(); }
};

/// Where a variant runs: processor, gpu, emulator, or fallback, the host in a GPU's place.
struct Device {
  std::string kind = "processor", name = {};
  int cores = 0;  // that this process may use; of no GPU
  bool is_processor() const { return kind == "processor"; }
  std::string text() const { return cores == 0 ? name : name + " (" + std::to_string(cores) + " cores)"; }
};

/// How many hardware threads this process may use at once, even where OpenMP has bound the calling one to a
/// core: by affinity or by processor_quota, the least. tools/report/placed.py counts alike.
int usable_cpus();
constexpr const char *own_groups = "/proc/self/cgroup", *cgroups = "/sys/fs/cgroup";
/// How many processors' time the cgroups (version 2) leave this process (docker --cpus), or infinity.
double processor_quota(const std::string& groups = own_groups, const std::string& root = cgroups);
/// Throws Refusal, on every rank, if this process cannot start so many threads (it tries), or OpenMP fewer.
void require_threads(const std::vector<int>& counts, const World& world = {});
/// The processor, by the name that /proc/cpuinfo gives it, and usable_cpus.
Device processor();
std::string host_name();
/// Now, in UTC: 2026-11-21T07:48:24.125Z.
std::string utc_now();
/// "g++ 12.2.0"; and the commit built from, with +xxxxxx, a hash of the sources, if they are not its.
extern const std::string compiler, commit;

/// Bytes a process may still take without being killed: the lesser of /proc/meminfo's and the cgroup's.
double available_memory();
/// The bytes that the ranks of a host need, each its `bytes`, and those they may take: of the host worst off.
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
