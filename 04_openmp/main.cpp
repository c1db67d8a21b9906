// 04_openmp: the same products on several cores, and what they get into each other's way with.
#include "broken.hpp"
#include "cost.hpp"
#include "gemm.hpp"
#include "runner/cpu.hpp"
#include "runner/run.hpp"

template <class T>
course::Variants<T> variants() {
  using namespace openmp;
  using course::broken, course::KernelArgs, course::cpu, course::uncounted;
  const course::VariantInfo threads{.threads = true}, tiles{.threads = true, .tiles = true};
  course::Variants<T> list = {
      cpu<T>(
          "parallel_for", "rows of C shared out, ikj inside",
          [](const KernelArgs<T>& x) { parallel_for<T>(x.a, x.b, x.c, x.threads); }, course::ikj<T>, threads),
      cpu<T>(
          "collapse_simd", "elements of C shared out, a simd reduction inside",
          [](const KernelArgs<T>& x) { collapse_simd<T>(x.a, x.b, x.c, x.threads); }, cost::collapse_simd<T>,
          threads),
      cpu<T>(
          "tiled", "tiles of C shared out, ikj inside",
          [](const KernelArgs<T>& x) { tiled<T>(x.a, x.b, x.c, x.threads, x.tile); }, cost::tiled<T>, tiles),
      cpu<T>(
          "tiled_simd", "tiles of C shared out, 4 x 4 inside",
          [](const KernelArgs<T>& x) { tiled_simd<T>(x.a, x.b, x.c, x.threads, x.tile); },
          cost::tiled_simd<T>, tiles),
      cpu<T>("touched_by_one", "tiled_simd on memory that one thread wrote first",
             [](const KernelArgs<T>& x) { tiled_simd<T>(x.a, x.b, x.c, x.threads, x.tile); },
             cost::tiled_simd<T>, {.threads = true, .tiles = true, .touched_by_one = true}),
      cpu<T>(
          "growing_static", "strips of 1, 2, … 64 shares of C dealt out beforehand",
          [](const KernelArgs<T>& x) { growing_static<T>(x.a, x.b, x.c, x.threads); }, course::ikj<T>,
          threads),
      cpu<T>(
          "growing_dynamic", "the same strips, each thread takes the next when it is free",
          [](const KernelArgs<T>& x) { growing_dynamic<T>(x.a, x.b, x.c, x.threads); }, course::ikj<T>,
          threads),
      cpu<T>(
          "sums_padded", "each thread sums up in cache lines of its own",
          [](const KernelArgs<T>& x) { sums_padded<T>(x.a, x.b, x.c, x.threads); }, cost::sums<T>, threads),
      cpu<T>(
          "sums_side_by_side", "two threads' sums in the same cache lines: false sharing",
          [](const KernelArgs<T>& x) { sums_side_by_side<T>(x.a, x.b, x.c, x.threads); }, cost::sums<T>,
          threads),
      broken(cpu<T>(
          "k_without_reduction", "threads add to the same element",
          [](const KernelArgs<T>& x) { wrong::k_without_reduction<T>(x.a, x.b, x.c, x.threads); }, uncounted,
          threads)),
      broken(cpu<T>(
          "shared_sum", "one sum for all threads",
          [](const KernelArgs<T>& x) { wrong::shared_sum<T>(x.a, x.b, x.c, x.threads); }, uncounted,
          threads)),
      broken(cpu<T>(
          "rest_lost", "m / threads rows for each",
          [](const KernelArgs<T>& x) { wrong::rest_lost<T>(x.a, x.b, x.c, x.threads); }, uncounted, threads)),
  };
  if constexpr (std::is_floating_point_v<T>)  // what is not there yet is NaN
    list.push_back(
        broken(cpu<T>("no_barrier", "reads of B what others have not yet transposed",
                      [](const KernelArgs<T>& x) { wrong::no_barrier<T>(x.a, x.b, x.c, x.bt, x.threads); },
                      uncounted, {.threads = true, .transposed_b = true})));
  return list;
}

int main(int argc, char** argv) {
  auto step = COURSE_STEP("several cores");
  step.tiles = {128};
  return course::run(argc, argv, step);
}
