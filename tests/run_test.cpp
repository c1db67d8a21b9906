// The program round every step, driven by variants that count their calls, alone and by several ranks.
#include "runner/run.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "captured.hpp"
#include "runner/machine.hpp"
#include "runner/record.hpp"
#include "runner/text.hpp"

using namespace course;

namespace {

/// Multiplies rightly; each run is said to have taken `seconds`.
struct Counting : Variant<float> {
  explicit Counting(double seconds_)
      : Variant<float>({.name = "counting", .idea = "for tests"}), seconds(seconds_) {}
  std::string skip_reason(const Problem<float>&, const Settings&, const World&) const override {
    return reason;
  }
  Times allocate(const Problem<float>& problem_, const Settings& settings, const World&) override {
    verify_copies = settings.verify_copies;
    problem = &problem_, c = Matrix<float>(problem->shape.m, problem->shape.n), ++allocated;
    return {.alloc = 0.25};
  }
  void release() override { ++released; }
  void reset() override { copy<float>(problem->whole().c.view(), c.view()), ++resets; }
  Times distribute() override {
    return {.copy_in = copies ? std::optional(0.005 * (runs + 1)) : std::nullopt};
  }
  Times run() override {
    ++runs;
    const double used = processor_seconds();
    while (works && processor_seconds() < used + 0.01) continue;
    if (throws || runs == throws_at) throw std::runtime_error("a kernel's exception");
    if (throws_at == -2) throw 42;
    if (runs == no_memory_at) throw std::bad_alloc();
    const Inputs<float>& in = problem->whole();
    for (Index i = 0; i < problem->shape.m; ++i)
      for (Index p = 0; p < problem->shape.k; ++p)
        for (Index j = 0; j < problem->shape.n; ++j) c.view()(i, j) += in.a.view()(i, p) * in.b.view()(p, j);
    const bool late = problem->shape.m > 2048;  // in the run on digits only
    if (spills && (!late || problem->fill == Fill::digits)) const_cast<float*>(in.a.view().data())[-1] = 0;
    if (spoilt >= 0 && (!late || !spoilt_fill || problem->fill == *spoilt_fill)) c.view()(spoilt, 0) += 1;
    if (works) return {.product = processor_seconds() - used};
    return {.product = runs <= std::ssize(each) ? each[static_cast<std::size_t>(runs - 1)] : seconds};
  }
  std::string device() const override { return gpu; }
  Times fetch(Piece<float>& piece) override {
    if (writes_nothing) course::poison_all(c.view());
    piece = {all_of(problem->shape.m), all_of(problem->shape.n), std::as_const(c).view()};
    return {.copy_out = copies ? std::optional(0.125) : std::nullopt};
  }
  std::string run_error() const override { return complains; }
  bool guards_intact() const override { return c.guards_intact(); }

  double seconds;
  std::vector<double> each = {};  // instead, of the first runs
  std::string reason, complains, gpu;
  bool verify_copies = false;  // of the last settings
  bool works = false;          // its seconds are those that it had a processor
  bool copies = true, throws = false, writes_nothing = false, spills = false;
  Index spoilt = -1;                // the row of a wrong element
  std::optional<Fill> spoilt_fill;  // beyond 2048, in the run on this fill only
  int allocated = 0, released = 0, resets = 0, runs = 0, throws_at = -1, no_memory_at = -1;
  const Problem<float>* problem = nullptr;
  Matrix<float> c;
};

struct Run {
  explicit Run(double seconds = 0.001) : variant(std::make_shared<Counting>(seconds)) {
    char name[] = "/tmp/course-loop-XXXXXX";
    folder = mkdtemp(name);
    step.f32 = {variant};
  }
  ~Run() { std::filesystem::remove_all(folder); }

  int operator()(std::vector<std::string> words) {
    words.insert(words.begin(), {"test", "--csv", csv()});
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    return run(static_cast<int>(argv.size()), argv.data(), step);
  }
  /// What it says while it ends with this status.
  Captured says(int status, const std::vector<std::string>& words) {
    return captured([&] { CHECK((*this)(words) == status); });
  }
  std::string csv() const { return folder / "rows.csv"; }
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::ifstream file(csv());
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }
  /// A cell of the last row.
  std::string cell(const std::string& name) const { return cell(lines().back(), name); }
  static std::string cell(const std::string& line, const std::string& name) {
    return Table(Record().columns()).cell(split(line), name);
  }

