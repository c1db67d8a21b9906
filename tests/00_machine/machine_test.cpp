// What 00 makes of a rate, worked out by hand, on a processor and at rates of the test's own; and what it
// takes a machine for.
#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "00_machine/measure.hpp"
#include "00_machine/pace.hpp"
#include "00_machine/roof.hpp"
#include "runner/machine.hpp"
#include "runner/text.hpp"

using namespace machine;

namespace {

constexpr double mebibyte = 1 << 20, rate = 1e6;  // rounds of a thread a second

/// Eight hardware threads on four cores.
Topology eight(double l2 = 1 << 20, double l3 = 1 << 25) {
  return {{0, 2, 4, 6, 1, 3, 5, 7},
          4,
          {{1, 50000, 12, 64, 1, 2}, {2, l2, 0, 64, 1, 2}, {3, l3, 16, 0, 4, 8}},
          1e10};
}

/// What a part of the program writes of the narrowest and of no vector set, by "type,threads,level".
std::map<std::string, double> found_by(void (*part)(Session&), const Topology& machine,
                                       std::vector<int> threads) {
  const auto file = std::filesystem::temp_directory_path() / ("machine." + std::to_string(getpid()));
  course::Options options;
  options.threads = std::move(threads), options.budget = 0.01;
  {
    Sheet sheet;
    sheet.open(file);
    Session session{options, machine, sheet};
    part(session);
  }
  std::map<std::string, double> found;
  std::ifstream rows(file);
  for (std::string line; std::getline(rows, line);) {
    const auto cells = course::split(line);  // name,type,vector,threads,level,value,unit,note
    if (cells[2] == course::every_vector || cells[2] == "")
      found[fmt::format("{},{},{}", cells[1], cells[3], cells[4])] = std::atof(cells[5].c_str());
  }
  std::filesystem::remove(file);
  return found;
}

/// How many bytes the triad streams in all three arrays of a thread, on this level; 0 without a row.
doctest::Approx streamed(const Topology& machine, int level, int threads) {
  const double value =
      found_by(add_bandwidths, machine, {threads})[fmt::format(",{},{}", threads, level_name(level))];
  return doctest::Approx(value * 1e9 / rate / threads).epsilon(0.02);
}

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

namespace course {
double available_memory() {
  return 64 * mebibyte;  // of which the arrays take a quarter
}
Device processor() {
  return {"processor", "a processor"};
}
}  // namespace course

TEST_CASE("latencies in nanoseconds; peaks are two operations for each sum in each lane of each thread") {
  auto latency = found_by(add_latencies, eight(), {1});
  for (const char* row : {"f32,1,add", "f64,1,add", "i32,1,add"}) CHECK(latency[row] == 1e9 / rate);
  const Kernels& set = *vector_sets()[0];
  auto peak = found_by(add_peaks, eight(), {1, 3});
  for (const int threads : {1, 3}) {
    const auto sums = [&](const char* type) {
      return doctest::Approx(peak[fmt::format("{},{},", type, threads)] / (2e-9 * rate * threads));
    };
    CHECK(sums("f32") == set.bytes / 4 * set.f32.chains);
    CHECK(sums("f64") == set.bytes / 8 * set.f64.chains);
    CHECK(sums("i32") == set.bytes / 4 * set.i32.chains);
  }
}

TEST_CASE("bandwidths: arrays fill half a level, less where threads share it; memory is beyond the last") {
  CHECK(streamed(eight(), 1, 1) == 25000);
  CHECK(streamed(eight(), 2, 1) == mebibyte / 2);
  CHECK(streamed(eight(), 2, 16) == mebibyte / 4);  // two threads a core
  CHECK(streamed(eight(), 3, 1) == 2 * mebibyte);   // an eighth of 16 MiB: as if all streamed
  CHECK(streamed(eight(), 4, 1) == 16 * mebibyte);
  CHECK(streamed(eight(20 * mebibyte, 32 * mebibyte), 3, 4) == 0);  // it cannot hold twice their second level
  auto sums = found_by(add_reads, eight(), {1});
  CHECK(sums[",1,L1"] == doctest::Approx(25000 * rate * 1e-9).epsilon(0.02));
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
