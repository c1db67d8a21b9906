// 03_tiling_orders: the experiment of SMALL_TILES.md. Two orders of the loops inside a tile, by the same
// machine code.
#include "cost.hpp"
#include "gemm.hpp"
#include "runner/cpu.hpp"
#include "runner/run.hpp"

template <class T>
course::Variants<T> variants() {
  using namespace tiling;
  using course::KernelArgs;
  return {
      course::cpu<T>("ikj", "a row of C, then all rows of B: C's row is wanted again at once",
                     [](const KernelArgs<T>& x) { ikj_in_tiles<T>(x.a, x.b, x.c, x.tile); }, cost::tiled<T>,
                     {.tiles = true}),
      course::cpu<T>("kij", "a row of B, then all rows of C: C's row is wanted again a tile's height later",
                     [](const KernelArgs<T>& x) { kij_in_tiles<T>(x.a, x.b, x.c, x.tile); }, cost::tiled<T>,
                     {.tiles = true})};
}

int main(int argc, char** argv) {
  auto step = COURSE_STEP("does a tile's order of loops matter, if nothing else changes?");
  step.tiles = {8, 16, 24, 40, 80, 240};
  return course::run(argc, argv, step);
}
