// The program round every step, driven by variants that count their calls, alone and by several ranks.
#include "runner/run.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "crew.hpp"
#include "runner/machine.hpp"
#include "runner/text.hpp"
#include "spread.hpp"

using namespace course;

namespace {

/// Multiplies rightly; each run is said to have taken `seconds`.
struct Counting : Variant<float> {
  explicit Counting(double seconds_)
      : Variant<float>({.name = "counting", .idea = "for tests"}), seconds(seconds_) {}
  double bytes(const Problem<float>&, const Settings&) const override { return 0; }
  std::string refuses(const Problem<float>&, const Settings&, const World&) const override { return reason; }
  Times allocate(const Problem<float>& problem_, const Settings&, const World&) override {
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
    if (throws || runs == throws_at) throw std::runtime_error("a kernel's exception");
    if (throws_nonsense) throw 42;
    const Inputs<float>& in = problem->whole();
    for (Index i = 0; i < problem->shape.m; ++i)
      for (Index p = 0; p < problem->shape.k; ++p)
        for (Index j = 0; j < problem->shape.n; ++j) c.view()(i, j) += in.a.view()(i, p) * in.b.view()(p, j);
    const bool late = problem->shape.m > 2048;  // in the run on digits only
    if (spills && (!late || problem->fill == Fill::digits)) const_cast<float*>(in.a.view().data())[-1] = 0;
    if (spoilt >= 0) c.view()(spoilt, spoilt_column) += 1;
    return {.product = runs <= std::ssize(each) ? each[static_cast<std::size_t>(runs - 1)] : seconds};
  }
  std::string device() const override { return gpu; }
  Times fetch(Piece<float>& piece) override {
    if (writes_nothing) course::poison_all(c.view());
    piece = {all_of(problem->shape.m), all_of(problem->shape.n), std::as_const(c).view()};
    return {.copy_out = copies ? std::optional(0.125) : std::nullopt};
  }
  std::string complaint() const override { return complains; }
  std::pair<double, double> device_memory(const Problem<float>&, const Settings&) const override {
    return {on_device, 2048};
  }
  bool guards_intact() const override { return c.guards_intact(); }

  double seconds;
  std::vector<double> each = {};  // instead, of the first runs
  std::string reason, complains, gpu;
  double on_device = 0;
  bool copies = true, throws = false, throws_nonsense = false, writes_nothing = false, spills = false;
  Index spoilt = -1, spoilt_column = 0;  // an element that is wrong
  int allocated = 0, released = 0, resets = 0, runs = 0, throws_at = -1;
  const Problem<float>* problem = nullptr;
  Matrix<float> c;
};

struct Run {
  explicit Run(double seconds = 0.001) : variant(std::make_shared<Counting>(seconds)) {
    char name[] = "/tmp/course-loop-XXXXXX";
    folder = mkdtemp(name);
  }
  ~Run() { std::filesystem::remove_all(folder); }

  int operator()(std::vector<std::string> words) {
    words.insert(words.begin(), {"test", "--csv", csv()});
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    return run(static_cast<int>(argv.size()), argv.data(), {"test", "a test", "-O3", "", {variant}, {}, {}});
  }
  std::string csv() const { return folder / "rows.csv"; }
  /// What 00_machine would have found: so many billion additions a second.
  void has_pace(const char* value) const {
    std::ofstream(folder / "machine.csv")
        << "name,type,vector,threads,level,value,unit,note\npace,,,1,," << value << ",Gop/s,\n";
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::ifstream file(csv());
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }
  /// A cell of the last row.
  std::string cell(const std::string& name) const {
    std::istringstream names(lines().front()), values(lines().back() + ",");
    std::string column, value;
    while (std::getline(names, column, ',') && std::getline(values, value, ','))
      if (column == name) return value;
    return "no such column";
  }

  std::shared_ptr<Counting> variant;
  std::filesystem::path folder;
};

}  // namespace

