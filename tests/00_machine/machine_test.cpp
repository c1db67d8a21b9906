// What 00 takes a machine for.
#include <doctest/doctest.h>
#include <sched.h>

#include <cstdlib>

#include "00_machine/topology.hpp"

using namespace machine;

namespace {

/// As hwloc describes a machine in words; bound: what this process may use counts.
Topology described(const char* text, const char* bound = "0") {
  setenv("HWLOC_SYNTHETIC", text, 1);
  setenv("HWLOC_THISSYSTEM", bound, 1);
  const Topology found = topology();
  unsetenv("HWLOC_SYNTHETIC"), unsetenv("HWLOC_THISSYSTEM");
  return found;
}

}  // namespace

TEST_CASE("hwloc: cores, their threads in turn, who shares a level; others' caches are told") {
  Topology machine = described("pack:2 l3:1(size=16777216) core:3 l2:1(size=1048576) l1d:1(size=32768) pu:2");
  CHECK(machine.cpus == std::vector<int>{0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11});
  CHECK(machine.cores == 6);
  for (const auto& [level, bytes, cores] : {std::tuple(1, 32768, 1), {2, 1048576, 1}, {3, 16777216, 3}}) {
    const Cache* const cache = machine.cache(level);
    CHECK((cache->bytes == bytes && cache->cores == cores && cache->threads == 2 * cores));
  }
  machine.add({1, 49152, 12, 64, 1, 1});
  CHECK(note_of(*machine.cache(1), 7).ends_with("each of 6 cores; 1 other has 48 KiB each"));
}

#ifdef __linux__
TEST_CASE("hwloc: what this process may not use does not count") {
  cpu_set_t before, one;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  std::size_t last = 0;
  for (std::size_t cpu = 0; cpu < 64; ++cpu)
    if (CPU_ISSET(cpu, &before)) last = cpu;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  const Topology machine = described("l3:1(size=16777216) core:64 l1d:1(size=32768) pu:1", "1");
  sched_setaffinity(0, sizeof before, &before);
  CHECK(machine.cpus == std::vector<int>{static_cast<int>(last)});
  CHECK((machine.cores == 1 && machine.caches.at(1).cores == 1 && machine.caches.at(1).threads == 1));
}
#endif
