// The program round every step, driven by a variant that counts its calls.
#include "runner/run.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "check.hpp"
#include "runner/machine.hpp"
#include "runner/record.hpp"
#include "runner/session.hpp"
#include "runner/text.hpp"

using namespace course;

namespace {

/// Multiplies rightly, unless it is told otherwise; each run is said to have taken `seconds`.
struct Counting : Variant<float> {
  explicit Counting(double seconds_)
      : Variant<float>({.name = "counting", .idea = "for tests"}), seconds(seconds_) {}
  std::string refuses(const Problem<float>&, const Settings&) const override { return reason; }
  Times allocate(const Problem<float>& problem_, const Settings&) override {
    problem = &problem_, inputs = problem->whole(), c = Matrix<float>(problem->shape.m, problem->shape.n),
    ++allocated;
    return {.alloc = 0.25};
  }
  void release() override { ++released; }
  void reset() override { copy<float>(std::as_const(inputs.c).view(), c.view()), ++resets; }
  Times distribute() override {
    return {.copy_in = copies ? std::optional(0.005 * (runs + 1)) : std::nullopt};
  }
  Times run() override {
    ++runs;
    if (runs == throws_at || throws_at == 0) throw std::runtime_error("a kernel's exception");
    if (throws_at == -2) throw 42;
    if (runs == no_memory_at) throw std::bad_alloc();
    const Inputs<float>& in = inputs;
    for (Index i = 0; i < problem->shape.m; ++i)
      for (Index p = 0; p < problem->shape.k; ++p)
        for (Index j = 0; j < problem->shape.n; ++j) c.view()(i, j) += in.a.view()(i, p) * in.b.view()(p, j);
    if (spills) const_cast<float*>(in.a.view().data())[-1] = 0;
    if (spoilt >= 0 && problem->fill == spoilt_fill.value_or(problem->fill)) c.view()(spoilt, 0) += 1;
    return {.product = runs <= std::ssize(each) ? each[static_cast<std::size_t>(runs - 1)] : seconds};
  }
  Device device() const override { return gpu.empty() ? Device{} : Device{"gpu", gpu}; }
  Times fetch() override { return {.copy_out = copies ? std::optional(0.125) : std::nullopt}; }
  View<const float> result() override { return c.view(); }
  std::string run_error() const override { return complains; }
  bool guards_intact() const override { return inputs.guards_intact() && c.guards_intact(); }

  Inputs<float> inputs;
  double seconds;
  std::vector<double> each = {};  // instead, of the first runs
  std::string reason, complains, gpu;
  bool copies = true, spills = false;
  Index spoilt = -1;                // the row of a wrong element
  std::optional<Fill> spoilt_fill;  // of this fill only
  int allocated = 0, released = 0, resets = 0, runs = 0, throws_at = -1,
      no_memory_at = -1;  // throws_at 0: all
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

  int operator()(std::vector<std::string> words, const World& world = {}) {
    words.insert(words.begin(), {"test", "--csv", folder / "rows.csv"});
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    return run(static_cast<int>(argv.size()), argv.data(), step, world);
  }
  /// What it says while it ends with this status.
  Captured says(int status, const std::vector<std::string>& words) {
    return captured([&] { CHECK((*this)(words) == status); });
  }
  std::vector<Table::Row> rows() const { return Table(columns).read(folder / "rows.csv", "--csv"); }
  std::string cell(const std::string& name) const { return cell(rows().back(), name); }
  std::string cell(const Table::Row& row, const std::string& name) const {
    std::size_t c = 0;
    while (columns.at(c).name != name) ++c;
    return row[c];
  }

  std::shared_ptr<Counting> variant;
  std::filesystem::path folder;
  Step step{"test", "a test", "-O3", "", {}, {}, {}};
  Schema columns = Record().columns();
};

}  // namespace

TEST_CASE("the cgroups' quotas") {
  struct Case {
    const char* groups;
    std::vector<std::pair<std::string, const char*>> files;
    double quota;
  };
  for (const auto& [groups, files, quota] :
       {Case{"0::/a/b\n", {{"a/cpu.max", "150000 100000"}, {"a/b/cpu.max", "max 100000"}}, 1.5},
        Case{"0::/../a\n", {{"cpu.max", "max 100000"}}, HUGE_VAL},
        Case{"4:cpuacct,cpu:/a\n", {{"a/cpu.max", "100000 100000"}}, HUGE_VAL}}) {  // version 1's
    const Run run;
    std::ofstream(run.folder / "groups") << groups;
    for (const auto& [file, text] : files) {
      std::filesystem::create_directories((run.folder / file).parent_path());
      std::ofstream(run.folder / file) << text;
    }
    CHECK(processor_quota(run.folder / "groups", run.folder) == quota);
  }
}

