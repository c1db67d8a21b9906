// What runner makes of a product: rows of CSV files, their figures, predictions, and functions as variants.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "check.hpp"
#include "runner/cpu.hpp"
#include "runner/prediction.hpp"
#include "runner/record.hpp"
#include "runner/table.hpp"
#include "runner/text.hpp"

using namespace course;

namespace {

std::string content_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// A file in a folder of its own.
struct File {
  explicit File(const std::string& text = "") {
    char name[] = "/tmp/course-runner-XXXXXX";
    folder = mkdtemp(name), path = folder / "rows.csv";
    if (!text.empty()) write(text);
  }
  ~File() { std::filesystem::remove_all(folder); }
  void write(const std::string& text) const { std::ofstream(path) << text; }
  std::filesystem::path folder;
  std::string path;
};

const Schema schema{{"name"}, {"size"}, {"value"}};

}  // namespace

TEST_CASE("table: rows are appended below one header, no cell breaks a line, torn rows are passed over") {
  const File file;
  for (const char* name : {"a", "a, \"b\"\nc\r"}) {
    Table table(schema);
    table.open(file.path);
    table.append({name, "1", name});
  }
  CHECK(content_of(file.path) == "name,size,value\na,1,a\na   b  c ,1,a   b  c \n");
  file.write("name,size,value\na,1,old\nb,1\na,1,new\nc,1,2,3\nd");
  CHECK(Table(schema).read(file.path, "--file") ==
        std::vector<Table::Row>{{"a", "1", "old"}, {"a", "1", "new"}});
}

TEST_CASE("table: opening ends a torn line and writes a torn header anew") {
  const std::string header = "name,size,value\n";
  for (const auto& [before, after] : {std::pair(header + "a,1,x\nb,1", header + "a,1,x\nb,1\n"),
                                      {"", header},
                                      {"name,si", header},
                                      {"name,size,value", header}}) {
    const File file(before);
    Table(schema).open(file.path);
    CHECK(content_of(file.path) == after);
  }
}

TEST_CASE("table: a pipe is not waited for; another version's file is set aside, any other is refused") {
  const File pipe, file;
  REQUIRE(mkfifo(pipe.path.c_str(), 0600) == 0);
  for (const char* path : {pipe.path.c_str(), "/dev/null/rows.csv", "/tmp"}) {
    CHECK_THROWS_AS(Table(schema).open(path), Refusal);
    CHECK_THROWS_AS(Table(schema).read(path, "--file"), Refusal);
  }
  for (const auto& [text, name] : {std::pair("name,size,more\n1,2,3\n", "rows.csv.old"),
                                   {"name,size,value,more\n", "rows.csv.old.old"}}) {
    file.write(text);
    CHECK_THROWS_AS(Table(schema).read(file.path, "--file"), Refusal);
    const std::string said = captured([&] { Table(schema).open(file.path); }).err;
    const std::string old = file.folder / name;
    CHECK(said == "--csv: " + file.path + " has the columns of another version: it is " + old + " now\n");
    CHECK((content_of(file.path) == "name,size,value\n" && content_of(old) == text));
  }
  for (const std::string text : {"a,b,c\n1,2,3\n", "no newline", "\n"}) {
    file.write(text);
    CHECK_THROWS_AS(Table(schema).open(file.path), Refusal);
    CHECK(content_of(file.path) == text);
  }
}

TEST_CASE("record: times and rate come from its runs; nothing done is no rate") {
  Record r;
  r.shape = {100, 100, 100};
  std::vector<Times> runs(3);
  runs[0].product = 0.004, runs[1].product = 0.001, runs[2].product = 0.002;
  runs[0].copy_in = 3, runs[1].copy_in = 1, runs[2].copy_in = 2;
  r.summarise(runs);
  CHECK((r.repeat == 3 && *r.best_s == 0.001 && *r.median_s == 0.002));
  CHECK(*r.mean_s == doctest::Approx(0.007 / 3));
  CHECK(*r.stddev_s == doctest::Approx(0.00152752523));  // of a sample: divided by n - 1
  CHECK(*r.gflops == doctest::Approx(2e6 / 0.002 * 1e-9));
  CHECK((*r.times.copy_in == 2 && !r.times.copy_out));
  CHECK(quantile({4, 1, 3, 2}, 0.5) == 2.5);
  Record empty;
  empty.shape = {0, 5, 5}, runs.resize(1);
  empty.summarise(runs);
  CHECK((!empty.gflops && *empty.stddev_s == 0));
}

