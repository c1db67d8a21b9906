// 07's variants: which kernel, on which memory.
#include "tests/wiring.hpp"

#include "07_cuda_global/main.cu"

TEST_CASE("07: each variant starts the kernel that its name says, on the memory that it says") {
  const auto check = []<class T>(T) {
    using course::Memory, wiring::row;
    wiring::check<T>(variants<T>(),
                     {
                         row("uncoalesced", uncoalesced<T>),
                         row("coalesced", coalesced<T>),
                         row("coalesced_pitched", coalesced<T>, Memory::pitched),
                         row("coalesced_unified", coalesced<T>, Memory::unified),
                         row("coalesced_registered", coalesced<T>, Memory::registered),
                         row("store_outside_guard", wrong::store_outside_guard<T>),
                         row("b_by_row", wrong::b_by_row<T>),
                         row("row_of_blocks_lost", coalesced<T>),
                         row("swapped", coalesced<T>),
                         row("one_column_too_far", coalesced<T>),
                         row("one_row_too_far", coalesced<T>),
                     },
                     {.block = {4, 2}});
  };
  check(float()), check(double());
}

TEST_CASE("07: x counts the rows of C where that is the idea, else its columns") {
  const auto list = variants<float>();
  wiring::started_by(*list[0], 0, {.block = {4, 2}});  // 12 x 20
  CHECK((course::launched.grid.x == 3 && course::launched.grid.y == 10));
  wiring::started_by(*list[1], 0, {.block = {4, 2}});
  CHECK((course::launched.grid.x == 5 && course::launched.grid.y == 6));
}