TEST_CASE("a row is warmed up and repeated as asked, C reset before every run") {
  Run run;
  CHECK(run({"--size", "9", "--repeat", "4", "--warmup", "2"}) == 0);
  CHECK((run.variant->runs == 6 && run.variant->resets == 6));
  CHECK((run.variant->allocated == 1 && run.variant->released == 1));
  const Table::Row row = run.rows().back();
  for (const auto& [name, value] : {std::pair("repeat", "4"),
                                    {"median_s", "0.001"},
                                    {"alloc_s", "0.25"},
                                    {"collect_s", ""},
                                    {"copy_in_s", "0.0225"},  // repeated like the product: of runs 3..6
                                    {"verdict", "right"}})
    CHECK(run.cell(row, name) == value);
}

TEST_CASE("the budget ends a row early, but not before one run") {
  for (const auto& [seconds, runs] : {std::pair(0.4, 1 + 3), {0.5, 1 + 2}, {3., 1}}) {  // with the warm-up
    Run run(seconds);
    run.variant->copies = false;
    CHECK(run({"--size", "9", "--repeat", "100", "--budget", "1"}) == 0);
    CHECK(run.variant->runs == runs);
  }
}

TEST_CASE("a row is left out that takes over ten times the budget at the rate of its variant's row before") {
  Run run(1e3), small(1e-4);
  const std::vector<std::string> words = {"--size", "200,400", "--budget", "1", "--verify", "none"};
  CHECK(run.says(0, words).err ==
        "test: counting f32 400x400x400 left out: one run takes about 8000 s, over ten times the budget of 1 "
        "s; --budget 1.6e+03 will do\n");
  CHECK((run.variant->runs == 1 && run.rows().size() == 1));
  run.variant->info.baseline = true;
  CHECK((run(words) == 0 && run.rows().size() == 3));
  run.step.is_level = true;  // of a level nobody needs it
  CHECK((run(words) == 0 && run.rows().size() == 4));
  run.step.is_level = run.variant->info.baseline = false, run.variant->runs = 0;
  run.variant->info.threads = true, run.variant->each = {1e3, 1e-3, 1e-3};  // slow on one thread
  run({"--size", "200,400", "--threads", "1,2", "--budget", "1", "--warmup", "0", "--repeat", "1"});
  CHECK(run.variant->runs == 3);
  CHECK(small({"--size", "1,300", "--budget", "1"}) == 0);  // by 20 kFLOP/s 300 would take 45 minutes
  CHECK(small.rows().size() == 2);
}

TEST_CASE("beyond 2048 samples decide, and what is exact by Freivalds, with one more run on digits") {
  struct Case {
    const char *shape, *fill, *verify;
    int runs;
  };
  const auto err = [](Run& run, int status, const char* shape, const char* fill) {
    return run.says(status, {"--shape", shape, "--fill", fill, "--repeat", "1", "--warmup", "0"}).err;
  };
  for (const Case& c : {Case{"2048x3x5", "uniform", "full", 1},
                        {"2049x3x5", "uniform", "samples+freivalds", 2},
                        {"2049x3x5", "digits", "freivalds", 1},
                        {"1x1x207127", "uniform", "samples", 1}}) {
    Run run;
    err(run, 0, c.shape, c.fill);
    CHECK((run.variant->runs == c.runs && run.cell("verify") == c.verify));
  }
  for (const auto& [fill, said] : {std::pair(Fill::uniform, "elements differ, the worst is C(0, 0) = "),
                                   {Fill::digits, "Freivalds: C and A·B differ in 1 rows, the first is 0"}}) {
    Run run;
    run.variant->spoilt = 0, run.variant->spoilt_fill = fill;
    CHECK(err(run, 1, "2049x3x5", "uniform").find(said) != std::string::npos);
  }
  Run run;
  run.variant->spills = true;
  CHECK(err(run, 1, "2049x3x5", "uniform").find("wrote outside its matrix") != std::string::npos);
}

