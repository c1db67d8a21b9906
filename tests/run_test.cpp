// The program round every step, driven by variants that count their calls, alone and by several ranks.
#include "runner/run.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "crew.hpp"
#include "heard.hpp"
#include "runner/machine.hpp"
#include "runner/record.hpp"
#include "runner/text.hpp"
#include "spread.hpp"

using namespace course;

namespace {

/// Multiplies rightly; each run is said to have taken `seconds`.
struct Counting : Variant<float> {
  explicit Counting(double seconds_)
      : Variant<float>({.name = "counting", .idea = "for tests"}), seconds(seconds_) {}
  double bytes(const Problem<float>&, const Settings&) const override { return 0; }
  std::string skip_reason(const Problem<float>&, const Settings&, const World&) const override {
    return reason;
  }
  Times allocate(const Problem<float>& problem_, const Settings& settings, const World&) override {
    problem = &problem_, c = Matrix<float>(problem->shape.m, problem->shape.n), ++allocated;
    verify_copies = settings.verify_copies;
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
  std::pair<double, double> device_memory(const Problem<float>&, const Settings&) const override {
    return {on_device, 2048};
  }
  bool guards_intact() const override { return c.guards_intact(); }

  double seconds;
  std::vector<double> each = {};  // instead, of the first runs
  std::string reason, complains, gpu;
  double on_device = 0;
  bool works = false;  // its seconds are those that it had a processor
  bool copies = true, throws = false, writes_nothing = false, spills = false;
  Index spoilt = -1;                // the row of a wrong element
  std::optional<Fill> spoilt_fill;  // beyond 2048, in the run on this fill only
  int allocated = 0, released = 0, resets = 0, runs = 0, throws_at = -1, no_memory_at = -1;
  bool verify_copies = false;  // of the last settings
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
  Heard says(int status, const std::vector<std::string>& words, bool on_terminal = false) {
    return heard([&] { CHECK((*this)(words) == status); }, on_terminal);
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
  CHECK(run.cell("started").substr(0, 14) <= utc_now().substr(0, 14));
  CHECK(std::stod(run.cell("gflops")) == doctest::Approx(2 * 9 * 9 * 9 / 0.001 * 1e-9));
}

TEST_CASE("the budget ends a row early, but not before one run") {
  Run run(0.4);
  run.variant->copies = false;
  CHECK(run({"--size", "9", "--repeat", "100", "--budget", "1"}) == 0);
  CHECK(run.variant->runs == 1 + 3);  // a warm-up, then 0.4 + 0.4 + 0.4 >= 1
  Run half(0.5);
  half.variant->copies = false;
  const std::vector<std::string> two = {"--size", "9", "--repeat", "100", "--budget", "1", "--resume"};
  CHECK(half(two) == 0);
  CHECK(half.variant->runs == 1 + 2);  // 0.5 + 0.5 is the budget
  CHECK(half(two) == 0);               // which is spent
  CHECK(half.variant->runs == 1 + 2);
  half.variant->seconds = 1;
  CHECK(half({"--size", "10", "--budget", "1"}) == 0);
  CHECK(half.variant->runs == 1 + 2 + 1);
  Run slow(3);
  CHECK(slow({"--size", "9", "--repeat", "100", "--budget", "1"}) == 0);
  CHECK(slow.variant->runs == 1);  // the warm-up itself was the row
  CHECK(slow.cell("repeat") == "1");
}

TEST_CASE("a row expected beyond ten times the budget is left out from 0.3 GFLOP on, the baseline never") {
  Run run(1e3);
  const std::vector<std::string> words = {"--size", "600", "--budget", "1", "--verify", "none"};
  const Heard found = run.says(0, words);
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
  const auto rows_at = [](double seconds, const char* shape, const char* budget) {
    Run other(seconds);
    other.variant->copies = false;
    other.says(0,
               {"--shape", shape, "--budget", budget, "--repeat", "1", "--warmup", "0", "--verify", "none"});
    return other.lines().size() - 1;
  };
  CHECK(rows_at(1, "600x600x600", "3.0517578125") == 1);  // ten times, to the bit
  CHECK(rows_at(1e3, "500x500x600", "1") == 0);
}

TEST_CASE("a row's time is estimated from rows of its own variant, threads and tile") {
  Run run(1e3);
  const auto fast = std::make_shared<Counting>(1e-3);
  fast->traits.name = "fast", run.step.f32.push_back(fast);
  const std::vector<std::string> words = {"--size", "250,600",  "--budget", "1",        "--warmup",
                                          "0",      "--verify", "none",     "--repeat", "1"};
  CHECK(run(words) == 0);
  CHECK(run.lines().size() == 1 + 2 + 1);  // the slow one's 600 is left out
  CHECK(run.cell("variant") == "fast");
  CHECK(run.cell("m") == "600");
  Run more;  // slow on one thread, and at one tile
  more.variant->traits.threads = more.variant->traits.tiles = true;
  more.step.tiles = {4, 8};
  more.variant->each = {1e3, 1e3, 1e3, 1e-3, 1e3};
  more({"--size", "250,600", "--threads", "1,2", "--budget", "1", "--warmup", "0", "--verify", "none",
        "--repeat", "1"});
  CHECK(more.variant->runs == 4 + 1);
  CHECK(more.cell("threads") == "2");
  CHECK(more.cell("tile") == "8");
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
    const Heard found = run.says(1, {"--shape", "2049x3x5", "--repeat", "1", "--warmup", "0"});
    CHECK(found.err.find(said) != std::string::npos);
    CHECK(run.cell("verdict") == "wrong");
  }
}

TEST_CASE("resumed rows are neither run nor written again, and a wrong one stays wrong") {
  Run run;
  CHECK(run({"--size", "9"}) == 0);
  CHECK(run({"--size", "9,10", "--resume"}) == 0);
  CHECK(run.lines().size() == 3);
  CHECK(run({"--size", "9", "--resume", "--repeat", "6"}) ==
        0);  // more runs than the row has: measured again
  CHECK(run.lines().size() == 4);
  CHECK(run.cell("repeat") == "6");
  CHECK(run({"--size", "12", "--resume", "--verify", "none"}) == 0);
  CHECK(run({"--size", "12", "--resume"}) == 0);  // unverified is not done
  CHECK(run({"--size", "12", "--resume"}) == 0);
  CHECK(run.lines().size() == 6);
  run.variant->writes_nothing = true;
  CHECK(run({"--size", "11", "--resume"}) == 1);
  run.variant->writes_nothing = false;
  CHECK(run({"--size", "9,10,11", "--resume"}) == 1);
  CHECK(run.lines().size() == 7);
}

namespace {

constexpr double in_no_time = 1e-9;  // nobody can be denied a processor for so long
constexpr double asleep = 0.002;     // of which it had a processor for some microseconds

}  // namespace

TEST_CASE("--quiet: a disturbed run does not count, as long as there are enough others") {
  using Is = std::vector<std::string>;  // quiet, repeat, runs
  Run run(asleep);
  run.variant->copies = false;
  const auto found = [&run](const std::vector<double>& each, const char* repeat, const char* budget,
                            const char* warmup = "0") {
    run.variant->each = each, run.variant->runs = 0;
    CHECK(run({"--size", "9", "--quiet", "--repeat", repeat, "--budget", budget, "--warmup", warmup}) == 0);
    return Is{run.cell("quiet"), run.cell("repeat"), std::to_string(run.variant->runs)};
  };
  const double good = in_no_time;
  CHECK(found({asleep, asleep, good, asleep, good, good, good}, "4", "100", "1") == Is{"yes", "4", "7"});
  CHECK(run.cell("mean_s") == "1e-09");  // of the good ones
  CHECK(found({}, "4", "100", "1") == Is{"no", "12", "13"});
  CHECK(run.cell("mean_s") == "0.002");                                  // of all
  CHECK(found({good, good, good}, "5", "100") == Is{"yes", "3", "15"});  // three are enough
  CHECK(found({good, good}, "5", "100") == Is{"no", "2", "15"});
  CHECK(found({asleep, good, good}, "2", "100") == Is{"yes", "2", "3"});  // or as many as were asked for
  CHECK(found({good}, "2", "100") == Is{"no", "1", "6"});
  CHECK(found({}, "5", "0.003") == Is{"no", "5", "5"});       // thrice the budget
  CHECK(found({}, "5", "0.002", "1") == Is{"no", "3", "3"});  // with the warm-up
  run.variant->works = true;
  CHECK(found({}, "5", "0.001") == Is{"yes", "1", "1"});  // or as many as use the budget up
}

TEST_CASE("--quiet --resume: a quiet row of three good runs is done, one of two is not") {
  Run run(asleep);
  const auto runs = [&run](const char* repeat) {
    run.variant->runs = 0;
    CHECK(run({"--size", "9", "--quiet", "--resume", "--repeat", repeat, "--budget", "100", "--warmup",
               "0"}) == 0);
    return run.variant->runs;
  };
  run.variant->each = {in_no_time, in_no_time};
  CHECK(runs("2") == 2);
  CHECK(runs("2") == 0);
  run.variant->each = {in_no_time, in_no_time, in_no_time};
  CHECK(runs("5") == 15);
  CHECK(run.cell("repeat") == "3");
  CHECK(runs("5") == 0);
}

TEST_CASE("--quiet: neither a run too short for the clock is disturbed nor one on a GPU or of a crowd") {
  Run brief(asleep / 4);
  CHECK(brief({"--size", "9", "--quiet", "--repeat", "2"}) == 0);
  CHECK(brief.variant->runs == 1 + 2);
  CHECK(brief.cell("quiet") == "yes");
  brief.variant->gpu = "Test GPU", brief.variant->seconds = 0.5;
  CHECK(brief({"--size", "9", "--quiet", "--repeat", "2"}) == 0);
  CHECK(brief.cell("quiet") == "yes");
  Run crowd(0.5);  // threads beyond the processors do not end together
  crowd.variant->traits.threads = true;
  const std::string most = std::to_string(usable_cpus()), more = std::to_string(usable_cpus() + 1);
  CHECK(crowd({"--size", "9", "--quiet", "--repeat", "2", "--threads", most}) == 0);
  CHECK(crowd.cell("quiet") == "no");
  CHECK(crowd({"--size", "9", "--quiet", "--repeat", "2", "--threads", more}) == 0);
  CHECK(crowd.cell("quiet") == "yes");
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

TEST_CASE("--quiet --resume: what was disturbed is not done, nor what nobody had asked of") {
  Run run(in_no_time);
  const auto rows = [&run](const std::vector<std::string>& words, double seconds) {
    run.variant->seconds = seconds, run.variant->runs = 0;
    CHECK(run(words) == 0);
    return run.lines().size() - 1;
  };
  const std::vector<std::string> nine = {"--size", "9", "--resume"},
                                 quiet = {"--size", "9", "--resume", "--quiet"},
                                 ten = {"--size", "10", "--resume", "--quiet", "--repeat", "1"};
  CHECK(rows(nine, in_no_time) == 1);
  CHECK(rows(quiet, in_no_time) == 2);  // nobody had asked
  CHECK(rows(quiet, in_no_time) == 2);
  CHECK(rows(nine, in_no_time) == 2);
  CHECK(rows(ten, 0.5) == 3);
  // A worse one or an equal one does not take its place, a better one does, and a quiet one.
  CHECK(rows(ten, 0.5) == 3);
  CHECK(rows(ten, 0.6) == 3);
  CHECK(run.variant->runs == 1 + 3);
  CHECK(rows(ten, 0.4) == 4);
  CHECK(run.cell("median_s") == "0.4");
  CHECK(rows({"--size", "10", "--resume", "--repeat", "1"}, 0.4) == 4);  // without --quiet it is done
  CHECK(rows(ten, in_no_time) == 5);
  CHECK(run.cell("quiet") == "yes");
  CHECK(rows(ten, in_no_time) == 5);
}

TEST_CASE("a variant that writes beside its inputs is wrong, in the run on digits, too") {
  for (const char* shape : {"9x9x9", "2049x3x5"}) {
    Run run;
    run.variant->spills = true;
    CHECK(run({"--shape", shape, "--repeat", "1", "--warmup", "0"}) == 1);
    CHECK(run.cell("verdict") == "wrong");
  }
}

TEST_CASE("a kernel that throws is wrong, not a crash, verified or not") {
  for (const std::string verify : {"auto", "none"}) {
    Run run;
    run.variant->throws = true;
    CHECK(run({"--size", "9", "--verify", verify}) == 1);
    CHECK(run.cell("verdict") == "wrong");
    CHECK(run.variant->released == 1);
    CHECK(run({"--size", "600", "--type", "f32"}) == 1);  // in the probe already
    run.variant->throws = false, run.variant->throws_at = -2;
    CHECK(run({"--size", "10", "--verify", verify}) == 1);
    CHECK(run({"--size", "11", "--verify", verify, "--expect-wrong", "--variant", "counting"}) == 1);
  }
}

TEST_CASE("memory that runs out in the middle of a run is a refusal: no row, and none that is resumed") {
  Run run;
  run.variant->no_memory_at = 2;  // behind the warm-up
  CHECK(run.says(2, {"--size", "9", "--resume"}).err == "test: out of memory; give a smaller size\n");
  CHECK(run.lines().size() == 1);
  CHECK(run({"--size", "9", "--resume"}) == 0);
}

TEST_CASE("a throw in the run on digits makes the row wrong and leaves the next as it should be") {
  Run run;
  run.variant->throws_at = 2;  // the first is timed, the second is on digits
  CHECK(run({"--shape", "2049x3x5", "--repeat", "1", "--warmup", "0"}) == 1);
  run.variant->throws_at = -1;
  CHECK(run({"--shape", "2049x3x5", "--repeat", "1", "--warmup", "0"}) == 0);
}

TEST_CASE("progress on a terminal; a GPU's row is predicted by the roofs of that GPU" *
          doctest::skip(!has_terminals())) {
  Run run(1e-6);
  Counting& variant = *run.variant;
  variant.gpu = "Test GPU", variant.traits.vector = "cuda";
  variant.traits.cost = [](const Shape& s, const Settings&) {
    return Cost{.flops = s.flops(), .reuses = {}};
  };
  std::ofstream(run.folder / "machine.csv") << "name,type,vector,threads,level,value,unit,note\n"
                                               "gpu,,cuda,,,1,multiprocessors,Test GPU; a test\n"
                                               "peak,f32,cuda,,,2,GFLOP/s,\n";
  const Heard found = run.says(0, {"--size", "9,10", "--repeat", "2"}, true);
  std::string progress;
  for (const std::string row : {"[1/2] test counting f32 9x9x9: ", "[2/2] test counting f32 10x10x10: "}) {
    for (const char* what : {"warm-up 1 of 1", "run 1 of 2", "run 2 of 2"})
      progress += "\r\033[K" + row + what;
    progress += "\r\033[K" + row.substr(0, 6) + "test counting: verifying\r\033[K";
  }
  CHECK(found.err == progress + "\r\033[K");
  CHECK(run.cell("predicted_s") == "1e-06");
  CHECK(run.cell("device") == "Test GPU");
  variant.gpu = "Another GPU";
  CHECK(run({"--size", "9"}) == 0);
  CHECK(run.cell("predicted_s") == "");
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
}

TEST_CASE("--verify-copies reaches the variant, alone") {
  Run run;
  run.step.emulated = [&](const std::string&) { return run.step; };
  for (const bool asked : {false, true}) {
    std::vector<std::string> words = {"--size", "9", "--emulate", "forward"};
    if (asked) words.push_back("--verify-copies");
    CHECK(run(words) == 0);
    CHECK(run.variant->verify_copies == asked);
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
  const Heard found = run.says(0, expected);
  const std::string trouble =
      "1 elements differ, the worst is C(3, 0) = " + std::to_string(variant.c.view()(3, 0));
  CHECK(found.out.ends_with("  wrong\n  " + trouble + "\n"));
  CHECK(found.err == "");
  const std::string wrong = "test: wrong: " + trouble + "; again by: " + again;
  CHECK(run.says(1, {"--size", "9", "--fill", "digits"}).err == wrong);
  CHECK(run.says(1, nine).err == "test: " + run.csv() + " has this row as wrong: " + again);
  variant.spoilt = -1, variant.complains = "blocks of 1x1";  // no rank is named where there is one
  CHECK(run.says(1, {"--size", "9", "--fill", "digits"}).err ==
        "test: wrong: blocks of 1x1; again by: " + again);
  variant.complains = "", variant.throws = true;
  CHECK(run.says(1, {"--size", "9", "--fill", "digits"}).err ==
        "test: wrong: it threw: a kernel's exception; again by: " + again);
  CHECK(run.cell("error_share") == "inf");
  CHECK(run.cell("verify") == "none");
  const std::string much = run.says(2, {"--size", "1000000", "--verify", "full"}).err;
  CHECK(much.starts_with("test: 1000000x1000000x1000000: f32 needs 7.28 TiB of memory, "));
  CHECK(much.ends_with(" are available; give a smaller size or --verify auto\n"));
  variant.throws = false, variant.on_device = 2048;
  CHECK(run.says(0, {"--size", "9"}).err == "");
  variant.on_device = 4096;
  CHECK(run.says(2, {"--size", "9"}).err ==
        "test: 9x9x9: f32 needs 4 KiB of the GPU's memory, which has 2 KiB free; give a smaller size\n");
  const std::string path = run.folder / "machine.csv";
  std::ofstream(path) << "name,type,vector,threads,level,value,unit,note\nprocessor,,,,,1,threads,another\n";
  variant.on_device = 0;
  CHECK(run.says(0, {"--size", "9"}).err ==
        "test: " + path + " is of another machine, another: no predictions\n");
  CHECK(run.says(2, {"--size", "9", "--machine", "/no/file"}).err ==
        "test: --machine: cannot read /no/file\n");
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

TEST_CASE("digits are served as far as they are exact, and so is Freivalds' run on them") {
  const auto verified = [](const char* k, const char* fill) {
    Run run;
    const int status = run({"--shape", k, "--fill", fill, "--repeat", "1", "--warmup", "0"});
    return status == 0 ? run.cell("verify") : std::to_string(status);
  };
  CHECK(verified("1x1x207126", "digits") == "samples+freivalds");
  CHECK(verified("1x1x207127", "digits") == "2");
  CHECK(verified("1x1x207126", "uniform") == "samples+freivalds");
  CHECK(verified("1x1x207127", "uniform") == "samples");
}

TEST_CASE("what cannot run is skipped: 77 when nothing else was asked for") {
  Run run;
  run.variant->reason = "no such hardware";
  CHECK(run({"--size", "9"}) == 77);
  CHECK(run({"--size", "9,abc"}) == 2);
  CHECK(run.lines().size() == 1);
  const auto other = std::make_shared<Counting>(1e-3);
  other->traits.name = "other", run.step.f32.push_back(other);
  CHECK(run({"--size", "9", "--resume"}) == 0);
  CHECK(run({"--size", "9", "--resume"}) == 0);  // nothing is left to do, and that is well
  CHECK(run.lines().size() == 2);
}

TEST_CASE("a step on a GPU says once, for all its variants, that there is none, and what runs without") {
  Run run;
  run.variant->reason = "no CUDA device: none";
  const auto other = std::make_shared<Counting>(1e-3);
  other->traits.name = "other", other->reason = run.variant->reason, run.step.f32.push_back(other);
  run.step.emulated = [&](const std::string&) { return run.step; };
  CHECK(run.says(77, {"--size", "9"}).err ==
        "test: skipped: no CUDA device: none; --emulate forward runs the kernels on the processor\n");
  CHECK(run.lines().size() == 1);
  other->reason = "";
  CHECK(run.says(0, {"--size", "9"}).err == "test: counting skipped: no CUDA device: none\n");
}

TEST_CASE("--expect-wrong: 0 only if the verdict was wrong") {
  Run run;
  CHECK(run({"--size", "9", "--expect-wrong", "--variant", "counting"}) == 1);
  CHECK(run({"--size", "9", "--expect-wrong", "--variant", "countin"}) == 2);
  CHECK(run({"--size", "9", "--expect-wrong"}) == 2);  // it has no broken variant
  run.variant->writes_nothing = true;
  CHECK(run({"--size", "9", "--expect-wrong", "--variant", "counting"}) == 0);
  CHECK(run({"--size", "9", "--expect-wrong", "--variant", "counting", "--verify", "none"}) == 1);
}

TEST_CASE("beyond 2048 samples and Freivalds decide, with one more run on digits") {
  Run run;
  CHECK(run({"--shape", "2049x3x5", "--repeat", "1", "--warmup", "0"}) == 0);
  CHECK(run.variant->runs == 2);
  CHECK(run.cell("verify") == "samples+freivalds");
  CHECK(run({"--shape", "2049x3x5", "--repeat", "1", "--warmup", "0", "--fill", "digits"}) == 0);
  CHECK(run.variant->runs == 3);  // digits were at hand
  CHECK(run({"--shape", "2048x3x5", "--repeat", "1", "--warmup", "0"}) == 0);
  CHECK(run.cell("verify") == "full");
}

namespace {

/// What three ranks, played by threads, make of a command line.
struct Ranks {
  Run files;
  Crew crew{3};
  std::string said, shown;  // on stderr, on stdout

  std::vector<int> operator()(std::vector<std::string> words) {
    words.insert(words.begin(), {"ranks", "--csv", files.csv(), "--repeat", "2"});
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    std::vector<int> statuses;
    const auto all = [&](const World& world) {
      return run(static_cast<int>(argv.size()), argv.data(),
                 {"ranks", "a test", "-O3", "", Spread<float>::all(), {}, {}}, world);
    };
    const Heard found = heard([&] { statuses = crew.run(all); });
    said = found.err, shown = found.out;
    for (const std::string& line : crew.last_words) said += line + "\n";
    return statuses;
  }
};

using Statuses = std::vector<int>;
const Statuses well = {0, 0, 0}, wrong = {1, 1, 1}, refused = {2, 2, 2}, skipped = {77, 77, 77};

}  // namespace

TEST_CASE("ranks share a row: each verifies its piece, the slowest gives each phase's time") {
  for (const char* shape : {"10x7x5", "1x4x3", "2x0x3", "0x3x3", "5x5x0"}) {
    Ranks ranks;
    CAPTURE(shape);
    CHECK(ranks({"--variant", "right", "--shape", shape}) == well);
    CHECK(ranks.said == "");
    CHECK(ranks.files.cell("verdict") == "right");
    CHECK(ranks.files.lines().size() == 2);
    CHECK(ranks.files.cell("ranks") == "3");
    CHECK(ranks.files.cell("alloc_s") == "2.5");
    CHECK(ranks.files.cell("distribute_s") == "3");
    CHECK(ranks.files.cell("median_s") == "0.004");
    CHECK(ranks.files.cell("imbalance") == "1.33333333");
    CHECK(ranks.files.cell("copy_in_s") == "");
  }
  Ranks large;
  CHECK(large({"--variant", "right", "--shape", "2050x3x5", "--warmup", "0"}) == well);
  CHECK(large.files.cell("verify") == "samples+freivalds");
  CHECK(large.files.cell("words_received") == "15");
  const int meetings = large.crew.meetings;
  CHECK(large({"--variant", "right", "--shape", "2050x3x5", "--resume"}) == well);
  CHECK(large.files.lines().size() == 2);
  CHECK(large.crew.meetings > meetings);  // the root's decision reached all
}

TEST_CASE("ranks share the machine: their share of the peak is of the threads of all") {
  Ranks ranks;
  std::ofstream(ranks.files.folder / "machine.csv") << "name,type,vector,threads,level,value,unit,note\n"
                                                       "peak,f32,sse2,1,,0.004,GFLOP/s,\n"
                                                       "peak,f32,sse2,3,,0.01,GFLOP/s,\n";
  CHECK(ranks({"--variant", "right", "--size", "20"}) == well);  // 16000 operations in 4 ms
  CHECK(ranks.shown.find(" 0.004    40% ") != std::string::npos);
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

TEST_CASE("ranks know together that a run was disturbed, if the host has a processor for each") {
  Ranks ranks;
  CHECK(ranks({"--variant", "right", "--size", "9", "--quiet"}) == well);
  const bool told = sysconf(_SC_NPROCESSORS_ONLN) >= 3;  // each may be bound to one of them
  CHECK(
      ranks.said ==
      (told ? "ranks: 1 of 1 rows were disturbed; with --csv and --resume these are measured again\n" : ""));
  CHECK(ranks.files.cell("quiet") == (told ? "no" : "yes"));
}

TEST_CASE("what goes wrong on rank 1 is everybody's: one message, one status, nobody waits") {
  struct Fault {
    const char* variant;
    Statuses statuses;
    std::string said;
  };
  const std::string size = " --type f32 --shape 9x9x9";
  for (const Fault& fault : std::vector<Fault>{
           {"wrong_element", wrong, "wrong: 1 elements differ, the worst is C(7, 4)"},
           {"missing_piece", wrong, "wrong: not every element of C came back exactly once"},
           {"broken_guard", wrong, "wrong: rank 1 wrote outside its matrix"},
           {"nan_element", wrong, "wrong: 1 elements differ, the worst is C(7, 4)"},
           {"throw_in_refuses", wrong, "ranks: it threw: no answer"},
           {"throw_in_allocate", wrong, "wrong: it threw: no such thing"},
           {"throw_in_run", wrong, "ranks: rank 1: it threw: it broke"},
           {"no_memory", refused, "ranks: out of memory; give a smaller size"},
           {"no_memory_in_run", wrong, "ranks: rank 1: out of memory"},
           {"refusal", skipped, "ranks: refusal skipped: rank 1 will not"},
           {"too_large", refused, "ranks: 9x9x9: f32 needs 2.665 PiB of memory"}}) {  // three ranks' together
    Ranks ranks;
    CAPTURE(fault.variant);
    CHECK(ranks({"--variant", fault.variant, "--size", "9"}) == fault.statuses);
    CAPTURE(ranks.said);
    CHECK(ranks.said.find(fault.said) != std::string::npos);
    CHECK(std::count(ranks.said.begin(), ranks.said.end(), '\n') == 1);
  }
  Ranks found;
  CHECK(found({"--variant", "wrong_element", "--shape", "9x4x1", "--fill", "digits"}) == wrong);
  CHECK(found.files.cell("differences") == "1");
  const Problem<float> digits{{9, 4, 1}, Fill::digits};
  double norm = 0;  // the largest row sum of the right C; nothing but the wrong element is off, by 1
  Index largest = 0;
  for (Index i = 0; i < 9; ++i) {
    double row = 0;
    for (Index j = 0; j < 4; ++j) {
      row += digits.c(i, j);
      for (Index p = 0; p < 1; ++p) row += digits.a(i, p) * digits.b(p, j);
    }
    if (row > norm) norm = row, largest = i;
  }
  CHECK(largest % 3 != 0);  // on another rank than the root
  CHECK(std::stod(found.files.cell("relative_error")) == doctest::Approx(1 / norm));
  CHECK(found({"--variant", "wrong_element,no_memory", "--size", "9"}) == wrong);  // both are said
  CHECK(found.said.find("wrong: 1 elements differ") != std::string::npos);
  CHECK(found.said.find("out of memory; give a smaller size") != std::string::npos);
  Ranks ranks;
  CHECK(ranks({"--variant", "slow", "--size", "600", "--budget", "1"}) == well);
  CHECK(ranks.said.find("slow f32 600x600x600 left out: one run takes about 3815 s, over ") !=
        std::string::npos);
  CHECK(ranks.files.lines().size() == 1);
  CHECK(ranks({"--variant", "slow_at_first", "--size", "600", "--budget", "1"}) == well);
  CHECK(ranks.said == "");  // who meets for the first time needs longer: that is not estimated from
  CHECK(ranks.files.lines().size() == 2);
}

TEST_CASE("rows finished before a rank breaks down are on disk, and what the root cannot do all refuse") {
  Ranks ranks;
  CHECK(ranks({"--variant", "right,throw_in_run,refusal", "--size", "9"}) == wrong);
  CHECK(ranks.files.lines().size() == 2);
  Ranks other;
  std::ofstream(other.files.csv()) << "a,b\n";
  CHECK(other({"--variant", "right", "--size", "9"}) == refused);
  CHECK(other.said.find("has other columns") != std::string::npos);
  CHECK(other({"--variant", "nosuch", "--size", "9"}) == refused);
  CHECK(std::count(other.said.begin(), other.said.end(), '\n') == 1);
}

TEST_CASE("instruction sets the processor lacks are a skip") {
  CHECK(lacking("") == "");
  Run run;
#ifdef __x86_64__
  CHECK(lacking("avx1024,,sse2,fma9") == "avx1024,fma9");
  run.step.features = "sse2";
  CHECK(run({"--size", "9"}) == 0);
#endif
  run.step.features = "avx1024";
  CHECK(run({"--size", "9"}) == 77);
}
