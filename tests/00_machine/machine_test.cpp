// What 00 makes of a rate, worked out by hand, with a processor, rates and kernels of the test's own; and
// what it takes a machine for.
#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "00_machine/measure.hpp"
#include "00_machine/pace.hpp"
#include "00_machine/roof.hpp"
#include "runner/machine.hpp"
#include "runner/text.hpp"

using namespace machine;

namespace {

constexpr double mebibyte = 1 << 20;

struct State {
  double rate = 1e9, first_rate = 1e9;  // rounds of a thread a second, and those of the first measurement
  double available = 1e12;              // bytes
  Index streamed = 0;                   // numbers in an array of the last triad, or of the last sum
} state;

template <class T>
void nothing(T*, Index) {}

constexpr Kernels all_of(const char* name) {
  return {name,
          256,  // bytes of a register that no processor has
          {nothing<float>, 3, ""},
          {nothing<double>, 5, ""},
          {nothing<std::uint32_t>, 7, ""},
          {nothing<float>},
          {nothing<double>},
          [](double*, const double*, const double*, double, Index count, Index) { state.streamed = count; },
          [](const std::uint64_t*, Index count, Index) { return state.streamed = count, std::uint64_t{}; },
          {Few{nothing<float>, 1, 2}, {}, Few{nothing<float>, 64, 5}}};
}

/// Eight hardware threads on four cores, or four on as many; a third level for all.
Topology machine_of(int shared, double l2, double l3) {
  std::vector<int> cpus = {0, 2, 4, 6};
  if (shared == 2) cpus.insert(cpus.end(), {1, 3, 5, 7});
  return {
      cpus, 4, {{1, 50000, 12, 64, 1, 1}, {2, l2, 0, 64, 1, shared}, {3, l3, 16, 0, 4, 4 * shared}}, 1e10};
}
Topology eight(double l2 = 1 << 20, double l3 = 1 << 25) {
  return machine_of(2, l2, l3);
}

/// The values that a part of the program writes of the first and of no vector set, by "type,threads,level",
/// with what it says on stderr.
struct Found {
  std::map<std::string, double> value;
  std::string said;
};
Found found_by(void (*part)(Session&), const Topology& machine, std::vector<int> threads = {1},
               std::vector<std::string> types = {"f32", "f64", "i32"}) {
  const auto file = std::filesystem::temp_directory_path() / ("machine." + std::to_string(getpid()));
  course::Options options;
  options.threads = std::move(threads), options.types = std::move(types), options.budget = 0.01;
  std::ostringstream said;
  std::streambuf* const before = std::cerr.rdbuf(said.rdbuf());
  {
    Sheet sheet;
    sheet.open(file);
    Session session{options, machine, sheet};
    part(session);
  }
  std::cerr.rdbuf(before);
  Found found{{}, said.str()};
  std::ifstream rows(file);
  for (std::string line; std::getline(rows, line);) {
    const auto cells = course::split(line);  // name,type,vector,threads,level,value,unit,note
    if (cells[2] == course::every_vector || cells[2] == "")
      found.value[fmt::format("{},{},{}", cells[1], cells[3], cells[4])] = std::atof(cells[5].c_str());
  }
  std::filesystem::remove(file);
  return found;
}

/// How many numbers the triad streams of each array, on this level, in so many threads.
double streamed(const Topology& machine, int level, int threads) {
  state.rate = state.first_rate = 1e9;
  const auto value = found_by(add_bandwidths, machine, {threads}).value;
  const auto row = value.find(fmt::format(",{},{}", threads, level_name(level)));
  return row == value.end() ? 0 : row->second / (24 * threads);
}

/// As hwloc describes a machine in words.
Topology described(const char* text, const char* bound = "0") {
  setenv("HWLOC_SYNTHETIC", text, 1);
  setenv("HWLOC_THISSYSTEM", bound, 1);  // 1: what this process may use counts
  const Topology found = topology();
  unsetenv("HWLOC_SYNTHETIC");
  unsetenv("HWLOC_THISSYSTEM");
  return found;
}

}  // namespace