namespace {

/// One of several rows in turns: notes which row runs.
struct Turning : Counting {
  struct Host {
    std::string order;   // of the products, by threads
    double full = 0.08;  // seconds of a product on one thread
    double cold = 1;     // times as long for the first
    int throws_on = 0;   // so many threads
  };
  explicit Turning(std::shared_ptr<Host> host_) : Counting(0), host(std::move(host_)) { info.threads = true; }
  std::shared_ptr<Variant<float>> another() const override { return std::make_shared<Turning>(host); }
  Times allocate(const Problem<float>& problem_, const Settings& settings) override {
    threads = settings.threads;
    return Counting::allocate(problem_, settings);
  }
  Times run() override {
    if (threads == host->throws_on) throw std::runtime_error("a kernel's exception");
    Counting::run();
    host->order += std::to_string(threads);
    return {.product = host->full / threads * (runs == 1 ? host->cold : 1)};
  }
  std::shared_ptr<Host> host;
  int threads = 0;
};

struct TurningRun : Run {
  TurningRun() { step.f32 = {std::make_shared<Turning>(host)}; }
  std::shared_ptr<Turning::Host> host = std::make_shared<Turning::Host>();
};

}  // namespace

TEST_CASE("--in-turns: samples of 2 ms or more alternate, from both ends") {
  for (const auto& [full, order] : {std::pair(0.12, "12 12 21 12"),  // the warm-up, then three turns
                                    {0.08, "12 122 221 122"},        // below 50 ms one is not timed
                                    {0.0012, "12 11122222 22222111 11122222"}}) {
    TurningRun run;
    run.host->full = full, run.host->cold = full < 0.01 ? 10 : 1;
    CHECK(run({"--size", "9", "--threads", "1,2", "--in-turns", "--repeat", "3", "--budget", "0.15"}) == 0);
    std::string expected = order;
    std::erase(expected, ' ');
    CHECK(run.host->order == expected);
    for (const Table::Row& row : run.rows()) {
      CHECK((run.cell(row, "repeat") == "3" && run.cell(row, "verdict") == "right"));
      const double product = full / std::stod(run.cell(row, "threads"));
      CHECK(run.cell(row, "turns_s") == fmt::format("{0:.6g} {0:.6g} {0:.6g}", product));
      CHECK(run.cell(row, "started") == run.cell("started"));
    }
  }
}

TEST_CASE(
    "--in-turns: rows that do not fit in memory together follow one another; one that throws ends none") {
  struct Small : World {  // a row takes 0.45 of what its host has
    double on_this_host(double mine) const override {
      if (row == 0) row = mine;
      return mine * 0.45 * available_memory() / row;
    }
    mutable double row = 0;
  };
  TurningRun run, throws;
  run.host->full = 0.12;
  CHECK(run({"--size", "9", "--threads", "1,2", "--in-turns", "--repeat", "3"}, Small()) == 0);
  CHECK(run.host->order == "11112222");
  throws.host->throws_on = 1;
  CHECK(throws({"--size", "9", "--threads", "1,2", "--in-turns"}) == 1);
  CHECK((throws.cell(throws.rows()[0], "verdict") == "wrong" && throws.cell("verdict") == "right"));
}

TEST_CASE("a kernel that throws is wrong, not a crash; out of memory is a refusal") {
  Run run;
  const std::vector<std::string> on_digits = {"--shape", "2049x3x5", "--repeat", "1", "--warmup", "0"};
  for (const int throws_at : {0, -2}) {  // an exception, and what is none
    run.variant->throws_at = throws_at;
    CHECK(run({"--size", "9", "--verify", "none"}) == 1);
    CHECK((run.cell("verdict") == "wrong" && run.cell("verify") == "none"));
    CHECK(run.variant->released == run.variant->allocated);
  }
  run.variant->throws_at = run.variant->runs + 2;  // the first is timed, the second is on digits
  CHECK(run(on_digits) == 1);
  run.variant->throws_at = -1;
  run.variant->no_memory_at = run.variant->runs + 2;  // behind the warm-up
  CHECK(run.says(2, {"--size", "9"}).err == "test: out of memory; give a smaller size\n");
  CHECK(run.rows().size() == 3);
}

TEST_CASE("a row is predicted by the roofs of its own threads and GPU, if they are of this machine") {
  Run run(1e-6);  // 2000 operations in 1 us are 2 GFLOP/s
  const std::string path = run.folder / "machine.csv", here = processor().name;
  const auto machine = [&path](const std::string& rows) {
    std::ofstream(path) << "name,type,vector,threads,level,value,unit,note\n" << rows;
  };
  run.variant->info.threads = true;
  run.variant->info.cost = [](const Shape& s, const Settings&) {
    return Cost{.flops = s.flops(), .reuses = {}};
  };
  machine("peak,f32,sse2,1,,2,GFLOP/s,\npeak,f32,sse2,2,,5,GFLOP/s,\npeak,f32,avx2,2,,10,GFLOP/s,\n");
  const auto prints = [&run](const char* row) {
    CHECK(run.says(0, {"--size", "10", "--threads", "2"}).out.find(row) != std::string::npos);
  };
  prints("   0.4 us flops      2.000    20%");
  run.variant->info.vector = "avx2";
  prints("   0.2 us flops      2.000    20%");
  machine("gpu,,cuda,,,1,multiprocessors,Test GPU; a test\npeak,f32,cuda,,,2,GFLOP/s,\n");
  run.variant->info.vector = "cuda";
  for (const auto& [name, predicted] : {std::pair("Test GPU", "1e-06"), {"Another GPU", ""}}) {
    run.variant->gpu = name;
    CHECK(run({"--size", "10"}) == 0);
    CHECK((run.cell("predicted_s") == predicted && run.cell("device") == name));
  }
  machine("processor,,,,,1,threads,another\n");
  CHECK(run.says(0, {"--size", "9"}).err ==
        "test: " + path + " is of another machine, another: no predictions\n");
  CHECK(run.says(0, {"--size", "9", "--machine", path}).err == "");  // a lesson's, on purpose
  machine("processor,,,,,64,threads," + here + "\n");
  CHECK(run.says(0, {"--size", "9"}).err == "");  // a rank bound to a core sees no other
}

