// 04_openmp: the same products on several cores, and what they get into each other's way with.
#include "broken.hpp"
#include "common/cpu.hpp"
#include "cost.hpp"
#include "gemm.hpp"
#include "runner/run.hpp"

template <class T>
course::Variants<T> variants() {
  using namespace openmp;
  using course::broken, course::cpu, course::threads, course::tile, course::touched_by_one, course::uncounted;
  course::Variants<T> list = {
      cpu<T>("parallel_for", "rows of C shared out, ikj inside", parallel_for<T>, course::ikj<T>, threads),
      cpu<T>("collapse_simd", "elements of C shared out, a simd reduction inside", collapse_simd<T>,
             cost::collapse_simd<T>, threads),
      cpu<T>("tiled", "tiles of C shared out, ikj inside", tiled<T>, cost::tiled<T>, threads, tile),
      cpu<T>("tiled_simd", "tiles of C shared out, 4 x 4 inside", tiled_simd<T>, cost::tiled_simd<T>, threads,
             tile),
      touched_by_one(cpu<T>("touched_by_one", "tiled_simd on memory that one thread wrote first",
                            tiled_simd<T>, cost::tiled_simd<T>, threads, tile)),
      cpu<T>("growing_static", "strips of 1, 2, … 64 shares of C dealt out beforehand", growing_static<T>,
             course::ikj<T>, threads),
      cpu<T>("growing_dynamic", "the same strips, each thread takes the next when it is free",
             growing_dynamic<T>, course::ikj<T>, threads),
      cpu<T>("sums_padded", "each thread sums up in cache lines of its own", sums_padded<T>, cost::sums<T>,
             threads),
      cpu<T>("sums_side_by_side", "two threads' sums in the same cache lines: false sharing",
             sums_side_by_side<T>, cost::sums<T>, threads),
      broken(cpu<T>("k_without_reduction", "threads add to the same element", wrong::k_without_reduction<T>,
                    uncounted, threads)),
      broken(cpu<T>("shared_sum", "one sum for all threads", wrong::shared_sum<T>, uncounted, threads)),
      broken(cpu<T>("rest_lost", "m / threads rows for each", wrong::rest_lost<T>, uncounted, threads)),
      broken(cpu<T>("one_column_too_far", "j <= n", wrong::one_column_too_far<T>, uncounted, threads)),
      broken(cpu<T>("one_row_too_far", "i <= m", wrong::one_row_too_far<T>, uncounted, threads)),
  };
  if constexpr (std::is_floating_point_v<T>)  // what is not there yet is NaN
    list.push_back(broken(cpu<T>("no_barrier", "reads of B what others have not yet transposed",
                                 wrong::no_barrier<T>, uncounted, course::transposed_b, threads)));
  return list;
}

int main(int argc, char** argv) {
  auto step = COURSE_STEP("several cores");
  step.tiles = {128};
  return course::run(argc, argv, step);
}
