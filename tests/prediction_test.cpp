// Predictions, against a machine.csv whose numbers make the times easy to work out by hand.
#include "runner/prediction.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runner/text.hpp"

using namespace course;

namespace {

const std::string header = Table(machine_schema()).header() + "\n";
constexpr const char* rows =
    "processor,,,,,4,threads,a test\n"
    "cache,,,,L1,1000,B,\ncache,,,,L2,10000,B,\ncache,,,,L3,100000,B,\n"
    "latency,f32,,1,add,2,ns,\nlatency,f32,sse2,1,fma,6,ns,\n"
    "peak,f32,sse2,1,,10,GFLOP/s,\npeak,f32,sse2,4,,30,GFLOP/s,\npeak,f32,avx2,1,,20,GFLOP/s,\n"
    "bandwidth,,sse2,1,L1,8,GB/s,\nbandwidth,,sse2,1,L2,4,GB/s,\nbandwidth,,sse2,1,L3,2,GB/s,\n"
    "bandwidth,,sse2,1,memory,1,GB/s,\nbandwidth,,sse2,4,memory,1.5,GB/s,\n";

struct File {
  explicit File(const std::string& text) {
    char name[] = "/tmp/course-roofs-XXXXXX";
    close(mkstemp(name));
    path = name;
    std::ofstream(path) << text;
  }
  ~File() { std::filesystem::remove(path); }
  std::string path;
};

/// Times are nanoseconds: doctest's own tolerance is far above them.
doctest::Approx near(double value) {
  return doctest::Approx(value).scale(0);
}

struct Case {
  Cost cost;
  const char* limit;
  double seconds;
};
void check(const MachineModel& roofs, const char* vector, const std::vector<Case>& cases) {
  for (const auto& [cost, limit, seconds] : cases) {
    const auto found = roofs.predict(cost, "f32", vector, 1);
    CHECK(found->limit == limit);
    CHECK(found->seconds == near(seconds));
  }
}
/// 400 bytes that come again after so many others.
Cost again(double distance, double flops = 1) {
  return {flops, 0, 400, {{400, distance}}};
}

MachineModel machine(const std::string& text = header + rows) {
  return MachineModel(File(text).path);
}

}  // namespace

TEST_CASE("the slowest of the parts decides, and is named") {
  const MachineModel roofs = machine();
  CHECK(roofs.processor() == "a test");
  check(roofs, "sse2",
        {{{100, 0, 8, {}}, "flops", 10e-9},          // 100 / 10 GFLOP/s
         {{100, 50, 8, {}}, "chain", 100e-9},        // 50 of 2 ns
         {{100, 50, 8, {}, true}, "chain", 300e-9},  // of an fma's 6
         {{100, 0, 80, {}}, "flops", 10e-9},         // of two that take as long the first
         {{100, 0, 800, {}}, "L1", 100e-9}});        // 800 B / 8 GB/s
}

TEST_CASE("what is used again comes from the first level that still holds it") {
  const MachineModel roofs = machine();
  check(roofs, "sse2",
        {{again(1000), "L1", 50e-9},  // it just fits
         {again(1001), "L2", 100e-9},
         {again(10001), "L3", 200e-9},
         {again(100001), "memory", 400e-9},
         {{1, 0, 400, {{400, 1001, true}}}, "L2", 200e-9}});  // there and back
  const auto bytes = [&](double distance) { return roofs.predict(again(distance), "f32", "sse2", 1)->bytes; };
  CHECK(bytes(1000) == std::array<double, 4>{400, 0, 0, 0});
  CHECK(bytes(10001) == std::array<double, 4>{400, 400, 400, 0});
}

TEST_CASE("threads share the chain, and reach the rates that all of them have together") {
  const MachineModel roofs = machine();
  const auto seconds = [&](const Cost& cost, int threads) {
    return roofs.predict(cost, "f32", "sse2", threads)->seconds;
  };
  CHECK(seconds({100, 0, 8, {}}, 2) == near(5e-9));          // twice one
  CHECK(seconds({100, 0, 8, {}}, 4) == near(100 / 30e9));    // as measured with four
  CHECK(seconds({100, 0, 8, {}}, 100) == near(100 / 30e9));  // there are no more cores
  CHECK(seconds({100, 50, 8, {}}, 2) == near(50e-9));
  CHECK(seconds({1, 0, 8, {{300, 1e9}}}, 2) == near(200e-9));  // memory: 1.5 GB/s at most
  CHECK(*roofs.peak("f32", 1) == near(20));                    // of the best instruction set
  CHECK(seconds({1, 60, 8, {}}, 8) == near(30e-9));            // on four cores, not eight
  CHECK(*roofs.peak("f32", 8) == *roofs.peak("f32", 4));
}

TEST_CASE("nothing is predicted from rates that are not there") {
  const MachineModel roofs = machine();
  CHECK_FALSE(roofs.predict({100, 0, 8, {}}, "f64", "sse2", 1));
  CHECK_FALSE(roofs.predict({100, 0, 8, {}}, "f32", "avx512", 1));
  CHECK_FALSE(roofs.predict({100, 0, 8, {}}, "f32", "avx2", 1));  // it has a peak, but no bandwidth
  CHECK_FALSE(roofs.predict({0, 0, 0, {}}, "f32", "sse2", 1));
  CHECK_FALSE(roofs.peak("i32", 1));
}

