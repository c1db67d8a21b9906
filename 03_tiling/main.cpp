// 03_tiling: the same products, tile by tile, so that what was brought in is used while it is near.
#include "broken.hpp"
#include "cost.hpp"
#include "gemm.hpp"
#include "runner/cpu.hpp"
#include "runner/run.hpp"

template <class T>
course::Variants<T> variants() {
  using namespace tiling;
  using course::broken, course::KernelArgs, course::cpu, course::uncounted;
  const course::VariantInfo tiles{.tiles = true};
  return {
      cpu<T>(
          "tiled", "tiles for one cache, ikj inside",
          [](const KernelArgs<T>& x) { tiled<T>(x.a, x.b, x.c, x.tile); }, cost::tiled<T>, tiles),
      cpu<T>(
          "two_level", "tiles of tiles, for two caches",
          [](const KernelArgs<T>& x) { two_level<T>(x.a, x.b, x.c, x.tile); }, cost::two_level<T>, tiles),
      cpu<T>(
          "four_by_four", "and 4 rows of C by 4 of B inside, for the registers",
          [](const KernelArgs<T>& x) { four_by_four<T>(x.a, x.b, x.c, x.tile); }, cost::four_by_four<T>,
          tiles),
      broken(cpu<T>(
          "whole_tiles_only", "what is left over is forgotten",
          [](const KernelArgs<T>& x) { wrong::whole_tiles_only<T>(x.a, x.b, x.c, x.tile); }, uncounted,
          tiles)),
      broken(cpu<T>(
          "last_tile_of_k_lost", "stops a tile early along k",
          [](const KernelArgs<T>& x) { wrong::last_tile_of_k_lost<T>(x.a, x.b, x.c, x.tile); }, uncounted,
          tiles)),
      broken(cpu<T>(
          "overwritten_by_each_tile", "C = in every tile",
          [](const KernelArgs<T>& x) { wrong::overwritten_by_each_tile<T>(x.a, x.b, x.c, x.tile); },
          uncounted, tiles)),
      broken(cpu<T>(
          "overlapping", "neighbouring tiles share an edge",
          [](const KernelArgs<T>& x) { wrong::overlapping<T>(x.a, x.b, x.c, x.tile); }, uncounted, tiles)),
  };
}

int main(int argc, char** argv) {
  auto step = COURSE_STEP("tiles that stay in the cache");
  step.tiles = {256};
#ifdef COURSE_PAD  // the experiment of the lesson: rows as far apart as in a larger matrix
  step.pad = COURSE_PAD;
#endif
  return course::run(argc, argv, step);
}