TEST_CASE("a row is warmed up and repeated as asked, C reset before every run") {
  Run run;
  CHECK(run({"--size", "9", "--repeat", "4", "--warmup", "2"}) == 0);
  CHECK(run.variant->runs == 6);
  CHECK(run.variant->resets == 6);
  CHECK(run.variant->allocated == 1);
  CHECK(run.variant->released == 1);  // else the rows of a long run would fill the memory
  CHECK(run.cell("repeat") == "4");
  CHECK(run.cell("median_s") == "0.001");
  CHECK(run.cell("stddev_s") == "0");
  CHECK(run.cell("alloc_s") == "0.25");
  CHECK(run.cell("copy_in_s") == "0.0225");  // repeated like the product: median of runs 3..6
  CHECK(run.cell("copy_out_s") == "0.125");
  CHECK(run.cell("collect_s") == "");
  CHECK(std::stod(run.cell("gflops")) == doctest::Approx(2 * 9 * 9 * 9 / 0.001 * 1e-9));
  CHECK(run.cell("verdict") == "right");
}

TEST_CASE("the budget ends a row early, but not before one run") {
  Run run(0.4);
  run.variant->copies = false;
  CHECK(run({"--size", "9", "--repeat", "100", "--budget", "1"}) == 0);
  CHECK(run.variant->runs == 1 + 3);  // a warm-up, then 0.4 + 0.4 + 0.4 >= 1
  Run slow(3);
  CHECK(slow({"--size", "9", "--repeat", "100", "--budget", "1"}) == 0);
  CHECK(slow.variant->runs == 1);  // the warm-up itself was the row
  CHECK(slow.cell("repeat") == "1");
}

TEST_CASE("a row predicted beyond ten times the budget is left out, the baseline never") {
  Run run(1e3);
  CHECK(run({"--size", "600", "--type", "f32", "--budget", "1"}) == 0);
  CHECK(run.lines().size() == 1);  // the header: only the small probe ran
  run.variant->traits.baseline = true;
  CHECK(run({"--size", "600", "--type", "f32", "--budget", "1", "--verify", "none"}) == 0);
  CHECK(run.lines().size() == 2);
  CHECK(run.cell("verdict") == "unverified");
}

TEST_CASE("one wrong element that no sample meets is found by Freivalds' check") {
  Run run;
  const std::vector<std::string> words = {"--shape", "2049x200x50", "--repeat", "1", "--warmup", "0"};
  CHECK(run(words) == 0);
  for (const Index row : {1000, 1001, 1002}) {
    run.variant->spoilt = row, run.variant->spoilt_column = 101;
    CHECK(run(words) == 1);
    CHECK(run.cell("verdict") == "wrong");
    CHECK(run.cell("verify") == "samples+freivalds");
    CHECK(run.cell("error_share") == "inf");
  }
}

TEST_CASE("a row of another shape, type or setting is not resumed") {
  Run run;
  CHECK(run({"--shape", "9x9x9", "--resume"}) == 0);
  CHECK(run({"--shape", "8x9x9,9x8x9,9x9x8", "--resume"}) == 0);
  CHECK(run({"--shape", "9x9x9", "--resume", "--seed", "1"}) == 0);
  CHECK(run({"--shape", "9x9x9", "--resume", "--fill", "digits"}) == 0);
  CHECK(run.lines().size() == 1 + 1 + 3 + 2);
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

constexpr const char *never = "1e6", *always = "1e-6";  // is a machine of this pace quiet
constexpr double in_no_time = 1e-9;                     // nobody can be denied a processor for so long

}  // namespace

TEST_CASE("--quiet: a row is measured again while it is disturbed, three times in all, and marked") {
  Run run(in_no_time);
  run.has_pace(never);
  CHECK(run({"--size", "9", "--quiet", "--repeat", "4", "--warmup", "2"}) == 0);
  CHECK(run.variant->runs == 2 + 3 * 4);
  CHECK(run.variant->allocated == 1);
  CHECK(run.cell("quiet") == "no");
  CHECK(run.cell("repeat") == "4");
  CHECK(run.cell("alloc_s") == "0.25");
  CHECK(run.cell("verdict") == "right");
  run.has_pace(always);
  CHECK(run({"--size", "9", "--quiet", "--repeat", "4"}) == 0);
  CHECK(run.variant->runs == 2 + 3 * 4 + 1 + 4);
  CHECK(run.cell("quiet") == "yes");
  CHECK(run({"--size", "9", "--repeat", "4"}) == 0);
  CHECK(run.cell("quiet") == "");
  Run alone(in_no_time);  // there is no machine.csv: the best that was seen counts
  CHECK(alone({"--size", "9", "--quiet"}) == 0);
  CHECK((alone.cell("quiet") == "yes" || alone.cell("quiet") == "no"));
}

