#include "common/table.hpp"

#include <doctest/doctest.h>

using namespace course;

TEST_CASE("a median is the middle of the sorted values") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(median({7}) == 7);
}

TEST_CASE("a record's times and rate come from its runs") {
  Record r;
  r.shape = {100, 100, 100};
  std::vector<Seconds> runs(3);
  runs[0].product = 0.004, runs[1].product = 0.001, runs[2].product = 0.002;
  runs[0].copy_in = 3, runs[1].copy_in = 1, runs[2].copy_in = 2;
  summarise(r, runs);
  CHECK(r.repeat == 3);
  CHECK(*r.best_s == 0.001);
  CHECK(*r.median_s == 0.002);
  CHECK(*r.mean_s == doctest::Approx(0.007 / 3));
  CHECK(*r.stddev_s == doctest::Approx(0.00152752523));  // of a sample: divided by n - 1
  CHECK(*r.gflops == doctest::Approx(2e6 / 0.002 * 1e-9));
  CHECK(*r.seconds.copy_in == 2);
  CHECK_FALSE(r.seconds.copy_out.has_value());
}

TEST_CASE("nothing done is no rate") {
  Record r;
  r.shape = {0, 5, 5};
  std::vector<Seconds> runs(1);
  runs[0].product = 1e-7;
  summarise(r, runs);
  CHECK_FALSE(r.gflops.has_value());
  CHECK(*r.stddev_s == 0);
}
