// What 00 makes of a rate: its rows, worked out by hand. Processor, rates and kernels are the test's own; the
// kernels look at how they are called.
#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "00_machine/measure.hpp"
#include "00_machine/pace.hpp"
#include "00_machine/roof.hpp"
#include "runner/machine.hpp"
#include "runner/text.hpp"

using namespace machine;

namespace {

using Lines = std::vector<std::string>;
constexpr Index rounds = 3;
constexpr double mebibyte = 1 << 20;
constexpr int bytes = 256;  // of a register that no processor has

struct State {
  double rate = 1e9, first_rate = 1e9;  // rounds of a thread a second, and those of the first measurement
  double available = 1e12;              // bytes
  std::vector<int> cpus = {};
  int paces = 0;
  Lines streamed = {};  // the triads' counts
} state;

template <class T, int lanes, int chains>
void sums(T* registers, Index times) {
  CHECK(times == rounds);
  const T factor = std::is_floating_point_v<T> ? T(0.5) : T(1);
  CHECK(std::count(registers, registers + 2 * lanes, factor) == 2 * lanes);
  CHECK(std::count(registers + 2 * lanes, registers + (2 + chains) * lanes, T(1)) == chains * lanes);
}

void triad(double* a, const double* b, const double* c, double factor, Index count, Index passes) {
  const Index apart = (count + 511) / 512 * 512 + 168;  // whole pages and 21 lines
  CHECK(b - a == apart);
  CHECK(c - b == apart);
  CHECK(std::count(a, a + 3 * apart, 1.0) == 3 * apart);
  CHECK(factor == 0.5);
  CHECK(passes == rounds);
  state.streamed.push_back(std::to_string(count));
}

std::uint64_t read(const std::uint64_t* numbers, Index count, Index passes) {
  CHECK(std::count(numbers, numbers + count, 1u) == count);
  CHECK(passes == rounds);
  return 0;
}

constexpr Kernels all_of(const char* name) {
  return {name,
          bytes,
          {sums<float, 64, 3>, 3, "some"},
          {sums<double, 32, 5>, 5, "other"},
          {sums<std::uint32_t, 64, 7>, 7, "whole"},
          {sums<float, 64, 1>},
          {sums<double, 32, 1>},
          triad,
          read,
          {Few{sums<float, 1, 2>, 1, 2}, {}, Few{sums<float, 64, 5>, 64, 5}}};
}

/// So many hardware threads, two a core where `shared` is 2; a third level for all.
Topology of(std::vector<int> cpus, int shared, double l2, double l3) {
  const int all = static_cast<int>(cpus.size()), cores = all / shared;
  return {std::move(cpus),
          cores,
          {{1, 50000, 12, 64, 1, 1}, {2, l2, 0, 64, 1, shared}, {3, l3, 16, 0, cores, all}},
          1e10};
}
Topology eight(double l2 = 1 << 20, double l3 = 1 << 25) {
  return of({0, 2, 4, 6, 1, 3, 5, 7}, 2, l2, l3);
}
Topology four(double l2, double l3) {
  return of({0, 1, 2, 3}, 1, l2, l3);
}

std::string whole_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What a part of the program writes for this machine.
Lines rows_of(void (*part)(Session&), const Topology& machine, const course::Options& given = {}) {
  const auto folder = std::filesystem::temp_directory_path() / ("course-machine-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const auto file = folder / "machine.csv";
  course::Options options = given;
  options.budget = 0.01;
  state.cpus = machine.cpus;
  {
    Sheet sheet(file, false, "a processor");
    Session session{options, machine, sheet};
    part(session);
    CHECK(sheet.left_out == 0);
  }
  Lines lines = course::split(whole_text(file), '\n');
  lines.erase(lines.begin()), lines.pop_back();  // the header, and what follows the last end of line
  std::filesystem::remove_all(folder);
  return lines;
}

/// The same lines for every vector set, in whose place NAME stands.
Lines of_sets(const Lines& lines) {
  Lines all;
  for (const Kernels* set : vector_sets())
    for (std::string line : lines) all.push_back(line.replace(line.find("NAME"), 4, set->name));
  return all;
}

void add(Lines& lines, const Lines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

course::Options with_threads(std::vector<int> threads) {
  course::Options options;
  options.threads = std::move(threads);
  return options;
}

/// How many numbers each array of the triad has, by "level,threads", and what is said on stderr.
struct Streams {
  Lines rows;
  std::string said;
};
Streams streams(const Topology& machine, std::vector<int> threads) {
  std::ostringstream said;
  std::streambuf* const before = std::cerr.rdbuf(said.rdbuf());
  state.streamed.clear();
  const Lines rows = rows_of(add_bandwidths, machine, with_threads(std::move(threads)));
  std::cerr.rdbuf(before);
  REQUIRE(rows.size() == state.streamed.size());
  Lines found;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Lines cells = course::split(rows[r]);
    if (cells[2] == "sse2") found.push_back(cells[4] + "," + cells[3] + ": " + state.streamed[r]);
  }
  return {found, said.str()};
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
  return share < 1 ? "; disturbed" : "";
}
Rate best_rate(int threads, const std::vector<int>& cpus, double budget,
               const std::function<Work(int)>& prepare) {
  CHECK(cpus == state.cpus);
  CHECK(budget == 0.01);
  prepare(threads - 1)(rounds);
  return {std::exchange(state.first_rate, state.rate) * threads, 0.5};
}
void additions(float* registers, Index times) {
  sums<float, 1, 1>(registers, times);
}
void additions(double* registers, Index times) {
  sums<double, 1, 1>(registers, times);
}
void additions(std::uint32_t* registers, Index times) {
  sums<std::uint32_t, 1, 1>(registers, times);
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

namespace course {
double available_memory() {
  return state.available;
}
std::string processor() {
  return "a processor";
}
}  // namespace course

double machine::pace(int threads) {
  return 1e9 * threads * std::min(++state.paces, 3);
}

TEST_CASE("latencies: nanoseconds, and cycles of the clock that a chain of additions has told") {
  state = {.rate = 2e9, .first_rate = 4e9};
  Lines expected = {"clock,,,1,,4,GHz,a chain of dependent integer additions; 1 cycle each; disturbed"};
  for (const char* type : {"f32", "f64", "i32"})
    expected.push_back(std::string("latency,") + type + ",,1,add,0.5,ns,2.0 cycles; disturbed");
  add(expected, of_sets({"latency,f32,NAME,1,fma,0.5,ns,2.0 cycles; disturbed",
                         "latency,f64,NAME,1,fma,0.5,ns,2.0 cycles; disturbed"}));
  CHECK(rows_of(add_latencies, eight()) == expected);
}

TEST_CASE("peaks: two operations for each sum in each lane; types that nobody asked for are left out") {
  state = {};
  Lines expected;
  for (const char* threads : {"1", "3"}) {
    const int all = std::atoi(threads);
    const auto row = [&](const char* type, int each, const char* instructions, const char* chains) {
      return fmt::format("peak,{},NAME,{},,{},GFLOP/s,{}; {} chains; disturbed", type, threads, each * all,
                         instructions, chains);
    };
    add(expected, of_sets({row("f32", 2 * 64 * 3, "some", "3"), row("f64", 2 * 32 * 5, "other", "5"),
                           row("i32", 2 * 64 * 7, "whole", "7")}));
  }
  CHECK(rows_of(add_peaks, eight(), with_threads({1, 3})) == expected);
  course::Options options;
  options.types = {"f64"};
  CHECK(rows_of(add_peaks, eight(), options) ==
        of_sets({"peak,f64,NAME,1,,320,GFLOP/s,other; 5 chains; disturbed"}));
  CHECK(rows_of(add_chains, eight(), options).empty());
}

TEST_CASE("a further look is at what was disturbed, and at a file's rows if they are measured again") {
  const auto file = std::filesystem::temp_directory_path() / ("looks." + std::to_string(getpid()));
  const auto peak = [](const char* vector, const char* value = "", const char* note = "") {
    return Row{"peak", "f32", vector, 1, "", value, "GFLOP/s", note};
  };
  {
    Sheet first(file, false, "a processor");
    first.add(peak("sse2", "50", "disturbed: 60 %")), first.add(peak("avx2", "100"));
    first.look = Sheet::Look::at_disturbed;
    CHECK(first.wants(peak("sse2")));
    CHECK_FALSE((first.wants(peak("avx2")) || first.wants(peak("avx512"))));
  }
  Sheet again(file, true, "a processor");
  again.take_file(), again.look = Sheet::Look::again;
  CHECK(again.wants(peak("avx2")));
  again.add(peak("sse2", "60")), again.add(peak("avx2", "100.4"));  // half a percent is no gain
  const std::string text = whole_text(file);
  CHECK(text.find(",60,") != std::string::npos);
  CHECK(text.find(",100.4,") == std::string::npos);
  std::filesystem::remove(file);
}

TEST_CASE("chains: a vector's sums, and those of a single number; the pace is the best that was seen") {
  state = {};
  Lines expected;
  for (const Kernels* set : vector_sets())
    add(expected,
        {"chains,f32,scalar,1,2,4,GFLOP/s,vfmadd; 1 at a time; disturbed",
         std::string("chains,f32,") + set->name + ",1,5,640,GFLOP/s,vfmadd; 64 at a time; disturbed"});
  CHECK(rows_of(add_chains, eight()) == expected);
  CHECK(rows_of(add_paces, eight(), with_threads({2})) ==
        Lines{"pace,,,2,,6,Gop/s,dependent additions; a thread each; the slowest counts"});
}

TEST_CASE("bandwidths: three arrays of eight bytes a number, and what a row says of them") {
  state = {.rate = 1e5, .first_rate = 1e5, .available = 96 * mebibyte};
  const Topology alone = {{0}, 1, {{1, 50000, 0, 64, 1, 1}, {2, mebibyte / 2, 8, 64, 1, 1}}, 1e10};
  Lines expected;
  for (const char* row :
       {"1,L1,2.458,GB/s,triad; 3 arrays of 8 KiB",
        "1,L2,26.11,GB/s,triad; 3 arrays of 85 KiB; write-allocate traffic not counted",
        "1,memory,2517,GB/s,triad; 3 arrays of 8 MiB; write-allocate traffic not counted",
        "2,L1,4.915,GB/s,triad; 3 arrays of 8 KiB a thread",
        "2,L2,52.22,GB/s,triad; 3 arrays of 85 KiB a thread; write-allocate traffic not counted",
        "2,memory,2517,GB/s,triad; 3 arrays of 4 MiB a thread; write-allocate traffic not counted"})
    add(expected, of_sets({std::string("bandwidth,,NAME,") + row + "; disturbed"}));
  CHECK(rows_of(add_bandwidths, alone, with_threads({1, 2})) == expected);
}

TEST_CASE("reads: one array with the bytes of the triad's three") {
  state = {.rate = 1e5, .first_rate = 1e5, .available = 96 * mebibyte};
  const Topology alone = {{0}, 1, {{1, 50000, 0, 64, 1, 1}, {2, mebibyte / 2, 8, 64, 1, 1}}, 1e10};
  Lines expected;
  for (const char* row :
       {"1,L1,2.458,GB/s,sum of 24 KiB", "1,L2,26.21,GB/s,sum of 256 KiB", "1,memory,2517,GB/s,sum of 24 MiB",
        "2,L1,4.915,GB/s,sum of 24 KiB a thread", "2,L2,52.43,GB/s,sum of 256 KiB a thread",
        "2,memory,2517,GB/s,sum of 12 MiB a thread"})
    add(expected, of_sets({std::string("read,,NAME,") + row + "; disturbed"}));
  CHECK(rows_of(add_reads, alone, with_threads({1, 2})) == expected);
}

TEST_CASE("bandwidths: arrays fill half a level, less where threads share it; a third level is beyond two") {
  const auto one = [](double l2, double l3) { return streams(four(l2, l3), {1}).rows.at(2); };
  state = {.available = 64 * mebibyte};  // a quarter of it at most
  Streams found = streams(eight(), {1, 16});
  CHECK(found.rows == Lines{"L1,1: 1024", "L2,1: 21824", "L3,1: 87360", "memory,1: 699008",  //
                            "L1,16: 1024", "L2,16: 10880", "L3,16: 43648", "memory,16: 43648"});
  CHECK(found.said.empty());
  CHECK(one(mebibyte / 4, 32 * mebibyte) == "L3,1: 174720");   // a quarter of a half
  CHECK(one(mebibyte / 4, 256 * mebibyte) == "L3,1: 349504");  // of 32 MiB
  found = streams(four(5 * mebibyte, 32 * mebibyte), {1, 4});
  CHECK(found.rows.at(2) == "L3,1: 436864");
  CHECK(found.rows.at(6).starts_with("memory,4: "));
  CHECK(found.said ==
        "00_machine: L3 with 4 threads left out: it is too small to hold twice their second level\n");
  found = streams({{0}, 1, {{1, 1000, 0, 64, 1, 1}, {3, 32 * mebibyte, 0, 64, 1, 1}}, 1e10}, {1});
  CHECK(found.rows == Lines{"L1,1: 64", "L3,1: 699008", "memory,1: 699008"});
}

TEST_CASE("bandwidths: memory is streamed from four times the last level, 256 MiB to 1 GiB in all") {
  state = {};
  CHECK(streams({{0}, 1, {}, 1e10}, {64}).rows == Lines{"memory,64: 174720"});
  CHECK(streams(eight(mebibyte, 100 * mebibyte), {64}).rows.back() == "memory,64: 273024");
  CHECK(streams(eight(mebibyte, 512 * mebibyte), {64}).rows.back() == "memory,64: 699008");
}

TEST_CASE("hwloc: cores, their threads in turn, and who shares a level") {
  const Topology machine =
      described("pack:2 l3:1(size=16777216) core:3 l2:1(size=1048576) l1d:1(size=32768) pu:2");
  CHECK(machine.cpus == std::vector<int>{0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11});
  CHECK(machine.cores == 6);
  std::string found;
  for (const Cache& c : machine.caches)
    found += fmt::format("L{} {} B: {} cores, {} threads; ", c.level, c.bytes, c.cores, c.threads);
  CHECK(found ==
        "L1 32768 B: 1 cores, 2 threads; L2 1048576 B: 1 cores, 2 threads; L3 16777216 B: 3 cores, 6 "
        "threads; ");
  CHECK(machine.cache(4) == nullptr);
  std::ifstream meminfo("/proc/meminfo");
  std::string word, kibibytes;
  meminfo >> word >> kibibytes;
  CHECK(machine.memory == doctest::Approx(1024 * std::stod(kibibytes)));
}

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