TEST_CASE("--quiet: who had to leave the processor to others was disturbed, but not on a GPU") {
  Run run(0.5);  // as it says; in truth it takes microseconds of the processor
  run.has_pace(always);
  CHECK(run({"--size", "9", "--quiet", "--repeat", "2"}) == 0);
  CHECK(run.variant->runs == 1 + 3 * 2);
  CHECK(run.cell("quiet") == "no");
  Run gpu(0.5);
  gpu.has_pace(always);
  gpu.variant->gpu = "Test GPU";
  CHECK(gpu({"--size", "9", "--quiet", "--repeat", "2"}) == 0);
  CHECK(gpu.cell("quiet") == "yes");
  Run crowd(0.5);  // threads beyond the processors do not end together
  crowd.has_pace(always);
  crowd.variant->traits.threads = true;
  const std::string most = std::to_string(usable_cpus()), more = std::to_string(usable_cpus() + 1);
  CHECK(crowd({"--size", "9", "--quiet", "--repeat", "2", "--threads", most}) == 0);
  CHECK(crowd.cell("quiet") == "no");
  CHECK(crowd({"--size", "9", "--quiet", "--repeat", "2", "--threads", more}) == 0);
  CHECK(crowd.cell("quiet") == "yes");
}

TEST_CASE("--quiet: of the tries the quiet one counts, else the fastest") {
  const std::vector<std::string> words = {"--size", "9", "--quiet", "--repeat", "1", "--warmup", "0"};
  Run run;
  run.has_pace(always);
  run.variant->each = {0.5, in_no_time};
  CHECK(run(words) == 0);
  CHECK(run.variant->runs == 2);
  CHECK(run.cell("quiet") == "yes");
  CHECK(run.cell("median_s") == "1e-09");
  Run disturbed;
  disturbed.variant->each = {0.5, 0.25, 0.75};
  disturbed.has_pace(always);
  CHECK(disturbed(words) == 0);
  CHECK(disturbed.cell("quiet") == "no");
  CHECK(disturbed.cell("median_s") == "0.25");
}

TEST_CASE("--quiet --resume: what was disturbed is not done, nor what nobody had asked of") {
  Run run(in_no_time);
  run.has_pace(always);
  CHECK(run({"--size", "9"}) == 0);
  CHECK(run({"--size", "9", "--resume"}) == 0);
  CHECK(run.lines().size() == 1 + 1);
  CHECK(run({"--size", "9", "--resume", "--quiet"}) == 0);
  CHECK(run({"--size", "9", "--resume", "--quiet"}) == 0);
  CHECK(run({"--size", "9", "--resume"}) == 0);
  CHECK(run.lines().size() == 1 + 2);
  run.variant->seconds = 0.5;
  const std::vector<std::string> both = {"--size", "9,10", "--resume", "--quiet", "--repeat", "1"};
  CHECK(run(both) == 0);
  CHECK(run.lines().size() == 1 + 3);
  CHECK(run.cell("quiet") == "no");
  // A worse one does not take its place, a better one does, and a quiet one.
  const int runs = run.variant->runs;
  run.variant->seconds = 0.6;
  CHECK(run(both) == 0);
  CHECK(run.variant->runs == runs + 1 + 3);  // of 10 alone
  CHECK(run.lines().size() == 1 + 3);
  run.variant->seconds = 0.4;
  CHECK(run(both) == 0);
  CHECK(run.lines().size() == 1 + 4);
  CHECK(run.cell("median_s") == "0.4");
  CHECK(run({"--size", "10", "--resume", "--repeat", "1"}) == 0);  // without --quiet it is done
  CHECK(run.lines().size() == 1 + 4);
  run.variant->seconds = in_no_time;
  CHECK(run(both) == 0);
  CHECK(run.cell("quiet") == "yes");
  CHECK(run(both) == 0);
  CHECK(run.lines().size() == 1 + 5);
}

