// 08's variants: which kernel, of which tile, on which memory.
#include "tests/wiring.hpp"

#include "08_cuda_shared/main.cu"

namespace {

template <class T, int tile>
void check_tile() {
  using course::Memory, wiring::row;
  std::vector<wiring::Row> rows = {
      row("shared", shared<T, tile>),
      row("shared_unified", shared<T, tile>, Memory::unified),
      row("no_first_barrier", wrong::barriers<T, tile, false, true>),
      row("no_second_barrier", wrong::barriers<T, tile, true, false>),
      row("no_guard", wrong::no_guard<T, tile>),
      row("unwaited", shared<T, tile>),
      row("one_column_too_far", shared<T, tile>),
      row("one_row_too_far", shared<T, tile>),
  };
  rows[5].waits = false;
  wiring::check<T>(variants<T>(), rows, {.tile = tile});
}

}  // namespace

TEST_CASE("08: each variant starts the kernel that its name says, of the row's tile") {
  const auto check = []<class T>(T) {
    check_tile<T, 2>(), check_tile<T, 4>(), check_tile<T, 8>(), check_tile<T, 16>(), check_tile<T, 32>();
  };
  check(float()), check(double());
}