  std::shared_ptr<Counting> variant;
  std::filesystem::path folder;
  Step step{"test", "a test", "-O3", "", {}, {}, {}};
};

}  // namespace

TEST_CASE("a row is warmed up and repeated as asked, C reset before every run") {
  Run run;
  CHECK(run({"--size", "9", "--shape", "9x9x9", "--repeat", "4", "--warmup", "2"}) == 0);  // both, once
  CHECK(run.variant->runs == 6);
  CHECK(run.variant->resets == 6);
  CHECK(run.variant->allocated == 1);
  CHECK(run.variant->released == 1);  // else the rows of a long run would fill the memory
  const std::pair<const char*, std::string> cells[] = {
      {"step", "test"},
      {"variant", "counting"},
      {"flags", "-O3"},
      {"compiler", compiler},
      {"host", host_name()},
      {"commit", commit},
      {"device", cell_text(processor())},
      {"seed", "987654"},
      {"repeat", "4"},
      {"median_s", "0.001"},
      {"stddev_s", "0"},
      {"alloc_s", "0.25"},
      {"collect_s", ""},
      {"copy_out_s", "0.125"},
      {"copy_in_s", "0.0225"},  // repeated like the product: median of runs 3..6
      {"quiet", ""},
      {"verdict", "right"}};
  for (const auto& cell : cells) {
    CAPTURE(cell.first);
    CHECK(run.cell(cell.first) == cell.second);
  }
  CHECK(std::stod(run.cell("gflops")) == doctest::Approx(2 * 9 * 9 * 9 / 0.001 * 1e-9));
}

TEST_CASE("the budget ends a row early, but not before one run") {
  struct Case {
    double seconds;
    int runs;  // of 100, with the warm-up, in a second
  };
  for (const auto& [seconds, runs] : {Case{0.4, 1 + 3}, {0.5, 1 + 2}, {3, 1}}) {
    Run run(seconds);
    run.variant->copies = false;
    const std::vector<std::string> words = {"--size", "9", "--repeat", "100", "--budget", "1", "--resume"};
    CHECK(run(words) == 0);
    CHECK(run.variant->runs == runs);
    CHECK(run(words) == 0);  // the budget is spent
    CHECK(run.variant->runs == runs);
  }
}

TEST_CASE("a row expected beyond ten times the budget is left out from 0.3 GFLOP on, the baseline never") {
  Run run(1e3);
  const std::vector<std::string> words = {"--size", "600", "--budget", "1", "--verify", "none"};
  const Captured found = run.says(0, words);
  CHECK(found.err ==
        "test: counting f32 600x600x600 left out: one run takes about 3.052e+04 s, over ten times the "
        "budget of 1 s; --budget 3.05e+03 may do\n");
  CHECK(run.variant->runs == 1);  // a product of 192, alone
  CHECK(run.lines().size() == 1);
  run.variant->traits.baseline = run.step.is_level = true;  // of a level nobody needs it
  CHECK(run(words) == 0);
  CHECK(run.lines().size() == 1);
  run.step.is_level = false;
  CHECK(run(words) == 0);
  CHECK(run.lines().size() == 2);
  CHECK(run.cell("verdict") == "unverified");
  Run small(1e3);
  CHECK(small({"--shape", "500x500x600", "--budget", "1", "--repeat", "1", "--verify", "none"}) == 0);
  CHECK(small.lines().size() == 1);
}

TEST_CASE("a row's time is estimated from rows of its own variant, threads and tile") {
  Run run;  // slow on one thread, and at one tile
  run.variant->traits.threads = run.variant->traits.tiles = true;
  run.step.tiles = {4, 8};
  run.variant->each = {1e3, 1e3, 1e3, 1e-3, 1e3};
  const auto fast = std::make_shared<Counting>(1e-3);
  fast->traits.name = "fast", run.step.f32.push_back(fast);
  run({"--size", "250,600", "--threads", "1,2", "--budget", "1", "--warmup", "0", "--verify", "none",
       "--repeat", "1"});
  CHECK(run.variant->runs == 4 + 1);
  CHECK(fast->runs == 2);
  Run small(1e-4);  // of a tiny product, 20 kFLOP/s: by those 300 would take 45 minutes
  CHECK(small({"--size", "1,300", "--type", "f32", "--budget", "1"}) == 0);
  CHECK(small.lines().size() == 3);
}

