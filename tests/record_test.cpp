// One row of the results: its figures, how it is printed, and the command that runs it again.
#include "runner/record.hpp"

#include <doctest/doctest.h>

#include "captured.hpp"
#include "runner/text.hpp"

using namespace course;

TEST_CASE("a record's times and rate come from its runs; nothing done is no rate") {
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
  Record empty;
  empty.shape = {0, 5, 5}, runs.resize(1);
  empty.summarise(runs);
  CHECK((!empty.gflops && *empty.stddev_s == 0));
}

TEST_CASE("runs without a product's time make a record without one") {
  for (const std::vector<Times>& runs : {std::vector<Times>{}, {Times{.copy_in = 2}}}) {
    Record record;
    record.summarise(runs);
    CHECK(record.repeat == 0);
    CHECK(!record.best_s.has_value());
  }
}

TEST_CASE("what does not apply is an empty cell, and so is what a check found that came to no verdict") {
  Record r;
  const auto filled = [&r] {
    std::string names;
    for (const Column& column : r.columns())
      if (!column.cell.empty()) names += column.name + " ";
    return names;
  };
  CHECK(filled() == "m n k seed threads ranks device_kind repeat ");
  r.check = {.error_share = 32, .relative_error = 0.125, .differences = 34}, r.verdict = "unverified";
  CHECK(filled() == "m n k seed threads ranks device_kind repeat verdict ");
  r.verdict = "wrong";
  CHECK(filled() ==
        "m n k seed threads ranks device_kind repeat error_share relative_error differences verdict ");
}

TEST_CASE("a row on the terminal: what was found, and a dash where nothing was") {
  Record r;
  r.step = "01_naive", r.variant = "ijk", r.type = "f32", r.shape = {20, 30, 40},
  r.device = {"processor", "a machine"};
  r.compiler = "g++ 12", r.flags = "-O3", r.verdict = "unverified", r.check = Check{.error_share = 0.5};
  const auto says = [&r](const std::string& header, const std::string& row) {
    CHECK(captured([&] { print_header(r); }).out.find(header) != std::string::npos);
    CHECK(captured([&] { print_row(r); }).out.find(row) != std::string::npos);
  };
  says("01_naive on a machine, g++ 12 -O3\nvariant ",
       "ijk              f32  20x30x40                1     -     0        0 us           - -     ");
  r.repeat = 5, r.median_s = 0.002, r.gflops = 1.23456, r.peak_share = 0.25, r.verdict = "right";
  r.prediction = {.seconds = 3e-6, .limit = "L2", .bytes = {}};
  r.check = {.right = true, .error_share = 0.12345, .worst_case_share = 0.0678};
  r.settings = {.threads = 16, .tile = 64, .grid = {}, .block = {}};
  says(" threads  tile  runs ",
       " 16    64     5        2 ms        3 us L2         1.235    25%     0.123     0.068  right\n");
  r.settings.tile = 0, r.settings.block = {32, 8}, r.peak_share = 1.03;
  says(" threads block  runs ", " 16  32x8     5        2 ms        3 us L2         1.235 >100%?     0.123 ");
  r.settings.grid = {2, 3}, r.ranks = 6;
  says("01_naive on 6 ranks of a machine, ", "     16      2x3 32x8     5 ");
}

TEST_CASE("the line that runs a row again names what its variant is swept over") {
  Record r;
  r.step = "06_mpi", r.variant = "summa", r.type = "f64", r.shape = {2, 3, 4}, r.fill = "digits", r.seed = 7;
  r.settings = {.threads = 2, .tile = 16, .grid = {1, 3}, .block = {5, 6}};
  const std::string line =
      "06_mpi --variant summa --type f64 --shape 2x3x4 --fill digits --seed 7 --repeat 1";
  CHECK(r.command_line(VariantInfo(), 0, "") == line + " --verify full");
  VariantInfo info;
  info.threads = info.tiles = info.grids = info.blocks = true;
  r.ranks = 3;
  CHECK(r.command_line(info, 1, "forward") ==
        "mpirun -n 3 " + line +
            " --verify full --threads 2 --tile 16 --grid 1x3 --block 5x6 --pad 1 --emulate forward");
}