TEST_CASE("a variant that writes no result is wrong: what it should have written was poisoned") {
  Run run;
  CHECK(run({"--size", "9"}) == 0);
  run.variant->writes_nothing = true;  // the right product of the last run is still in memory
  CHECK(run({"--size", "9"}) == 1);
  CHECK(run.cell("verdict") == "wrong");
  CHECK(run.cell("differences") == "81");
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
    run.variant->throws = false, run.variant->throws_nonsense = true;
    CHECK(run({"--size", "10", "--verify", verify}) == 1);
    CHECK(run({"--size", "11", "--verify", verify, "--expect-wrong", "--variant", "counting"}) == 1);
  }
}

TEST_CASE("a throw in the run on digits makes the row wrong and leaves the next as it should be") {
  Run run;
  run.variant->throws_at = 2;  // the first is timed, the second is on digits
  CHECK(run({"--shape", "2049x3x5", "--repeat", "1", "--warmup", "0"}) == 1);
  run.variant->throws_at = -1;
  CHECK(run({"--shape", "2049x3x5", "--repeat", "1", "--warmup", "0"}) == 0);
}

TEST_CASE("a rate from a tiny product does not leave out a large one") {
  Run run(1e-4);  // at least, whatever the size: 20 kFLOP/s at n = 1, by which 300 would take 45 minutes
  CHECK(run({"--size", "1,300", "--type", "f32", "--budget", "1"}) == 0);
  CHECK(run.lines().size() == 3);
}

TEST_CASE("what cannot run is skipped: 77 when nothing else was asked for") {
  Run run;
  run.variant->reason = "no such hardware";
  CHECK(run({"--size", "9"}) == 77);
  CHECK(run({"--size", "9,abc"}) == 2);
  CHECK(run.lines().size() == 1);
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
  std::string said;  // on stderr

  std::vector<int> operator()(std::vector<std::string> words) {
    words.insert(words.begin(), {"ranks", "--csv", files.csv(), "--repeat", "2"});
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    const std::string path = files.folder / "stderr";
    const int kept = dup(STDERR_FILENO), file = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(file, STDERR_FILENO), close(file);
    const auto statuses = crew.run([&](const World& world) {
      return run(static_cast<int>(argv.size()), argv.data(),
                 {"ranks", "a test", "-O3", "", Spread<float>::all(), {}, {}}, world);
    });
    dup2(kept, STDERR_FILENO), close(kept);
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    said = text.str();
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

TEST_CASE("ranks know of a quiet moment together: what the root read holds for all") {
  Ranks ranks;
  ranks.files.has_pace(never);
  CHECK(ranks({"--variant", "right", "--size", "9", "--quiet"}) == well);
  CHECK(ranks.said ==
        "ranks: 1 of 1 rows were disturbed; with --csv and --resume these are measured again\n");
  CHECK(ranks.files.cell("quiet") == "no");
  Ranks alone;
  CHECK(alone({"--variant", "right", "--size", "9", "--quiet"}) == well);
  CHECK(alone.files.lines().size() == 2);
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
  Ranks ranks;
  CHECK(ranks({"--variant", "slow", "--size", "600", "--budget", "1"}) == well);
  CHECK(ranks.said.find("slow f32 600x600x600 left out: one run takes about ") != std::string::npos);
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
  const char* argv[] = {"test", "--size", "9"};
#ifdef __x86_64__
  CHECK(run(3, argv, Step{"test", "a test", "-O3", "sse2", {std::make_shared<Counting>(1e-3)}, {}, {}}) == 0);
#endif
  CHECK(run(3, argv, Step{"test", "a test", "-O3", "avx1024", {std::make_shared<Counting>(1e-3)}, {}, {}}) ==
        77);
}

TEST_CASE("what a variant finds wrong with itself makes the row wrong, and a GPU too small refuses it") {
  Run run;
  run.variant->complains = "blocks of 1x1";
  CHECK(run({"--size", "9"}) == 1);
  CHECK(run.cell("verdict") == "wrong");
  Run large;
  large.variant->on_device = 2049;
  CHECK(large({"--size", "9"}) == 2);
  CHECK(large.variant->allocated == 0);
  large.variant->on_device = 2048;
  CHECK(large({"--size", "9"}) == 0);
}