TEST_CASE("beyond 2048, what is wrong on one fill alone is told as it was found") {
  for (const auto& [fill, said] :
       {std::pair(Fill::uniform, "elements differ, the worst is C(0, 0) = "),
        std::pair(Fill::digits, "Freivalds: the sums over C and over A·B differ")}) {
    Run run;
    run.variant->spoilt = 0, run.variant->spoilt_fill = fill;
    const Captured found = run.says(1, {"--shape", "2049x3x5", "--repeat", "1", "--warmup", "0"});
    CHECK(found.err.find(said) != std::string::npos);
    CHECK(run.cell("verdict") == "wrong");
  }
  for (const char* shape : {"9x9x9", "2049x3x5"}) {
    Run run;
    run.variant->spills = true;  // beside its inputs
    CHECK(run({"--shape", shape, "--repeat", "1", "--warmup", "0"}) == 1);
  }
}

TEST_CASE("resumed rows are neither run nor written again, and a wrong one stays wrong") {
  Run run;
  const auto rows = [&run](std::vector<std::string> words, int status = 0) {
    words.push_back("--resume");
    CHECK(run(words) == status);
    return run.lines().size() - 1;
  };
  CHECK(rows({"--size", "9"}) == 1);
  CHECK(rows({"--size", "9,10"}) == 2);
  CHECK(rows({"--size", "9", "--repeat", "6"}) == 3);  // more runs than the row has: measured again
  CHECK(rows({"--size", "12", "--verify", "none"}) == 4);
  CHECK(rows({"--size", "12"}) == 5);  // unverified is not done
  run.variant->writes_nothing = true;
  CHECK(rows({"--size", "11"}, 1) == 6);
  run.variant->writes_nothing = false;
  CHECK(rows({"--size", "9,10,11,12"}, 1) == 6);
}

namespace {

constexpr double in_no_time = 1e-9;  // nobody can be denied a processor for so long
constexpr double asleep = 0.002;     // of which it had a processor for some microseconds

}  // namespace

TEST_CASE("--quiet: a disturbed run does not count, as long as there are enough others") {
  struct Case {
    std::vector<double> each;  // then asleep
    const char *repeat, *budget, *warmup, *quiet, *counted;
    int runs;
  };
  const double good = in_no_time;
  for (const auto& [each, repeat, budget, warmup, quiet, counted, runs] :
       {Case{{asleep, asleep, good, asleep, good, good, good}, "4", "100", "1", "yes", "4", 7},
        {{}, "4", "100", "1", "no", "12", 13},
        {{good, good, good}, "5", "100", "0", "yes", "3", 15},   // three are enough
        {{asleep, good, good}, "2", "100", "0", "yes", "2", 3},  // or as many as were asked for
        {{good}, "2", "100", "0", "no", "1", 6},
        {{}, "5", "0.003", "0", "no", "5", 5}}) {  // thrice the budget
    Run run(asleep);
    run.variant->copies = false, run.variant->each = each;
    const std::vector<std::string> words = {"--size",   "9",    "--quiet",  "--repeat", repeat,
                                            "--budget", budget, "--warmup", warmup,     "--resume"};
    CHECK(run(words) == 0);
    CHECK(run.cell("quiet") == quiet);
    CHECK(run.cell("repeat") == counted);
    CHECK(run.variant->runs == runs);
    const bool done = std::string(quiet) == "yes";
    CHECK(run(words) == 0);
    CHECK((run.variant->runs == runs) == done);  // what was disturbed is measured again
  }
}

TEST_CASE("--quiet: neither a run too short for the clock is disturbed nor one on a GPU or of a crowd") {
  const auto quiet = [](double seconds, const char* gpu, int threads) {
    Run run(seconds);
    run.variant->gpu = gpu, run.variant->traits.threads = true;
    CHECK(run({"--size", "9", "--quiet", "--repeat", "2", "--threads", std::to_string(threads)}) == 0);
    return run.cell("quiet");
  };
  CHECK(quiet(asleep / 4, "", 1) == "yes");
  CHECK(quiet(0.5, "Test GPU", 1) == "yes");
  CHECK(quiet(0.5, "", usable_cpus()) == "no");
  CHECK(quiet(0.5, "", usable_cpus() + 1) == "yes");  // threads beyond the processors do not end together
}

