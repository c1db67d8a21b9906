// 03_tiling: the same products, tile by tile, so that what was brought in is used while it is near.
#include "broken.hpp"
#include "common/cpu.hpp"
#include "cost.hpp"
#include "gemm.hpp"
#include "runner/run.hpp"

template <class T>
course::Variants<T> variants() {
  using namespace tiling;
  using course::broken, course::cpu, course::tile, course::uncounted;
  return {
      cpu<T>("tiled", "tiles for one cache, ikj inside", tiled<T>, cost::tiled<T>, tile),
      cpu<T>("two_level", "tiles of tiles, for two caches", two_level<T>, cost::two_level<T>, tile),
      cpu<T>("four_by_four", "and 4 rows of C by 4 of B inside, for the registers", four_by_four<T>,
             cost::four_by_four<T>, tile),
      broken(cpu<T>("whole_tiles_only", "what is left over is forgotten", wrong::whole_tiles_only<T>,
                    uncounted, tile)),
      broken(cpu<T>("last_tile_of_k_lost", "stops a tile early along k", wrong::last_tile_of_k_lost<T>,
                    uncounted, tile)),
      broken(cpu<T>("overwritten_by_each_tile", "C = in every tile", wrong::overwritten_by_each_tile<T>,
                    uncounted, tile)),
      broken(
          cpu<T>("overlapping", "neighbouring tiles share an edge", wrong::overlapping<T>, uncounted, tile)),
      broken(cpu<T>("one_column_too_far", "j <= n", wrong::one_column_too_far<T>, uncounted, tile)),
      broken(cpu<T>("one_row_too_far", "i <= m", wrong::one_row_too_far<T>, uncounted, tile)),
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