TEST_CASE(
    "a wrong result is one line with the command that shows it again; --expect-wrong turns that round") {
  Run run;
  const std::string again =
      "test --variant counting --type f32 --shape 9x9x9 --fill digits --seed 987654 --repeat 1 --verify "
      "full\n";
  const std::vector<std::string> nine = {"--size", "9", "--fill", "digits"},
                                 expected = {"--size",         "9",         "--fill",  "digits",
                                             "--expect-wrong", "--variant", "counting"};
  CHECK(run.says(1, expected).err == "test: expected wrong, found right: " + again);
  run.variant->spoilt = 3;
  const Captured found = run.says(0, expected);
  const std::string message =
      "1 elements differ, the worst is C(3, 0) = " + std::to_string(run.variant->c.view()(3, 0));
  CHECK((found.out.ends_with("  wrong\n  " + message + "\n") && found.err.empty()));
  CHECK(run.says(1, nine).err == "test: wrong: " + message + "; again by: " + again);
  run.variant->spoilt = -1, run.variant->complains = "blocks of 1x1";  // no rank is named where there is one
  CHECK(run.says(1, nine).err == "test: wrong: blocks of 1x1; again by: " + again);
}

TEST_CASE("--list shows what is right, and why it cannot run here; a row for each setting, threads first") {
  Run run;
  for (const char* name : {"swept", "far", "bad"}) {
    run.step.f32.push_back(std::make_shared<Counting>(1e-3));
    run.step.f32.back()->info.name = name;
  }
  VariantInfo &swept = run.step.f32[1]->info, &far = run.step.f32[2]->info;
  swept.threads = swept.tiles = swept.grids = swept.blocks = true;
  far.needs = "avx1024", run.step.f32[3]->info.broken = true;
  run.step.tiles = {4}, run.step.grids = {{1, 1}}, run.step.blocks = {{8, 8}};
  CHECK(run.says(0, {"--list"}).out ==
        "test: a test\n  counting         for tests\n  swept            for tests\n"
        "  far              for tests; not here: this processor lacks avx1024\n");
  CHECK(run.says(2, {"--variant", "bed"}).err ==
        "test: --variant: 'bed' is unknown; this step has counting, swept, far\n");
  CHECK(run({"--size", "9", "--threads", "1,2", "--tile", "3,5", "--block", "2x2,7x6", "--variant",
             "swept,bad"}) == 0);
  std::string rows;
  for (const Table::Row& row : run.rows())
    for (const char* name : {"variant", "threads", "tile", "grid", "block"})
      rows += run.cell(row, name) + " ";
  CHECK(rows ==
        "swept 1 3 1x1 2x2 swept 1 3 1x1 7x6 swept 1 5 1x1 2x2 swept 1 5 1x1 7x6 "
        "swept 2 3 1x1 2x2 swept 2 3 1x1 7x6 swept 2 5 1x1 2x2 swept 2 5 1x1 7x6 bad 1    ");
}

TEST_CASE("what cannot run is skipped: 77 when nothing else was asked for; a GPU's lack is said once") {
  Run run;
  const auto other = std::make_shared<Counting>(1e-3);
  run.variant->reason = other->reason = "no CUDA device: none", other->info.name = "other";
  run.step.f32.push_back(other);
  run.step.emulated = [&](const std::string&, bool) { return run.step; };
  CHECK(run.says(77, {"--size", "9"}).err ==
        "test: skipped: no CUDA device: none; --emulate forward runs the kernels on the processor\n");
  other->reason = "";
  CHECK(run.says(0, {"--size", "9"}).err == "test: counting skipped: no CUDA device: none\n");
}