TEST_CASE("--quiet: two threads that had one processor were disturbed, one thread was not" *
          doctest::skip(usable_cpus() < 2)) {
  Run run;
  run.variant->traits.threads = run.variant->works = true;
  CHECK(run({"--size", "9", "--quiet", "--repeat", "2", "--threads", "1"}) == 0);
  CHECK(run.cell("quiet") == "yes");
  CHECK(run({"--size", "9", "--quiet", "--repeat", "2", "--threads", "2"}) == 0);
  CHECK(run.cell("quiet") == "no");
}

TEST_CASE("--quiet --resume: what nobody had asked of is not done; a better row takes its place, no worse") {
  Run run(in_no_time);
  struct Case {
    const char* size;
    bool quiet;
    double seconds;
    std::size_t rows;
  };
  for (const auto& [size, quiet, seconds, rows] : {Case{"9", false, in_no_time, 1},
                                                   {"9", true, in_no_time, 2},
                                                   {"9", false, in_no_time, 2},
                                                   {"10", true, 0.5, 3},
                                                   {"10", true, 0.6, 3},
                                                   {"10", true, 0.4, 4},
                                                   {"10", false, 0.4, 4},
                                                   {"10", true, in_no_time, 5},
                                                   {"10", true, in_no_time, 5}}) {
    run.variant->seconds = seconds;
    std::vector<std::string> words = {"--size", size, "--resume", "--repeat", "1"};
    if (quiet) words.push_back("--quiet");
    CHECK(run(words) == 0);
    CHECK(run.lines().size() - 1 == rows);
  }
  CHECK(run.cell("quiet") == "yes");
}

TEST_CASE("a kernel that throws is wrong, not a crash, verified or not; the next row is as it should be") {
  const std::vector<std::string> on_digits = {"--shape", "2049x3x5", "--repeat", "1", "--warmup", "0"};
  for (const std::string verify : {"auto", "none"}) {
    Run run;
    run.variant->throws = true;
    CHECK(run({"--size", "9", "--verify", verify}) == 1);
    CHECK(run.cell("verdict") == "wrong");
    CHECK(run.variant->released == 1);
    CHECK(run({"--size", "600", "--type", "f32"}) == 1);  // in the probe already
    run.variant->throws = false, run.variant->throws_at = -2;
    CHECK(run({"--size", "10", "--verify", verify}) == 1);
  }
  Run run;
  run.variant->throws_at = 2;  // the first is timed, the second is on digits
  CHECK(run(on_digits) == 1);
  run.variant->throws_at = -1;
  CHECK(run(on_digits) == 0);
  run.variant->no_memory_at = run.variant->runs + 2;  // behind the warm-up: a refusal
  CHECK(run.says(2, {"--size", "9", "--resume"}).err == "test: out of memory; give a smaller size\n");
  CHECK(run({"--size", "9", "--resume"}) == 0);
  CHECK(run.lines().size() == 1 + 3);
}