namespace machine {

std::string Rate::disturbed() const {
  return "";
}
Rate best_rate(int threads, const std::vector<int>&, double, const std::function<Work(int)>& prepare) {
  prepare(threads - 1)(3);
  return {std::exchange(state.first_rate, state.rate) * threads, 1};
}
void additions(float*, Index) {}
void additions(double*, Index) {}
void additions(std::uint32_t*, Index) {}
double pace(int) {
  return 0;
}

}  // namespace machine

namespace machine_sse2 {
const Kernels kernels = all_of("sse2");
}
namespace machine_avx2 {
const Kernels kernels = all_of("avx2");
}
namespace machine_avx512 {
const Kernels kernels = all_of("avx512");
}
namespace machine_neon {
const Kernels kernels = all_of("neon");
}

namespace course {
double available_memory() {
  return state.available;
}
Device processor() {
  return {"processor", "a processor"};
}
}  // namespace course

TEST_CASE("latencies in nanoseconds; the clock is what a chain of integer additions tells") {
  state = {.rate = 2e9, .first_rate = 4e9};
  const auto value = found_by(add_latencies, eight()).value;
  CHECK(value.at(",1,") == 4);
  for (const char* row : {"f32,1,add", "f64,1,add", "i32,1,add", "f32,1,fma", "f64,1,fma"})
    CHECK(value.at(row) == 0.5);
}

TEST_CASE("peaks: two operations for each sum in each lane of each thread; of the types asked for alone") {
  state = {};
  const auto value = found_by(add_peaks, eight(), {1, 3}).value;
  for (const int threads : {1, 3}) {
    const auto of_type = [&](const char* type) { return value.at(fmt::format("{},{},", type, threads)); };
    CHECK(of_type("f32") == 2 * 64 * 3 * threads);
    CHECK(of_type("f64") == 2 * 32 * 5 * threads);
    CHECK(of_type("i32") == 2 * 64 * 7 * threads);
  }
  const auto of_f64 = found_by(add_peaks, eight(), {1}, {"f64"}).value;
  CHECK(of_f64.contains("f64,1,"));
  CHECK_FALSE((of_f64.contains("f32,1,") || of_f64.contains("i32,1,")));
}

TEST_CASE("bandwidths: a round moves three arrays of eight bytes a number, or reads one") {
  state = {.rate = 1e5, .first_rate = 1e5, .available = 1024 * mebibyte};
  const auto triads = found_by(add_bandwidths, eight(), {1, 2}).value;
  CHECK(triads.at(",1,L1") == doctest::Approx(1e5 * 24 * 1024 * 1e-9).epsilon(1e-3));
  CHECK(triads.at(",2,L1") == doctest::Approx(2e5 * 24 * 1024 * 1e-9).epsilon(1e-3));
  const auto sums = found_by(add_reads, eight(), {1}).value;
  CHECK(sums.at(",1,L1") == doctest::Approx(1e5 * 8 * 3072 * 1e-9).epsilon(1e-3));
  CHECK(state.streamed * 8 == 256 * mebibyte);  // memory comes last
}

