#include "runner/record.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "runner/text.hpp"

using namespace course;

TEST_CASE("a record's times and rate come from its runs") {
  Record r;
  r.shape = {100, 100, 100};
  std::vector<Times> runs(3);
  runs[0].product = 0.004, runs[1].product = 0.001, runs[2].product = 0.002;
  runs[0].copy_in = 3, runs[1].copy_in = 1, runs[2].copy_in = 2;
  r.summarise(runs);
  CHECK(r.repeat == 3);
  CHECK(*r.best_s == 0.001);
  CHECK(*r.median_s == 0.002);
  CHECK(*r.mean_s == doctest::Approx(0.007 / 3));
  CHECK(*r.stddev_s == doctest::Approx(0.00152752523));  // of a sample: divided by n - 1
  CHECK(*r.gflops == doctest::Approx(2e6 / 0.002 * 1e-9));
  CHECK(*r.times.copy_in == 2);
  CHECK_FALSE(r.times.copy_out.has_value());
}

TEST_CASE("nothing done is no rate") {
  Record r;
  r.shape = {0, 5, 5};
  std::vector<Times> runs(1);
  runs[0].product = 1e-7;
  r.summarise(runs);
  CHECK_FALSE(r.gflops.has_value());
  CHECK(*r.stddev_s == 0);
}

TEST_CASE("a row has a cell for each column") {
  CHECK(Record{}.row().size() == results_schema().columns.size());
}

TEST_CASE("each value is in its column, and what does not apply is empty") {
  Record r;
  r.step = "01_naive", r.variant = "ijk", r.type = "f32", r.shape = {2, 3, 4}, r.device = "a, \"b\"\nc";
  r.best_s = 0.25, r.settings.tile = 64, r.settings.grid = "2x3", r.ranks = 6, r.verdict = "right",
  r.quiet = "no";
  r.check = {.right = true, .error_share = 0.5, .relative_error = 0.125, .differences = 7};
  r.prediction = {.seconds = 0.75, .limit = "L2", .bytes = {1, 20, 3e9, 0}};
  r.times.copy_in = 1.5, r.times.words_received = 9;
  const Table table(results_schema());
  const Table::Row row = r.row();
  const auto cell = [&](const char* column) { return table.cell(row, column); };
  CHECK(listed({cell("m"), cell("n"), cell("k")}, ",") == "2,3,4");
  CHECK(cell("tile") == "64");
  CHECK(cell("grid") == "2x3");
  CHECK(cell("ranks") == "6");
  CHECK(cell("best_s") == "0.25");
  CHECK(cell("median_s") == "");
  CHECK(cell("copy_in_s") == "1.5");
  CHECK(cell("copy_out_s") == "");
  CHECK(cell("words_received") == "9");
  CHECK(cell("predicted_s") == "0.75");
  CHECK(cell("limit") == "L2");
  CHECK(listed({cell("bytes_l1"), cell("bytes_l2"), cell("bytes_l3"), cell("bytes_memory")}, ",") ==
        "1,20,3e+09,0");
  CHECK(cell("error_share") == "0.5");
  CHECK(cell("quiet") == "no");
  CHECK(cell("relative_error") == "0.125");
  CHECK(cell("differences") == "7");
  r.check.reset(), r.prediction.reset(), r.settings.tile = 0, r.verdict = "unverified";
  for (const char* column :
       {"limit", "bytes_l1", "predicted_s", "error_share", "relative_error", "differences", "tile"})
    CHECK(table.cell(r.row(), column) == "");
}