TEST_CASE("a row is predicted by the roofs of its own threads and of its variant's vectors, or its step's") {
  Run run(1e-6);
  run.variant->traits.threads = true;
  run.variant->traits.cost = [](const Shape& s, const Settings&) {
    return Cost{.flops = s.flops(), .reuses = {}};
  };
  std::ofstream(run.folder / "machine.csv") << "name,type,vector,threads,level,value,unit,note\n"
                                               "peak,f32,sse2,1,,2,GFLOP/s,\npeak,f32,sse2,2,,5,GFLOP/s,\n"
                                               "peak,f32,avx2,1,,8,GFLOP/s,\npeak,f32,avx2,2,,10,GFLOP/s,\n";
  const std::vector<std::string> words = {"--size",   "10", "--repeat",  "1",
                                          "--warmup", "0",  "--threads", "1,2"};
  const auto predicts = [&](const char* one, const char* two, const char* both) {
    const std::string said = run.says(0, words).out;  // 2000 operations in 1 us are 2 GFLOP/s
    const std::vector<std::string> lines = split(said, '\n');
    REQUIRE(lines.size() >= 4);
    CHECK(lines[2].find(one) != std::string::npos);
    CHECK(lines[3].find(two) != std::string::npos);
    CHECK(run.cell("predicted_s") == both);
    CHECK(run.cell("limit") == "flops");
  };
  predicts("     1 us flops      2.000    25%", "   0.4 us flops      2.000    20%", "4e-07");
  run.variant->traits.vector = "avx2";
  predicts("  0.25 us flops      2.000    25%", "   0.2 us flops      2.000    20%", "2e-07");
  Run gpu(1e-6);  // by those of its own GPU
  gpu.variant->traits.vector = "cuda", gpu.variant->traits.cost = run.variant->traits.cost;
  std::ofstream(gpu.folder / "machine.csv") << "name,type,vector,threads,level,value,unit,note\n"
                                               "gpu,,cuda,,,1,multiprocessors,Test GPU; a test\n"
                                               "peak,f32,cuda,,,2,GFLOP/s,\n";
  for (const auto& [name, predicted] : {std::pair("Test GPU", "1e-06"), {"Another GPU", ""}}) {
    gpu.variant->gpu = name;
    CHECK(gpu({"--size", "10"}) == 0);
    CHECK(gpu.cell("predicted_s") == predicted);
    CHECK(gpu.cell("device") == name);
  }
}

TEST_CASE("whatever else there is to say is one line on standard error") {
  Run run;
  Counting& variant = *run.variant;
  const std::string again =
      "test --variant counting --type f32 --shape 9x9x9 --fill digits --seed 987654 --repeat 1 --verify "
      "full\n";
  const std::vector<std::string> nine = {"--size", "9", "--fill", "digits", "--resume"},
                                 expected = {"--size",         "9",         "--fill",  "digits",
                                             "--expect-wrong", "--variant", "counting"};
  CHECK(run.says(1, expected).err == "test: expected wrong, found right: " + again);
  CHECK(run.says(0, nine).out == "test: 1 rows were in " + run.csv() + " already\n");
  variant.traits.needs = "avx1024";
  CHECK(run.says(77, {"--size", "9"}).err == "test: counting skipped: this processor lacks avx1024\n");
  variant.traits.needs = "", variant.spoilt = 3;
  const Captured found = run.says(0, expected);
  const std::string message =
      "1 elements differ, the worst is C(3, 0) = " + std::to_string(variant.c.view()(3, 0));
  CHECK((found.out.ends_with("  wrong\n  " + message + "\n") && found.err.empty()));
  const std::string wrong = "test: wrong: " + message + "; again by: " + again;
  CHECK(run.says(1, {"--size", "9", "--fill", "digits"}).err == wrong);
  CHECK(run.says(1, nine).err == "test: " + run.csv() + " has this row as wrong: " + again);
  variant.spoilt = -1, variant.complains = "blocks of 1x1";  // no rank is named where there is one
  CHECK(run.says(1, {"--size", "9", "--fill", "digits"}).err ==
        "test: wrong: blocks of 1x1; again by: " + again);
  variant.complains = "", variant.throws = true;
  CHECK(run.says(1, {"--size", "9"})
            .err.starts_with("test: wrong: it threw: a kernel's exception; again by: "));
  CHECK(run.cell("error_share") == "inf");
  CHECK(run.cell("verify") == "none");
  variant.throws = false;
  const std::string path = run.folder / "machine.csv";
  std::ofstream(path) << "name,type,vector,threads,level,value,unit,note\nprocessor,,,,,1,threads,another\n";
  CHECK(run.says(0, {"--size", "9"}).err ==
        "test: " + path + " is of another machine, another: no predictions\n");
  const std::string here = processor();  // a rank bound to a core sees no other
  std::ofstream(path) << "name,type,vector,threads,level,value,unit,note\nprocessor,,,,,1,threads,"
                      << here.substr(0, here.rfind(" (")) << " (64 cores)\n";
  CHECK(run.says(0, {"--size", "9"}).err == "");
}