TEST_CASE("bandwidths: arrays fill half a level, less where threads share it; memory is beyond the last") {
  state = {.available = 64 * mebibyte};  // a quarter of it at most
  const auto numbers = [](double bytes) {
    return doctest::Approx(bytes / 24).epsilon(0.02);
  };  // of each array
  CHECK(streamed(eight(), 1, 1) == numbers(25000));
  CHECK(streamed(eight(), 2, 1) == numbers(mebibyte / 2));
  CHECK(streamed(eight(), 2, 16) == numbers(mebibyte / 4));  // two threads a core
  CHECK(streamed(eight(), 3, 1) == numbers(2 * mebibyte));   // an eighth of 16 MiB: as if all streamed
  CHECK(streamed(eight(), 4, 1) == numbers(16 * mebibyte));
  CHECK(streamed(machine_of(1, mebibyte / 4, 256 * mebibyte), 3, 1) ==
        numbers(8 * mebibyte));  // of 32 MiB at most
  CHECK(streamed(machine_of(1, 5 * mebibyte, 32 * mebibyte), 3, 4) == 0);
  Topology of_two_levels = eight();
  of_two_levels.caches.pop_back();
  CHECK((streamed(of_two_levels, 3, 1) == 0 && streamed(of_two_levels, 4, 1) > 0));
  CHECK(found_by(add_bandwidths, machine_of(1, 5 * mebibyte, 32 * mebibyte), {4}).said ==
        "00_machine: L3 with 4 threads left out: it is too small to hold twice their second level\n");
  state = {};  // from four times the last level, 256 MiB to 1 GiB in all
  CHECK(streamed({{0}, 1, {}, 1e10}, 4, 64) == numbers(4 * mebibyte));
  CHECK(streamed(eight(mebibyte, 100 * mebibyte), 4, 64) == numbers(400 * mebibyte / 64));
  CHECK(streamed(eight(mebibyte, 512 * mebibyte), 4, 64) == numbers(16 * mebibyte));
}

TEST_CASE("hwloc: cores, their threads in turn, and who shares a level") {
  const Topology machine =
      described("pack:2 l3:1(size=16777216) core:3 l2:1(size=1048576) l1d:1(size=32768) pu:2");
  CHECK(machine.cpus == std::vector<int>{0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11});
  CHECK(machine.cores == 6);
  for (const auto& [level, bytes, cores] : {std::tuple(1, 32768, 1), {2, 1048576, 1}, {3, 16777216, 3}}) {
    const Cache* const cache = machine.cache(level);
    CHECK((cache->bytes == bytes && cache->cores == cores && cache->threads == 2 * cores));
  }
  CHECK(machine.cache(4) == nullptr);
}

TEST_CASE("of fast and slow cores both caches are told") {
  Topology machine;
  const auto told = [&machine](int level) { return note_of(*machine.cache(level), 7); };
  for (int core = 0; core < 7;
       ++core) {  // two fast ones, four slow ones with a second level in common, one alone
    const bool fast = core < 2, alone = core == 6;
    machine.add({1, fast ? 49152. : 32768., 12, 64, 1, 1});
    machine.add({2, fast || alone ? 0x1p21 : 0x1p22, 0, 0, fast || alone ? 1 : 4, 4});
    machine.add({3, alone ? 0. : 0x1p24, 0, 0, alone ? 0 : 6, 6});
  }
  CHECK(told(1) == "12 ways; 64 B lines; each of 2 cores; 5 others have 32 KiB each");
  CHECK(told(2) == "each of 3 cores; 4 others have 4 MiB shared by 4");
  CHECK(told(3) == "shared by 6 of the 7 usable cores; 1 other has none");
}

#ifdef __linux__
TEST_CASE("hwloc: what this process may not use does not count") {
  cpu_set_t before, one;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  int last = 0;
  for (int cpu = 0; cpu < 64; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &before)) last = cpu;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(last), &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  const Topology machine = described("l3:1(size=16777216) core:64 l1d:1(size=32768) pu:1", "1");
  std::string refused;
  try {
    described("core:1 pu:1", "1");
  } catch (const course::Refusal& refusal) {
    refused = refusal.message;
  }
  sched_setaffinity(0, sizeof before, &before);
  CHECK(machine.cpus == std::vector<int>{last});
  CHECK(machine.cores == 1);
  CHECK(machine.caches.at(1).cores == 1);
  CHECK(machine.caches.at(1).threads == 1);
  if (last > 0) CHECK(refused == "hwloc sees no core that this process may use");
}
#endif