TEST_CASE(
    "record: what is printed, and the line that runs a row again, name what the variant is swept over") {
  Record r;
  r.step = "06_mpi", r.variant = "summa", r.type = "f64", r.shape = {2, 3, 4}, r.fill = "digits", r.seed = 7;
  r.device = {"processor", "a machine"}, r.compiler = "g++ 12", r.flags = "-O3";
  r.repeat = 5, r.median_s = 0.002, r.gflops = 1.23456, r.peak_share = 1.03, r.verdict = "right";
  r.prediction = {.seconds = 3e-6, .limit = "L2", .bytes = {}};
  r.check = {.right = true, .error_share = 0.12345, .worst_case_share = 0.0678};
  r.settings = {.threads = 2, .tile = 16, .grid = {1, 3}, .block = {5, 6}};
  const auto printed = [&r] { return captured([&] { print_header(r), print_row(r); }).out; };
  CHECK(printed().starts_with("06_mpi on a machine, g++ 12 -O3\nvariant "));
  CHECK(printed().find(" 2    16     5        2 ms        3 us L2         1.235 >100%?     0.123     0.068  "
                       "right\n") != std::string::npos);
  const std::string line =
      "06_mpi --variant summa --type f64 --shape 2x3x4 --fill digits --seed 7 --repeat 1 --verify full";
  CHECK(r.command_line(VariantInfo(), 0, "") == line);
  VariantInfo info;
  info.threads = info.tiles = info.grids = info.blocks = true;
  r.ranks = 3, r.settings.tile = 0;
  CHECK(printed().find(" 2       1x3 5x6     5 ") != std::string::npos);
  CHECK(r.command_line(info, 1, "forward") ==
        "mpirun -n 3 " + line + " --threads 2 --tile 0 --grid 1x3 --block 5x6 --pad 1 --emulate forward");
}

namespace {

// A machine.csv whose numbers make the times easy to work out by hand.
const std::string header = Table(machine_schema).header() + "\n";
constexpr const char* rows =
    "processor,,,,,4,threads,a test\n"
    "cache,,,,L1,1000,B,\ncache,,,,L2,10000,B,\ncache,,,,L3,100000,B,\n"
    "latency,f32,,1,add,2,ns,\nlatency,f32,sse2,1,fma,6,ns,\n"
    "peak,f32,sse2,1,,10,GFLOP/s,\npeak,f32,sse2,4,,30,GFLOP/s,\npeak,f32,avx2,1,,20,GFLOP/s,\n"
    "bandwidth,,sse2,1,L1,8,GB/s,\nbandwidth,,sse2,1,L2,4,GB/s,\nbandwidth,,sse2,1,L3,2,GB/s,\n"
    "bandwidth,,sse2,1,memory,1,GB/s,\nbandwidth,,sse2,4,memory,1.5,GB/s,\n";

/// Times are nanoseconds: doctest's own tolerance is far above them.
doctest::Approx near(double value) {
  return doctest::Approx(value).scale(0);
}

MachineModel machine(const std::string& text = header + rows) {
  return MachineModel(File(text).path);
}

struct Case {
  Cost cost;
  const char* limit;
  double seconds;
  int threads = 1;
};
void check_rates(const MachineModel& model, const char* vector, const std::vector<Case>& cases) {
  for (const auto& [cost, limit, seconds, threads] : cases) {
    const auto found = model.predict(cost, "f32", vector, threads);
    CHECK(found->limit == limit);
    CHECK(found->seconds == near(seconds));
  }
}
/// 400 bytes that come again after so many others.
Cost again(double distance, double flops = 1) {
  return {flops, 0, 400, {{400, distance}}};
}

}  // namespace