TEST_CASE("--list shows what is right, and why it cannot run here; a row for each setting, threads first") {
  Run run;
  for (const char* name : {"swept", "far", "bad"}) {
    run.step.f32.push_back(std::make_shared<Counting>(1e-3));
    run.step.f32.back()->traits.name = name;
  }
  Traits &swept = run.step.f32[1]->traits, &far = run.step.f32[2]->traits;
  swept.threads = swept.tiles = swept.grids = swept.blocks = true;
  far.needs = "avx1024", run.step.f32[3]->traits.broken = true;
  run.step.tiles = {4}, run.step.grids = {{1, 1}}, run.step.blocks = {{8, 8}};
  CHECK(run.says(0, {"--list"}).out ==
        "test: a test\n  counting         for tests\n  swept            for tests\n"
        "  far              for tests; not here: this processor lacks avx1024\n");
  CHECK(run.says(2, {"--variant", "bed"}).err ==
        "test: --variant: 'bed' is unknown; this step has counting, swept, far\n");
  CHECK(run({"--size", "9", "--threads", "1,2", "--tile", "3,5", "--block", "2x2,7x6", "--variant",
             "swept,bad"}) == 0);
  std::string rows;
  for (const std::string& line : run.lines()) {
    for (const char* name : {"variant", "threads", "tile", "grid", "block"})
      rows += run.cell(line, name) + " ";
    rows += "\n";
  }
  CHECK(rows ==
        "variant threads tile grid block \n"
        "swept 1 3 1x1 2x2 \nswept 1 3 1x1 7x6 \nswept 1 5 1x1 2x2 \nswept 1 5 1x1 7x6 \n"
        "swept 2 3 1x1 2x2 \nswept 2 3 1x1 7x6 \nswept 2 5 1x1 2x2 \nswept 2 5 1x1 7x6 \nbad 1    \n");
}

TEST_CASE("what cannot run is skipped: 77 when nothing else was asked for; a GPU's lack is said once") {
  Run run;
  run.variant->reason = "no CUDA device: none";
  CHECK(run({"--size", "9,abc"}) == 2);
  const auto other = std::make_shared<Counting>(1e-3);
  other->traits.name = "other", other->reason = run.variant->reason, run.step.f32.push_back(other);
  run.step.emulated = [&](const std::string&) { return run.step; };
  CHECK(run.says(77, {"--size", "9"}).err ==
        "test: skipped: no CUDA device: none; --emulate forward runs the kernels on the processor\n");
  CHECK(run.lines().size() == 1);
  other->reason = "";
  CHECK(run.says(0, {"--size", "9", "--resume"}).err == "test: counting skipped: no CUDA device: none\n");
  CHECK(run({"--size", "9", "--resume"}) == 0);  // nothing is left to do, and that is well
  CHECK(run.lines().size() == 2);
  CHECK(run({"--size", "9", "--emulate", "forward", "--verify-copies"}) == 0);
  CHECK(other->verify_copies);
}

TEST_CASE("beyond 2048 samples and Freivalds decide, with one more run on digits as far as these are exact") {
  struct Case {
    const char *shape, *fill, *verify;
    int runs;
  };
  for (const Case& c : {Case{"2048x3x5", "uniform", "full", 1},
                        {"2049x3x5", "uniform", "samples+freivalds", 2},
                        {"2049x3x5", "digits", "samples+freivalds", 1},
                        {"1x1x207127", "uniform", "samples", 1}}) {
    CAPTURE(c.shape);
    Run run;
    CHECK(run({"--shape", c.shape, "--fill", c.fill, "--repeat", "1", "--warmup", "0"}) == 0);
    CHECK(run.variant->runs == c.runs);
    CHECK(run.cell("verify") == c.verify);
  }
}

namespace {

/// One of two ranks; the other lost half of its processor.
struct Beside : World {
  void max(std::span<double> mine) const override {
    if (mine[0] == 0) mine[0] = 0.5;
  }
};

}  // namespace

TEST_CASE("a run that was disturbed on another rank does not count here") {
  Run run(in_no_time);
  const std::string csv = run.csv();
  const char* argv[] = {"test",    "--size",   "9", "--csv",    csv.c_str(),
                        "--quiet", "--repeat", "2", "--verify", "none"};
  CHECK(course::run(static_cast<int>(std::size(argv)), argv, run.step, Beside()) == 0);
  CHECK(run.cell("quiet") == "no");
  CHECK(run.variant->runs == 1 + 3 * 2);
}
