// 05_avx2: the vector unit by hand, from eight lanes in the inner loop to the speed of the libraries.
#include "broken.hpp"
#include "cost.hpp"
#include "runner/cpu.hpp"
#include "runner/run.hpp"

template <class T>
course::Variants<T> variants() {
  using namespace avx2;
  using course::broken, course::KernelArgs, course::cpu;
  const Caches alone = caches_here(1);
  const auto textbook = cost::textbook<T>(textbook_tile, alone);
  const auto narrow = cost::tuned<T>(tuned_tile, alone);
  const course::VariantInfo threads{.threads = true};
  course::Variants<T> list = {
      cpu<T>(
          "ikj_avx2", "02's ikj with lanes by hand",
          [](const KernelArgs<T>& x) { ikj_avx2<T>(x.a, x.b, x.c, x.threads); }, cost::ikj<T>, threads),
      cpu<T>("dot_avx2", "02's transposed with lanes, and a horizontal sum",
             [](const KernelArgs<T>& x) { dot_avx2<T>(x.a, x.b, x.c, x.bt, x.threads); }, cost::dot<T>,
             {.threads = true, .transposed_b = true}),
      cpu<T>("register_tile", "a tile of C in registers", register_tile<textbook_tile, T>,
             cost::register_tile<T>),
      cpu<T>(
          "blocked", "the tile in blocks that fit the caches",
          [=](const KernelArgs<T>& x) { blocked<textbook_tile, T>(x.a, x.b, x.c, alone); }, textbook),
      cpu<T>(
          "packed", "the blocks copied to where they are read",
          [=](const KernelArgs<T>& x) { packed<textbook_tile, T>(x.a, x.b, x.c, alone); }, textbook),
      cpu<T>(
          "tuned", "packed, with edges, fetches and copies tuned",
          [=](const KernelArgs<T>& x) { tuned<tuned_tile, T>(x.a, x.b, x.c, alone, 1); }, narrow),
      cpu<T>(
          "tuned_threads", "tuned, C in a grid of threads",
          [](const KernelArgs<T>& x) {
            tuned<tuned_tile, T>(x.a, x.b, x.c, caches_here(x.threads), x.threads);
          },
          narrow, threads),
      broken(cpu<T>("edge_lost", "whole tiles only", wrong::edge_lost<T>)),
      broken(cpu<T>("stale_block", "B packed for the first block of k only", wrong::stale_block<T>)),
      broken(cpu<T>("short_mask", "a mask that is a lane short", wrong::short_mask<T>)),
  };
  if constexpr (std::is_floating_point_v<T>)  // of integers, what lies behind a row would overflow
    list.push_back(broken(cpu<T>("unmasked", "reads beyond the end of a row",
                                 [](const KernelArgs<T>& x) { wrong::unmasked<T>(x.a, x.b, x.c, x.bt); },
                                 course::uncounted, {.transposed_b = true})));
  for (auto& variant : list) variant->info.vector = tuned_vector, variant->info.needs = tuned_needs;
#ifdef __aarch64__  // skipped by name
  for (const char* name : {"tile_512", "blocked_512", "packed_512", "avx512", "avx512_threads"})
    list.push_back(cpu<T>(name, "for x86's longest vectors", [](const KernelArgs<T>&) {}, course::uncounted,
                          {.vector = "avx512", .needs = avx512_needs}));
#else
  const auto textbook_512 = cost::textbook<T>(wide_tile, alone);
  const auto wide = cost::tuned<T>(avx512_tile, alone);
  for (auto& variant : {
           cpu<T>("tile_512", "register_tile with vectors of 64 bytes", register_tile<wide_tile, T>,
                  cost::register_tile<T, wide_tile>),
           cpu<T>(
               "blocked_512", "blocked with vectors of 64 bytes",
               [=](const KernelArgs<T>& x) { blocked<wide_tile, T>(x.a, x.b, x.c, alone); }, textbook_512),
           cpu<T>(
               "packed_512", "packed with vectors of 64 bytes",
               [=](const KernelArgs<T>& x) { packed<wide_tile, T>(x.a, x.b, x.c, alone); }, textbook_512),
           cpu<T>(
               "avx512", "tuned with wider registers, and more",
               [=](const KernelArgs<T>& x) { tuned<avx512_tile, T>(x.a, x.b, x.c, alone, 1); }, wide),
           cpu<T>(
               "avx512_threads", "avx512, C in a grid of threads",
               [](const KernelArgs<T>& x) {
                 tuned<avx512_tile, T>(x.a, x.b, x.c, caches_here(x.threads), x.threads);
               },
               wide, threads),
       }) {
    variant->info.vector = "avx512", variant->info.needs = avx512_needs;
    list.push_back(variant);
  }
#endif
  return list;
}

int main(int argc, char** argv) {
  return course::run(argc, argv, COURSE_STEP("the vector unit"));
}