TEST_CASE(
    "prediction: the slowest part decides; what is used again comes from the first level that holds it") {
  const MachineModel model = machine();
  check_rates(model, "sse2",
              {{{100, 0, 8, {}}, "flops", 10e-9},          // 100 / 10 GFLOP/s
               {{100, 50, 8, {}}, "chain", 100e-9},        // 50 of 2 ns
               {{100, 50, 8, {}, true}, "chain", 300e-9},  // of an fma's 6
               {{100, 0, 80, {}}, "flops", 10e-9},         // of two that take as long the first
               {{100, 0, 800, {}}, "L1", 100e-9},          // 800 B / 8 GB/s
               {again(1000), "L1", 50e-9},                 // it just fits
               {again(1001), "L2", 100e-9},
               {again(10001), "L3", 200e-9},
               {again(100001), "memory", 400e-9},
               {{1, 0, 400, {{400, 1001, true}}}, "L2", 200e-9}});  // there and back
  CHECK(model.predict(again(10001), "f32", "sse2", 1)->bytes == std::array<double, 4>{400, 400, 400, 0});
}

TEST_CASE("prediction: threads share the chain, and reach the rates that all of them have together") {
  const MachineModel model =
      machine(header + rows +
              "peak,f32,avx512,2,,20,GFLOP/s,\npeak,f32,avx512,8,,9,GFLOP/s,disturbed\n"
              "peak,f32,avx512,2,,5,GFLOP/s,disturbed\npeak,f32,avx512,8,,70,GFLOP/s,disturbed\n");
  check_rates(model, "sse2",
              {{{100, 0, 8, {}}, "flops", 5e-9, 2},          // twice one
               {{100, 0, 8, {}}, "flops", 100 / 30e9, 4},    // as measured with four
               {{100, 0, 8, {}}, "flops", 100 / 30e9, 100},  // there are no more cores
               {{100, 50, 8, {}}, "chain", 50e-9, 2},
               {{1, 0, 8, {{300, 1e9}}}, "memory", 200e-9, 2},  // 1.5 GB/s at most
               {{1, 60, 8, {}}, "chain", 30e-9, 8}});           // on four cores, not eight
  CHECK(*machine().peak("f32", 1) == near(20));                 // of the best instruction set
  CHECK(*machine().peak("f32", 8) == *machine().peak("f32", 4));
  for (const auto& [threads, rate] : {std::pair(4, 40e9), {7, 70e9}, {16, 70e9}})  // between two of a file
    CHECK(100 / model.predict({100, 0, 0, {}}, "f32", "avx512", threads)->seconds == near(rate));
}

TEST_CASE("prediction: a level that is not known loses its bytes to memory; no rate, no prediction") {
  const std::string rates =
      "peak,f32,sse2,,,0.5,GFLOP/s,\nbandwidth,,sse2,1,L1,8,GB/s,\nbandwidth,,sse2,1,L2,4,GB/s,\n"
      "bandwidth,,sse2,1,memory,1,GB/s,\n";
  check_rates(machine(header + "cache,,,,L1,1000,B,\ncache,,,,L2,10000,B,\n" + rates), "sse2",
              {{again(10000), "L2", 100e-9}, {again(10001), "memory", 400e-9}});
  const MachineModel model =  // torn and senseless rows
      machine(header + rows +
              "peak,f32,sse2,1,,1e9\npeak,f32,avx512,1,,many,GFLOP/s,\npeak,f64,sse2,1,,0,GFLOP/s,\n");
  for (const auto& [type, vector] : {std::pair("f64", "sse2"), {"f32", "avx512"}, {"f32", "avx2"}})
    CHECK_FALSE(model.predict({100, 0, 8, {}}, type, vector, 1));
  CHECK_FALSE(model.predict({0, 0, 0, {}}, "f32", "sse2", 1));
  CHECK_FALSE(model.peak("i32", 1));
  CHECK_THROWS_AS(machine("step,variant\n"), Refusal);
}

TEST_CASE("prediction: of rows measured again the last counts, for each number of threads") {
  const MachineModel model =
      machine(header + rows +
              "peak,f32,sse2,1,,16,GFLOP/s,\npeak,f32,sse2,4,,60,GFLOP/s,\n"
              "peak,f32,avx512,1,,40,GFLOP/s,\npeak,f32,avx512,4,,12,GFLOP/s,disturbed\n");
  const auto seconds = [&](const char* vector, int threads) {
    return model.predict({240, 0, 0, {}}, "f32", vector, threads)->seconds;
  };
  CHECK((seconds("sse2", 1) == near(15e-9) && seconds("sse2", 4) == near(4e-9)));
  CHECK(seconds("avx512", 1) == near(6e-9));  // what all threads reached says nothing of one
}