TEST_CASE("a level that is not known loses what it would hold to memory") {
  const std::string rates =
      "peak,f32,sse2,,,0.5,GFLOP/s,\nbandwidth,,sse2,1,L1,8,GB/s,\nbandwidth,,sse2,1,L2,4,GB/s,\n"
      "bandwidth,,sse2,1,memory,1,GB/s,\n";
  check(machine(header + "cache,,,,L1,1000,B,\ncache,,,,L2,10000,B,\n" + rates), "sse2",
        {{again(10000), "L2", 100e-9}, {again(10001), "memory", 400e-9}});
  check(machine(header + rates), "sse2",
        {{again(1), "memory", 400e-9}, {{1, 0, 8000, {{400, 1}}}, "L1", 1000e-9}});
}

TEST_CASE("of rows measured again the last counts, for one thread and for all") {
  const MachineModel roofs =
      machine(header + rows +
              "peak,f32,sse2,1,,16,GFLOP/s,\npeak,f32,sse2,4,,60,GFLOP/s,\n"
              "peak,f32,avx2,4,,12,GFLOP/s,disturbed\npeak,f32,avx2,4,,70,GFLOP/s,\n"
              "peak,f32,avx512,1,,40,GFLOP/s,\npeak,f32,avx512,4,,12,GFLOP/s,disturbed\n");
  const auto seconds = [&](const char* vector, int threads) {
    return roofs.predict({240, 0, 0, {}}, "f32", vector, threads)->seconds;
  };
  CHECK(seconds("sse2", 1) == near(15e-9));
  CHECK(seconds("sse2", 4) == near(4e-9));
  CHECK(seconds("sse2", 2) == near(7.5e-9));
  CHECK(seconds("avx2", 1) == near(12e-9));
  CHECK(seconds("avx512", 1) == near(6e-9));  // what all threads reached says nothing of one
  CHECK(*roofs.peak("f32", 4) == 70);
}

TEST_CASE("between two numbers of threads a rate grows as from the lower one, up to the higher one's") {
  const MachineModel roofs =
      machine(header + rows + "peak,f32,avx512,2,,20,GFLOP/s,\npeak,f32,avx512,8,,70,GFLOP/s,\n");
  const auto rate = [&](int threads) {
    return 100 / roofs.predict({100, 0, 0, {}}, "f32", "avx512", threads)->seconds;
  };
  CHECK(rate(4) == near(40e9));
  CHECK(rate(7) == near(70e9));
  CHECK(rate(16) == near(70e9));
}

TEST_CASE("torn and senseless rows are passed over, other files refused") {
  const MachineModel roofs =
      machine(header + rows +
              "peak,f32,sse2,1,,1e9\npeak,f32,avx512,1,,many,GFLOP/s,\npeak,f64,sse2,1,,0,GFLOP/s,\n");
  CHECK(roofs.predict({100, 0, 8, {}}, "f32", "sse2", 1)->seconds == near(10e-9));
  CHECK_FALSE(roofs.predict({100, 0, 8, {}}, "f32", "avx512", 1));
  CHECK_FALSE(roofs.predict({100, 0, 8, {}}, "f64", "sse2", 1));
  CHECK_THROWS_AS(machine("step,variant\n"), Refusal);
  CHECK_THROWS_AS(MachineModel("/nowhere/machine.csv"), Refusal);
}

TEST_CASE("a GPU has roofs of its own, beside the processor's in one file") {
  const MachineModel roofs = machine(header + rows +
                                     "gpu,,cuda,,,132,multiprocessors,NVIDIA H200; compute capability 9.0\n"
                                     "cache,,cuda,,L1,2000,B,\ncache,,cuda,,L2,20000,B,\n"
                                     "peak,f32,cuda,,,1000,GFLOP/s,\nbandwidth,,cuda,,shared,800,GB/s,\n"
                                     "bandwidth,,cuda,,L2,400,GB/s,\nbandwidth,,cuda,,memory,100,GB/s,\n");
  CHECK(roofs.gpu() == "NVIDIA H200");
  check(roofs, "cuda",
        {{again(2000, 1000), "flops", 1e-9},
         {again(2000), "shared", 0.5e-9},  // it just fits
         {again(20000), "L2", 1e-9},       // there is no third level to lose it
         {again(20001), "memory", 4e-9}});
  CHECK(*roofs.peak("f32", 1, "cuda") == near(1000));
  CHECK(roofs.processor() == "a test");
  CHECK(*roofs.peak("f32", 1) == near(20));
  check(roofs, "sse2", {{again(10001), "L3", 200e-9}});
  CHECK(machine().gpu().empty());
  CHECK_FALSE(machine().predict({100, 0, 8, {}}, "f32", "cuda", 1));
}

TEST_CASE("tensor cores have a peak by each instruction: a cost names its own, a share is of the highest") {
  const MachineModel roofs =
      machine(header +
              "peak,f32,cuda,,,1000,GFLOP/s,\npeak,bf16,cuda,,,8000,GFLOP/s,\n"
              "peak,bf16,cuda,,wgmma,9000,GFLOP/s,\npeak,bf16,cuda,,wgmma_shared,10000,GFLOP/s,\n"
              "sustained,bf16,cuda,,,100,GFLOP/s,\n");
  const auto seconds = [&](const char* peak) {
    return roofs.predict({72000, 0, 0, {}, false, peak}, "bf16", "cuda", 1)->seconds;
  };
  CHECK(seconds("") == near(9e-9));
  CHECK(seconds("wgmma") == near(8e-9));
  CHECK(*roofs.peak("bf16", 1, "cuda") == near(10000));
  CHECK_FALSE(roofs.predict({1, 0, 0, {}, false, "wgmma"}, "f32", "cuda", 1));
}
