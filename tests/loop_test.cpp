// The loop, driven by a variant that counts its calls.
#include "common/loop.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

using namespace course;

namespace {

/// Multiplies rightly; each run is said to have taken `seconds`.
struct Counting : Variant<float> {
  explicit Counting(double seconds_) : Variant<float>("counting", "for tests"), seconds(seconds_) {}
  double bytes(const Shape&) const override { return 0; }
  std::string needs() const override { return reason; }
  void prepare(const Problem<float>& problem_) override {
    problem = problem_, c = Matrix<float>(problem.shape.m, problem.shape.n), ++prepared;
  }
  void release() override { ++released; }
  void reset() override { copy<float>(problem.c, c.view()), ++resets; }
  Seconds run() override {
    ++runs;
    if (throws || runs == throws_at) throw std::runtime_error("a kernel's exception");
    if (throws_nonsense) throw 42;
    for (Index i = 0; i < problem.shape.m; ++i)
      for (Index p = 0; p < problem.shape.k; ++p)
        for (Index j = 0; j < problem.shape.n; ++j) c.view()(i, j) += problem.a(i, p) * problem.b(p, j);
    Seconds s;
    s.product = seconds, s.copy_in = 0.5 * runs;
    return s;
  }
  bool result(View<float> out) override {
    if (!writes_nothing) copy<float>(std::as_const(c).view(), out);
    return true;
  }

  double seconds;
  std::string reason;
  bool throws = false, throws_nonsense = false, writes_nothing = false;
  int prepared = 0, released = 0, resets = 0, runs = 0, throws_at = -1;
  Problem<float> problem;
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
    Step step{"test", "a test", "-O3", "", {variant}, {}, {}};
    step.world = world;
    return run(static_cast<int>(argv.size()), argv.data(), step);
  }
  std::string csv() const { return folder / "rows.csv"; }
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
  World world;
};

}  // namespace

TEST_CASE("a row is warmed up and repeated as asked, C reset before every run") {
  Run run;
  CHECK(run({"--size", "9", "--repeat", "4", "--warmup", "2"}) == 0);
  CHECK(run.variant->runs == 6);
  CHECK(run.variant->resets == 6);
  CHECK(run.variant->prepared == 1);
  CHECK(run.variant->released == 1);  // else the rows of a long run would fill the memory
  CHECK(run.cell("repeat") == "4");
  CHECK(run.cell("median_s") == "0.001");
  CHECK(run.cell("stddev_s") == "0");
  CHECK(run.cell("copy_in_s") == "2.25");  // median of runs 3..6
  CHECK(run.cell("copy_out_s") == "");
  CHECK(std::stod(run.cell("gflops")) == doctest::Approx(2 * 9 * 9 * 9 / 0.001 * 1e-9));
  CHECK(run.cell("verdict") == "right");
}

TEST_CASE("the budget ends a row early, but not before one run") {
  Run run(0.4);
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
  run.variant->baseline = true;
  CHECK(run({"--size", "600", "--type", "f32", "--budget", "1", "--verify", "none"}) == 0);
  CHECK(run.lines().size() == 2);
  CHECK(run.cell("verdict") == "unverified");
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

TEST_CASE("a variant that writes no result is wrong: what it should have written was poisoned") {
  Run run;
  CHECK(run({"--size", "9"}) == 0);
  run.variant->writes_nothing = true;  // the right product of the last run is still in memory
  CHECK(run({"--size", "9"}) == 1);
  CHECK(run.cell("verdict") == "wrong");
  CHECK(run.cell("differences") == "81");
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

TEST_CASE("a throw in the run on digits leaves the inputs as they were") {
  Run run;
  run.variant->throws_at = 2;  // the first is timed, the second is on digits
  CHECK(run({"--shape", "2049x3x5", "--repeat", "1", "--warmup", "0"}) != 0);
  run.variant->throws_at = -1;
  CHECK(run({"--shape", "2049x3x5", "--repeat", "1", "--warmup", "0"}) == 0);
}

TEST_CASE("a rate from a tiny product does not leave out a large one") {
  Run run(1e-4);  // whatever the size: 20 kFLOP/s at n = 1, 3 GFLOP/s at 600
  CHECK(run({"--size", "1,600", "--type", "f32", "--budget", "1"}) == 0);
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

TEST_CASE("of several ranks only the first speaks; the slowest gives the time") {
  Run run;
  run.world.size = 4;
  run.world.slowest = [](double mine) { return 3 * mine; };
  int agreed = 0;
  run.world.agree = [&](bool mine) { return ++agreed, mine; };
  CHECK(run({"--size", "9", "--repeat", "2"}) == 0);
  CHECK(run.cell("median_s") == "0.003");
  CHECK(run.cell("ranks") == "4");
  CHECK(agreed == 4);  // after the warm-up, after each run, on the verdict: all ranks do the same
  run.world.rank = 1;
  CHECK(run({"--size", "10"}) == 0);
  CHECK(run.lines().size() == 2);
}

TEST_CASE("instruction sets the processor lacks are a skip") {
  const char* argv[] = {"test", "--size", "9"};
#ifdef __x86_64__
  CHECK(run(3, argv, Step{"test", "a test", "-O3", "sse2", {std::make_shared<Counting>(1e-3)}, {}, {}}) == 0);
#endif
  CHECK(run(3, argv, Step{"test", "a test", "-O3", "avx1024", {std::make_shared<Counting>(1e-3)}, {}, {}}) ==
        77);
}