TEST_CASE("prediction: a GPU has roofs of its own, its tensor cores a peak by each instruction") {
  const MachineModel model =
      machine(header + rows +
              "gpu,,cuda,,,132,multiprocessors,NVIDIA H200; compute capability 9.0\n"
              "cache,,cuda,,L1,2000,B,\ncache,,cuda,,L2,20000,B,\npeak,f32,cuda,,,1000,GFLOP/s,\n"
              "bandwidth,,cuda,,shared,800,GB/s,\nbandwidth,,cuda,,L2,400,GB/s,\n"
              "bandwidth,,cuda,,memory,100,GB/s,\npeak,bf16,cuda,,,8000,GFLOP/s,\n"
              "peak,bf16,cuda,,wgmma,9000,GFLOP/s,\npeak,bf16,cuda,,wgmma_shared,10000,GFLOP/s,\n");
  CHECK((model.gpu() == "NVIDIA H200" && model.processor() == "a test"));
  check_rates(model, "cuda",
              {{again(2000, 1000), "flops", 1e-9},
               {again(2000), "shared", 0.5e-9},  // it just fits
               {again(20000), "L2", 1e-9},       // there is no third level to lose it
               {again(20001), "memory", 4e-9}});
  check_rates(model, "sse2", {{again(10001), "L3", 200e-9}});
  CHECK((*model.peak("f32", 1, "cuda") == near(1000) && *model.peak("f32", 1) == near(20)));
  for (const auto& [peak, seconds] : {std::pair("", 9e-9), {"wgmma", 8e-9}})
    CHECK(model.predict({72000, 0, 0, {}, false, peak}, "bf16", "cuda", 1)->seconds == near(seconds));
  CHECK(*model.peak("bf16", 1, "cuda") == near(10000));
}

namespace {

struct Seen {
  int threads = 0;
  Index tile = 0, rows = 0, cols = 0;
  bool poisoned = true;
} seen;

using Made = std::shared_ptr<Variant<float>>;
void run(const Made& variant, const Settings& settings) {
  static const Problem<float> problem{{3, 4, 5}};
  variant->allocate(problem, settings);
  variant->reset(), variant->run();
}

}  // namespace

TEST_CASE("variant: a function gets the row's settings and a poisoned, guarded workspace") {
  const auto all = [](const KernelArgs<float>& x) {
    seen = {x.threads, x.tile, x.bt.rows(), x.bt.cols()};
    for (Index i = 0; i < x.bt.rows(); ++i)
      for (Index j = 0; j < x.bt.cols(); ++j) seen.poisoned &= std::isnan(std::exchange(x.bt(i, j), 0.f));
    if (x.tile == 99) x.bt.data()[-1] = 0;
  };
  const Made variant = cpu<float>("all", "", all, {}, {.transposed_b = true});
  run(variant, {.threads = 2, .tile = 9, .grid = {}, .block = {}});
  CHECK((seen.threads == 2 && seen.tile == 9 && seen.rows == 4 && seen.cols == 5));  // B is 5 x 4
  CHECK((seen.poisoned && variant->guards_intact()));
  variant->reset(), variant->run();  // it has written there; nothing of it is left
  CHECK(seen.poisoned);
  run(variant, {.threads = 2, .tile = 99, .grid = {}, .block = {}});
  CHECK_FALSE(variant->guards_intact());
  variant->release();
  CHECK(variant->result().data() == nullptr);
}

TEST_CASE("variant: vectors of vectors come back; who writes beside its inputs is wrong") {
  using Vectors = std::vector<std::vector<float>>;
  const auto sevens = [](const Vectors&, const Vectors&, Vectors& c) {
    for (auto& row : c) std::fill(row.begin(), row.end(), 7.f);
  };
  const Made vectors = cpu<float>("", "", on_vectors<float>(+sevens));
  run(vectors, {});
  CHECK((vectors->result()(0, 0) == 7 && vectors->result()(2, 3) == 7 && vectors->guards_intact()));
  const Made spills =
      cpu<float>("", "", [](const KernelArgs<float>& x) { const_cast<float*>(x.a.data())[-1] = 0; });
  run(spills, {});
  CHECK_FALSE(spills->guards_intact());
}
