#include "runner/text.hpp"

#include <doctest/doctest.h>

using namespace course;

TEST_CASE("a median is the middle of the sorted values") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(median({7}) == 7);
}

TEST_CASE("times and bytes have the unit that makes them readable") {
  CHECK(readable_seconds(2.5e-6) == "2.5 us");
  CHECK(readable_seconds(0.02) == "20 ms");
  CHECK(readable_seconds(3.14159) == "3.142 s");
  CHECK(readable_bytes(512) == "512 B");
  CHECK(readable_bytes(1023) == "1023 B");
  CHECK(readable_seconds(1e-3) == "1 ms");
  CHECK(readable_seconds(1) == "1 s");
  CHECK(readable_bytes(1024) == "1 KiB");
  CHECK(readable_bytes(0x1p70) == "1024 EiB");
  CHECK(shape_text({2, 3, 4}) == "2x3x4");
  CHECK(readable_bytes(1.5 * 1024 * 1024 * 1024) == "1.5 GiB");
  CHECK(threads_text(1) == "1 thread");
  CHECK(threads_text(2) == "2 threads");
}

TEST_CASE("an unknown name is refused with those that would do") {
  CHECK(one_of("--fill", "digits", {"digits", "uniform"}) == "digits");
  try {
    one_of("--fill", "ones", {"digits", "uniform"});
    FAIL("it passed");
  } catch (const Refusal& refusal) {
    CHECK(refusal.message == "--fill: 'ones' is unknown; give digits, uniform");
  }
}
