// 08's variants: which kernel, of which tile, in which memory.
#include "tests/wiring.hpp"

#include "08_cuda_shared/main.cu"

namespace {

template <class T, int... tiles>
void check_tiles() {
  using course::Memory, wiring::row;
  (wiring::check<T>(
       variants<T>(),
       {row("shared", shared<T, tiles>), row("shared_unified", shared<T, tiles>, Memory::unified)},
       {.tile = tiles}),
   ...);
}

}  // namespace

TEST_CASE_TEMPLATE("08: each variant starts the kernel that its name says, of the row's tile", T, float,
                   double) {
  check_tiles<T, 2, 4, 8, 16, 32>();
}
