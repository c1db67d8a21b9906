// What 00 takes a machine for, and its peaks at a rate of the test's own.
#include <doctest/doctest.h>
#include <sched.h>

#include <cstdlib>

#include "00_machine/measure.hpp"
#include "00_machine/roof.hpp"
#include "tests/check.hpp"

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

namespace machine {
constexpr double rate = 1e6;  // rounds of a thread a second
std::string Rate::disturbed() const {
  return "";
}
Rate best_rate(int threads, const std::vector<int>&, double, const std::function<Work(int)>& prepare) {
  prepare(threads - 1)(3);
  return {rate * threads, 1};
}
double pace(int) {
  return 0;
}
}  // namespace machine

TEST_CASE("peaks are two operations for each sum in each lane of each thread") {
  char path[] = "/tmp/course-machine-XXXXXX";
  close(mkstemp(path));
  course::Options options;
  options.threads = {1, 3};
  captured([&] {
    Sheet sheet;
    sheet.open(path);
    Session session{options, topology(), sheet};
    add_peaks(session);
  });
  const Kernels& set = *vector_sets()[0];
  const double sums[] = {set.bytes / 4. * set.f32.chains, set.bytes / 8. * set.f64.chains,
                         set.bytes / 4. * set.i32.chains};
  for (const course::Table::Row& row : course::Table(course::machine_schema).read(path, "")) {
    const std::size_t type = row[1] == "f32" ? 0 : row[1] == "f64" ? 1 : 2;
    if (row[2] == set.name)
      CHECK(std::stod(row[5]) == doctest::Approx(2e-9 * rate * std::stoi(row[3]) * sums[type]).epsilon(1e-3));
  }
  std::remove(path);
}

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
