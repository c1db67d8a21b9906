#include "runner/record.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "captured.hpp"
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

TEST_CASE("a distinct value is found under each name, and what does not apply is empty") {
  Record r;
  r.step = "01_naive", r.variant = "ijk", r.type = "f32", r.shape = {2, 3, 4}, r.fill = "digits", r.seed = 5;
  r.settings = {.threads = 6, .tile = 7, .grid = {8, 9}, .block = {10, 11}};
  r.ranks = 12, r.device = "a device", r.repeat = 13, r.best_s = 14, r.median_s = 15, r.mean_s = 16;
  r.stddev_s = 17.5, r.gflops = 26, r.verify = "full", r.verdict = "wrong", r.quiet = "no";
  r.times = {.alloc = 18,
             .distribute = 21,
             .copy_in = 19,
             .product = 99,
             .copy_out = 20,
             .collect = 22,
             .imbalance = 23,
             .words_received = 24};
  r.prediction = {.seconds = 27, .limit = "L2", .bytes = {28, 29, 3e9, 31}};
  r.check = {.right = false, .error_share = 32, .relative_error = 0.125, .differences = 34};
  r.flags = "-O3", r.compiler = "g++", r.host = "here", r.commit = "abc", r.started = "now";
  std::string found, filled;
  for (const Column& column : r.columns()) found += column.name + "=" + column.cell + " ";
  CHECK(found ==
        "step=01_naive variant=ijk type=f32 m=2 n=3 k=4 fill=digits seed=5 threads=6 ranks=12 grid=8x9 "
        "block=10x11 "
        "tile=7 device=a device repeat=13 best_s=14 median_s=15 mean_s=16 stddev_s=17.5 alloc_s=18 "
        "copy_in_s=19 "
        "copy_out_s=20 distribute_s=21 collect_s=22 imbalance=23 words_received=24 gflops=26 predicted_s=27 "
        "limit=L2 "
        "bytes_l1=28 bytes_l2=29 bytes_l3=3e+09 bytes_memory=31 verify=full error_share=32 "
        "relative_error=0.125 "
        "differences=34 verdict=wrong quiet=no flags=-O3 compiler=g++ host=here commit=abc started=now ");
  for (const Column& column : Record().columns())
    if (!column.cell.empty()) filled += column.name + " ";
  CHECK(filled == "m n k seed threads ranks repeat ");
  r.verdict = "unverified";  // whatever a check began to find
  for (const char* column : {"error_share", "relative_error", "differences"})
    CHECK(Table(r.columns()).cell(r.row(), column) == "");
}

TEST_CASE("a row on the terminal, to the letter: what was found, and a dash where nothing was") {
  Record r;
  r.step = "01_naive", r.variant = "ijk", r.type = "f32", r.shape = {20, 30, 40}, r.device = "a machine";
  r.compiler = "g++ 12", r.flags = "-O3", r.verdict = "unverified", r.check = {.error_share = 0.5};
  const std::string heading =
      "type m x n x k         threads  tile  runs      median   predicted by       GFLOP/s   peak     error  "
      "   "
      "worst  verdict\n";
  CHECK(captured([&] { print_header(r); }).out ==
        "01_naive on a machine, g++ 12 -O3\nvariant          " + heading);
  CHECK(captured([&] { print_row(r); }).out ==
        "ijk              f32  20x30x40                1     -     0        0 us           - -              "
        "-   "
        "   -         -         -  unverified\n");
  r.repeat = 5, r.median_s = 0.002, r.gflops = 1.23456, r.peak_share = 0.25, r.verdict = "right";
  r.prediction = {.seconds = 3e-6, .limit = "L2", .bytes = {}};
  r.check = {.right = true, .error_share = 0.12345, .worst_case_share = 0.0678};
  r.settings = {.threads = 16, .tile = 64, .grid = {}, .block = {}};
  CHECK(captured([&] { print_row(r); }).out ==
        "ijk              f32  20x30x40               16    64     5        2 ms        3 us L2         "
        "1.235    "
        "25%     0.123     0.068  right\n");
  r.peak_share = 1.03;
  CHECK(captured([&] { print_row(r); }).out.find(" 1.235 >100%?     0.123 ") != std::string::npos);
  r.settings.tile = 0, r.settings.block = {32, 8}, r.quiet = "no";
  CHECK(captured([&] { print_header(r); }).out.find(" threads block  runs ") != std::string::npos);
  CHECK(captured([&] { print_row(r); }).out.find("     16  32x8     5       2 ms~        3 us ") !=
        std::string::npos);
  r.settings.grid = {2, 3}, r.ranks = 6;
  CHECK(captured([&] { print_header(r); }).out.starts_with("01_naive on 6 ranks of a machine, g++ 12 -O3\n"));
  CHECK(captured([&] { print_header(r); }).out.find(" threads   grid, block  runs ") != std::string::npos);
  CHECK(captured([&] { print_row(r); }).out.find("     16      2x3 32x8     5 ") != std::string::npos);
}

TEST_CASE("the line that runs a row again names what its variant is swept over") {
  Record r;
  r.step = "06_mpi", r.variant = "summa", r.type = "f64", r.shape = {2, 3, 4}, r.fill = "digits", r.seed = 7;
  r.settings = {.threads = 2, .tile = 16, .grid = {1, 3}, .block = {5, 6}};
  const std::string line =
      "06_mpi --variant summa --type f64 --shape 2x3x4 --fill digits --seed 7 --repeat 1";
  CHECK(r.command_line(Traits(), 0) == line + " --verify full");
  Traits traits;
  traits.threads = traits.tiles = traits.grids = traits.blocks = true;
  r.ranks = 3;
  CHECK(r.command_line(traits, 1) ==
        "mpirun -n 3 " + line + " --verify full --threads 2 --tile 16 --grid 1x3 --block 5x6 --pad 1");
}
